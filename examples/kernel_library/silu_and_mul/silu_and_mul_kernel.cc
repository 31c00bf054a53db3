// SPDX-License-Identifier: Apache-2.0
// y = silu(a) * b, where a and b are the halves of each row of x, on a CPU.
// Build with build_cpu.sh, run with load_silu_and_mul.py.

// [includes.begin]
#include <algorithm>
#include <cmath>

#include "silu_and_mul_checks.h"
// [includes.end]

// [power.begin]
inline double power(double x) { return std::exp(x); }

// exp(x) for x <= 0, as in softmax, in a form that vectorizes:
// x = n * ln(2) + r with an integer n and |r| <= ln(2) / 2, so
// exp(x) = 2^n * exp(r). The error is less than 2^-22 of the value, or a
// subnormal number; NaN maps to NaN.
inline float power(float x) {
  // Adding 1.5 * 2^23 leaves the nearest integer in the last bits.
  const float shifted = x * 1.44269504f + 12582912.0f;
  const float n = shifted - 12582912.0f;
  // ln(2) in two parts; the product of n with the first is exact.
  const float r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
  float sum = 1.0f / 5040;
  sum = sum * r + 1.0f / 720;
  sum = sum * r + 1.0f / 120;
  sum = sum * r + 1.0f / 24;
  sum = sum * r + 1.0f / 6;
  sum = sum * r + 0.5f;
  sum = sum * (r * r) + (r + 1.0f);
  // 2^n as 2^h * 2^(n - h), since 2^n may be too small for a float.
  const uint32_t whole = bits_of(shifted) - bits_of(12582912.0f);
  const uint32_t h = ((whole + 256u) >> 1) - 128u;
  const float value =
      sum * float_of((h + 127u) << 23) * float_of((whole - h + 127u) << 23);
  // Below -104 the result is 0 in float. A branch would not vectorize.
  return float_of(bits_of(value) & (x < -104.0f ? 0u : ~0u));
}
// [power.end]

// [formula.begin]
// a / (1 + exp(-a)), computed from exp(-|a|), which never overflows: where a is
// far below 0, exp(-a) would become infinity, and the result 0, too soon.
template <typename C>
C silu(C a) {
  const C small = power(-std::abs(a));
  // 1 where a is not negative. A maximum, since a branch would not vectorize.
  return a * std::max(small, static_cast<C>(a >= 0)) / (1 + small);
}

template <typename T>
void gate_row(const T* a, const T* b, T* y, int64_t n) {
  using C = typename Compute<T>::Type;
  const auto gated = [](T gate, T value) {
    return static_cast<T>(silu(static_cast<C>(gate)) * static_cast<C>(value));
  };
  map_elements(n, gated, y, a, b);
}
// [formula.end]

// [function.begin]
void silu_and_mul(ffi::TensorView x, ffi::TensorView y) {
  CHECK_CPU(x);
  CHECK_DTYPE_IN(x, FloatingTypes);
  CHECK_ALIGNED(x);
  CHECK_TWO_HALVES(x);
  CHECK_DENSE_ROWS(x);
  CHECK_SAME_DEVICE(y, x);
  CHECK_SAME_DTYPE(y, x);
  CHECK_LIKE_A_HALF(y, x);
  CHECK_CONTIGUOUS(y);
  CHECK_ALIGNED(y);
  CHECK_APART(y, x);
  const Rows rows("silu_and_mul", x);
  if (x.numel() == 0) return;  // There may be billions of empty rows.
  dispatch<FloatingTypes>(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const int64_t half = rows.length / 2;
    for (int64_t row = 0; row < rows.count; ++row) {
      const T* from = data_of<T>(x) + rows.starts.offset(row);
      gate_row(from, from + half, data_of<T>(y) + row * half, half);
    }
  });
}
// [function.end]

// [export.begin]
TVM_FFI_DLL_EXPORT_TYPED_FUNC(silu_and_mul, silu_and_mul);
// [export.end]
