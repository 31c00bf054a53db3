// SPDX-License-Identifier: Apache-2.0
// The Python type tvm_ffi.Function.
#ifndef TVM_FFI_PYTHON_CORE_FUNCTION_H_
#define TVM_FFI_PYTHON_CORE_FUNCTION_H_

#include "objects/function_instance.h"

namespace tvm_ffi_core {

// Calls an instance's constructor. An object returned by a Function becomes a plain
// tvm_ffi.Object: an instance of its own class, dropped at once, would run that class's __del__.
PyObject* call_constructor(PyObject* constructor, PyObject* const* args, Py_ssize_t num_args);

void bind_function(nb::module_& module);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_FUNCTION_H_
