// SPDX-License-Identifier: Apache-2.0
// Rotates pairs of numbers (x, y) by an angle, on a CPU. Build with
// build_cpu.sh, run with load_jax_call.py.

// [includes.begin]
#include <cmath>

#include "rotate_checks.h"
// [includes.end]

// [function.begin]
void rotate(ffi::TensorView x, ffi::TensorView y, ffi::TensorView x_out,
            ffi::TensorView y_out, double angle) {
  CHECK_CPU(x);
  CHECK_ROTATE(x, y, x_out, y_out);
  dispatch<FloatingTypes>(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    using C = typename Compute<T>::Type;
    const C cosine = static_cast<C>(std::cos(angle));
    const C sine = static_cast<C>(std::sin(angle));
    const T* xs = data_of<T>(x);
    const T* ys = data_of<T>(y);
    T* xs_out = data_of<T>(x_out);
    T* ys_out = data_of<T>(y_out);
    const int64_t n = x.numel();
    for (int64_t i = 0; i < n; ++i) {
      const C a = static_cast<C>(xs[i]);
      const C b = static_cast<C>(ys[i]);
      xs_out[i] = static_cast<T>(a * cosine + b * sine);
      ys_out[i] = static_cast<T>(b * cosine - a * sine);
    }
  });
}
// [function.end]

// [export.begin]
TVM_FFI_DLL_EXPORT_TYPED_FUNC(rotate, rotate);
// [export.end]
