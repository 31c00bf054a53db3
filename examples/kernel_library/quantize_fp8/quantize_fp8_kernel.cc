// SPDX-License-Identifier: Apache-2.0
// y = x / scale in float8_e4m3fn, where scale maps the largest magnitude of
// each row of x to the largest that y can hold, and the inverse, on a CPU.
// Build with build_cpu.sh, run with load_quantize_fp8.py.

// [includes.begin]
#include <algorithm>

#include "quantize_fp8_scale.h"
// [includes.end]

// [row.begin]
// Sixteen maxima in parallel: compilers preserve the order of operations, and
// this order vectorizes.
template <typename T>
float largest_magnitude(const T* x, int64_t n) {
  constexpr int64_t kLanes = 16;
  constexpr int64_t kBlock = 16 * kLanes;
  float largest[kLanes] = {};
  int64_t first = 0;
  for (; n - first >= kBlock; first += kBlock) {
    float values[kBlock];
    for (int64_t i = 0; i < kBlock; ++i) {
      values[i] = finite_magnitude(static_cast<float>(x[first + i]));
    }
    for (int64_t i = 0; i < kBlock; i += kLanes) {
      for (int64_t lane = 0; lane < kLanes; ++lane) {
        const float value = values[i + lane];
        largest[lane] = value > largest[lane] ? value : largest[lane];
      }
    }
  }
  for (; first < n; ++first) {
    const float value = finite_magnitude(static_cast<float>(x[first]));
    largest[0] = std::max(largest[0], value);
  }
  return *std::max_element(largest, largest + kLanes);
}

template <typename T>
void quantize_row(const T* x, float8_e4m3fn* y, float* scale, int64_t n) {
  const float divisor = scale_for(largest_magnitude(x, n));
  const float inverse = 1.0f / divisor;
  const auto quantized = [inverse](T item) {
    return float8_e4m3fn(static_cast<float>(item) * inverse);
  };
  map_elements(n, quantized, y, x);
  *scale = divisor;  // Last, since scale may be x.
}

template <typename T>
void dequantize_row(const float8_e4m3fn* y, float scale, T* out, int64_t n) {
  using C = typename Compute<T>::Type;
  const auto dequantized = [scale](float8_e4m3fn item) {
    return static_cast<T>(static_cast<C>(static_cast<float>(item)) *
                          static_cast<C>(scale));
  };
  map_elements(n, dequantized, out, y);
}
// [row.end]

// [quantize.begin]
void quantize_fp8(ffi::TensorView x, ffi::TensorView y, ffi::TensorView scale) {
  CHECK_CPU(x);
  CHECK_DTYPE_IN(x, FloatingTypes);
  CHECK_ALIGNED(x);
  CHECK_DENSE_ROWS(x);
  CHECK_SAME_DEVICE(y, x);
  CHECK_DTYPE(y, dl_float8_e4m3fn);
  CHECK_SAME_SHAPE(y, x);
  CHECK_CONTIGUOUS(y);
  CHECK_NO_PARTIAL_OVERLAP(y, x);
  CHECK_SCALE_OF(scale, x);
  CHECK_NO_PARTIAL_OVERLAP(scale, x);
  CHECK_NO_PARTIAL_OVERLAP(scale, y);
  const Rows rows("quantize_fp8", x);
  dispatch<FloatingTypes>(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for (int64_t row = 0; row < rows.count; ++row) {
      quantize_row(data_of<T>(x) + rows.starts.offset(row),
                   data_of<float8_e4m3fn>(y) + row * rows.length,
                   data_of<float>(scale) + row, rows.length);
    }
  });
}
// [quantize.end]

// [dequantize.begin]
void dequantize_fp8(ffi::TensorView y, ffi::TensorView scale,
                    ffi::TensorView out) {
  CHECK_CPU(y);
  CHECK_DTYPE(y, dl_float8_e4m3fn);
  CHECK_DENSE_ROWS(y);
  CHECK_SCALE_OF(scale, y);
  CHECK_SAME_DEVICE(out, y);
  CHECK_DTYPE_IN(out, FloatingTypes);
  CHECK_SAME_SHAPE(out, y);
  CHECK_CONTIGUOUS(out);
  CHECK_ALIGNED(out);
  CHECK_NO_PARTIAL_OVERLAP(out, y);
  CHECK_NO_PARTIAL_OVERLAP(out, scale);
  const Rows rows("dequantize_fp8", y);
  dispatch<FloatingTypes>(out.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for (int64_t row = 0; row < rows.count; ++row) {
      dequantize_row(data_of<float8_e4m3fn>(y) + rows.starts.offset(row),
                     data_of<float>(scale)[row],
                     data_of<T>(out) + row * rows.length, rows.length);
    }
  });
}
// [dequantize.end]

// [returning.begin]
// The same, into a new tensor.
ffi::Tensor quantized_fp8(ffi::TensorView x, ffi::TensorView scale) {
  CHECK_CPU(x);
  CHECK_DTYPE_IN(x, FloatingTypes);
  CHECK_ALIGNED(x);
  CHECK_DENSE_ROWS(x);
  CHECK_SCALE_OF(scale, x);
  CHECK_NO_PARTIAL_OVERLAP(scale, x);
  ffi::Tensor y = alloc_tensor(x.shape(), dl_float8_e4m3fn, x.device());
  quantize_fp8(x, y, scale);
  return y;
}
// [returning.end]

// [export.begin]
TVM_FFI_DLL_EXPORT_TYPED_FUNC(quantize_fp8, quantize_fp8);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(quantized_fp8, quantized_fp8);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(dequantize_fp8, dequantize_fp8);
// [export.end]
