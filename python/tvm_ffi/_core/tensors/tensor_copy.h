// SPDX-License-Identifier: Apache-2.0
// Copies tensors on the host.
#ifndef TVM_FFI_PYTHON_CORE_TENSOR_COPY_H_
#define TVM_FFI_PYTHON_CORE_TENSOR_COPY_H_

#include "base/common.h"

namespace tvm_ffi_core {

// A compact row-major tensor with the elements of `tensor`, in its own memory. Empty, with a
// Python error set, for a tensor that is not on the host.
ObjectRef copy_of_tensor(const DLTensor& tensor);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_TENSOR_COPY_H_
