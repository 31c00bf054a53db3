// SPDX-License-Identifier: Apache-2.0
// y = silu(a) * b, where a and b are the halves of each row of x, on a CPU.
// Build with build_cpu.sh, run with load_silu_and_mul.py.

// [includes.begin]
#include <cmath>

#include "silu_and_mul_checks.h"
// [includes.end]

// [formula.begin]
// a / (1 + exp(-a)). The power is that of -|a|, which never overflows: where a
// is far below 0, exp(-a) would be infinity and the result 0 too soon.
template <typename C>
C silu(C a) {
  const C power = std::exp(-std::abs(a));
  return (a < 0 ? a * power : a) / (1 + power);
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
  if (x.numel() == 0) return;  // There may be countless rows of nothing.
  dispatch<FloatingTypes>(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    using C = typename Compute<T>::Type;
    const auto gated = [](T a, T b) {
      return static_cast<T>(silu(static_cast<C>(a)) * static_cast<C>(b));
    };
    const int64_t half = rows.length / 2;
    for (int64_t row = 0; row < rows.count; ++row) {
      const T* from = data_of<T>(x) + rows.starts.offset(row);
      map_elements(half, gated, data_of<T>(y) + row * half, from, from + half);
    }
  });
}
// [function.end]

// [export.begin]
TVM_FFI_DLL_EXPORT_TYPED_FUNC(silu_and_mul, silu_and_mul);
// [export.end]
