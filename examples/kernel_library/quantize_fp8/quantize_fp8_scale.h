// SPDX-License-Identifier: Apache-2.0
// The checks and the computation of a row's scale, for every device.
#ifndef QUANTIZE_FP8_SCALE_H_
#define QUANTIZE_FP8_SCALE_H_

#include <math.h>

#include <algorithm>

#include "../tvm_ffi_utils.h"

namespace {

// [scale.begin]
// One scale per row: the tensor's shape without its last dimension.
inline ffi::ShapeView shape_of_rows(const ffi::TensorView& x) {
  return {x.shape().data(), static_cast<size_t>(std::max(x.ndim() - 1, 0))};
}

inline bool is_shape(ffi::ShapeView a, ffi::ShapeView b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

#define CHECK_SCALE_OF(scale, x)                                             \
  do {                                                                       \
    CHECK_SAME_DEVICE(scale, x);                                             \
    CHECK_DTYPE(scale, dl_float32);                                          \
    CHECK_OR_THROW(                                                          \
        is_shape((scale).shape(), shape_of_rows(x)), ValueError, scale,      \
        "of shape " << text_of(shape_of_rows(x)) << " like the rows of " #x, \
        text_of((scale).shape()));                                           \
    CHECK_CONTIGUOUS(scale);                                                 \
    CHECK_ALIGNED(scale);                                                    \
  } while (0)

// The divisor of a row, which maps its largest magnitude to the largest of
// float8_e4m3fn. At least the smallest normal number, so that a row of zeros
// is not divided by 0.
HOST_DEVICE inline float scale_for(float largest) {
  constexpr float kSmallestNormal = 1.17549435e-38f;
  const float scale = largest / 448.0f;
  return scale > kSmallestNormal ? scale : kSmallestNormal;
}

// The magnitude of an element, or 0 for infinity and NaN.
HOST_DEVICE inline float finite_magnitude(float value) {
  const float magnitude = fabsf(value);
  return magnitude <= 3.40282347e38f ? magnitude : 0.0f;
}
// [scale.end]

}  // namespace

#endif  // QUANTIZE_FP8_SCALE_H_
