// SPDX-License-Identifier: Apache-2.0
// Functions made of addresses of code, as a compiler in the process has them.
#ifndef TVM_FFI_PYTHON_CORE_EXTERN_FUNCTION_H_
#define TVM_FFI_PYTHON_CORE_EXTERN_FUNCTION_H_

#include "common.h"

namespace tvm_ffi_core {

// Static methods of tvm_ffi.Function.
PyObject* from_extern_c(PyObject*, PyObject* args, PyObject* keywords);
PyObject* from_mlir_packed_safe_call(PyObject*, PyObject* args, PyObject* keywords);

extern const char from_extern_c_doc[];
extern const char from_mlir_packed_safe_call_doc[];

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_EXTERN_FUNCTION_H_
