// SPDX-License-Identifier: Apache-2.0
// Copies of tensors on the host.
#ifndef TVM_FFI_PYTHON_CORE_TENSOR_COPY_H_
#define TVM_FFI_PYTHON_CORE_TENSOR_COPY_H_

#include "base/common.h"

namespace tvm_ffi_core {

// A compact row-major tensor with the elements of `tensor`, in memory of its own. Holds nothing,
// with a Python error, for a tensor on another device than the host.
ObjectRef copy_of_tensor(const DLTensor& tensor);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_TENSOR_COPY_H_
