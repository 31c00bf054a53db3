// SPDX-License-Identifier: Apache-2.0
// y += a * x on a CPU.
#include "kernels.h"

namespace vector_kernels {

// [axpy.begin]
void cpu::axpy(double a, ffi::TensorView x, ffi::TensorView y) {
  dispatch<FloatingTypes>(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    using C = typename Compute<T>::Type;
    const auto factor = static_cast<C>(a);
    const auto add = [factor](T from, T to) {
      return static_cast<T>(static_cast<C>(to) + factor * static_cast<C>(from));
    };
    T* to = data_of<T>(y);
    map_elements(x.numel(), add, to, data_of<T>(x), to);
  });
}
// [axpy.end]

}  // namespace vector_kernels
