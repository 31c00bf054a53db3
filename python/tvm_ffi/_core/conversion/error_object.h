// SPDX-License-Identifier: Apache-2.0
// Runtime support for tvm_ffi.core.Error, an error as a value.
#ifndef TVM_FFI_PYTHON_CORE_ERROR_OBJECT_H_
#define TVM_FFI_PYTHON_CORE_ERROR_OBJECT_H_

#include "base/common.h"

namespace tvm_ffi_core {

void bind_error_object(nb::module_& module);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_ERROR_OBJECT_H_
