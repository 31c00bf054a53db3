// SPDX-License-Identifier: Apache-2.0
// Functions created from code addresses, such as those of an in-process compiler.
#ifndef TVM_FFI_PYTHON_CORE_EXTERN_FUNCTION_H_
#define TVM_FFI_PYTHON_CORE_EXTERN_FUNCTION_H_

#include "base/common.h"

namespace tvm_ffi_core {

// Adds the static methods that create them to tvm_ffi.Function.
void bind_extern_function();

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_EXTERN_FUNCTION_H_
