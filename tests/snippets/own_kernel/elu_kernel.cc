// SPDX-License-Identifier: Apache-2.0
// ELU with an alpha for each column, on a CPU.

// [kernel.begin]
#include "elu.h"

void elu(ffi::TensorView x, ffi::TensorView alpha, ffi::TensorView y) {
  CHECK_CPU(x);
  CHECK_ELU(x, alpha, y);
  dispatch<FloatingTypes>(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    using C = typename Compute<T>::Type;  // float for the 16-bit types
    const T* from = data_of<T>(x);
    const T* alphas = data_of<T>(alpha);
    T* to = data_of<T>(y);
    const int64_t columns = alpha.numel();
    for (int64_t row = 0; row < x.numel(); row += columns) {
      for (int64_t j = 0; j < columns; ++j) {
        to[row + j] = static_cast<T>(
            elu_of(static_cast<C>(from[row + j]), static_cast<C>(alphas[j])));
      }
    }
  });
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(elu, elu);
// [kernel.end]
