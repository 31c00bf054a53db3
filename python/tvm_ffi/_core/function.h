// SPDX-License-Identifier: Apache-2.0
// The Python type tvm_ffi.Function.
#ifndef TVM_FFI_PYTHON_CORE_FUNCTION_H_
#define TVM_FFI_PYTHON_CORE_FUNCTION_H_

#include "object.h"

namespace tvm_ffi_core {

struct FunctionInstance {
  ObjectInstance base;
  vectorcallfunc vectorcall;
  PyObject* name;  // owned; a str
  char release_gil;
  char trusted;
};

extern PyTypeObject* function_type;

void bind_function(nb::module_& module);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_FUNCTION_H_
