// SPDX-License-Identifier: Apache-2.0
// PReLU with a slope for each column, on a CPU.

// [kernel.begin]
#include "prelu.h"

void prelu(ffi::TensorView x, ffi::TensorView slope, ffi::TensorView y) {
  CHECK_CPU(x);
  CHECK_PRELU(x, slope, y);
  dispatch<FloatingTypes>(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    using C = typename Compute<T>::Type;  // float for the 16-bit types
    const T* from = data_of<T>(x);
    const T* slopes = data_of<T>(slope);
    T* to = data_of<T>(y);
    const int64_t columns = slope.numel();
    for (int64_t row = 0; row < x.numel(); row += columns) {
      for (int64_t j = 0; j < columns; ++j) {
        to[row + j] = static_cast<T>(
            prelu_of(static_cast<C>(from[row + j]), static_cast<C>(slopes[j])));
      }
    }
  });
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(prelu, prelu);
// [kernel.end]
