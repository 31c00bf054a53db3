// SPDX-License-Identifier: Apache-2.0
// An allocation with strides, which only this package's headers have.
#include <tvm/ffi/tvm_ffi.h>

namespace ffi = tvm::ffi;

// [empty_strided.begin]
ffi::Tensor columns(ffi::TensorView x, int64_t rows, int64_t cols) {
  return ffi::Tensor::FromEnvAllocStrided(TVMFFIEnvTensorAlloc, {rows, cols}, {1, rows}, x.dtype(),
                                          x.device());
}
// [empty_strided.end]

TVM_FFI_DLL_EXPORT_TYPED_FUNC(columns, columns);
