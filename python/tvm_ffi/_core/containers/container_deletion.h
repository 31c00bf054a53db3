// SPDX-License-Identifier: Apache-2.0
// Destruction of deeply nested containers.
#ifndef TVM_FFI_PYTHON_CORE_CONTAINER_DELETION_H_
#define TVM_FFI_PYTHON_CORE_CONTAINER_DELETION_H_

#include "base/common.h"

namespace tvm_ffi_core {

// Bounds the stack depth needed to destroy such a container.
void flatten_deletion(TVMFFIObject* container);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_CONTAINER_DELETION_H_
