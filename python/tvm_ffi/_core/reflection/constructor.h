// SPDX-License-Identifier: Apache-2.0
// The method of tvm_ffi.Object with which an `__init__` creates the object.
#ifndef TVM_FFI_PYTHON_CORE_CONSTRUCTOR_H_
#define TVM_FFI_PYTHON_CORE_CONSTRUCTOR_H_

#include "base/common.h"

namespace tvm_ffi_core {

void bind_constructor();

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_CONSTRUCTOR_H_
