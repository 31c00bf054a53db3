// SPDX-License-Identifier: Apache-2.0
// Checks of the input and output shapes, for every device.
#ifndef SILU_AND_MUL_CHECKS_H_
#define SILU_AND_MUL_CHECKS_H_

#include "../tvm_ffi_utils.h"

namespace {

// [check_halves.begin]
inline bool has_two_halves(const ffi::TensorView& x) {
  return x.ndim() > 0 && x.size(-1) % 2 == 0;
}

// Whether y has the shape of x with its last dimension halved.
inline bool is_like_a_half(const ffi::TensorView& y, const ffi::TensorView& x) {
  if (y.ndim() != x.ndim()) return false;
  for (int32_t i = 0; i < x.ndim() - 1; ++i) {
    if (y.size(i) != x.size(i)) return false;
  }
  return y.size(-1) == x.size(-1) / 2;
}

#define CHECK_TWO_HALVES(x)                                                  \
  CHECK_OR_THROW(has_two_halves(x), ValueError, x, "of rows of even length", \
                 "shape " << text_of((x).shape()))

#define CHECK_LIKE_A_HALF(y, x)                                      \
  CHECK_OR_THROW(                                                    \
      is_like_a_half(y, x), ValueError, y,                           \
      "shaped like " #x " with rows of length " << (x).size(-1) / 2, \
      "shape " << text_of((y).shape()))
// [check_halves.end]

}  // namespace

#endif  // SILU_AND_MUL_CHECKS_H_
