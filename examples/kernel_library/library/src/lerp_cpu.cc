// SPDX-License-Identifier: Apache-2.0
// y += weight * (x - y) on a CPU: a step of an exponential moving average.
#include "kernels.h"

namespace vector_kernels {

void cpu::lerp(ffi::TensorView x, ffi::TensorView y, double weight) {
  dispatch<FloatingTypes>(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    using C = typename Compute<T>::Type;
    const auto part = static_cast<C>(weight);
    const auto move = [part](T from, T to) {
      const auto old = static_cast<C>(to);
      return static_cast<T>(old + part * (static_cast<C>(from) - old));
    };
    T* to = data_of<T>(y);
    map_elements(x.numel(), move, to, data_of<T>(x), to);
  });
}

}  // namespace vector_kernels
