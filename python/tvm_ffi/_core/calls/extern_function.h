// SPDX-License-Identifier: Apache-2.0
// Functions made of addresses of code, as a compiler in the process has them.
#ifndef TVM_FFI_PYTHON_CORE_EXTERN_FUNCTION_H_
#define TVM_FFI_PYTHON_CORE_EXTERN_FUNCTION_H_

#include "base/common.h"

namespace tvm_ffi_core {

// Gives tvm_ffi.Function the static methods that make them.
void bind_extern_function();

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_EXTERN_FUNCTION_H_
