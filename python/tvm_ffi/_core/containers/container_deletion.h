// SPDX-License-Identifier: Apache-2.0
// The end of containers that hold many others, one in the other.
#ifndef TVM_FFI_PYTHON_CORE_CONTAINER_DELETION_H_
#define TVM_FFI_PYTHON_CORE_CONTAINER_DELETION_H_

#include "base/common.h"

namespace tvm_ffi_core {

// Makes the end of such a container need little of the stack.
void flatten_deletion(TVMFFIObject* container);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_CONTAINER_DELETION_H_
