// SPDX-License-Identifier: Apache-2.0
// The Python type tvm_ffi.Function.
#ifndef TVM_FFI_PYTHON_CORE_FUNCTION_H_
#define TVM_FFI_PYTHON_CORE_FUNCTION_H_

#include "object.h"

namespace tvm_ffi_core {

struct FunctionInstance {
  ObjectInstance base;
  vectorcallfunc vectorcall;
  PyObject* name;        // owned; a str
  PyObject* callable;    // what it was made of, if it was made here; lives as long as the handle
  PyObject* parameters;  // owned; (names, defaults), None if they are unknown, NULL if not asked
  PyObject* attributes;  // owned; what users set on it
  char release_gil;
  char trusted;
};

extern PyTypeObject* function_type;

// Sets up a new instance of function_type or a subtype, which has no function yet.
void prepare_function(PyObject* self);

// Gives `self`, which has got the function of `other`, what else belongs to that.
void share_function(PyObject* self, PyObject* other);

// A count of its own for the Function `value` while code outside Python uses it, if it was made of
// a Python callable: the garbage collector relies on it.
ObjectRef share_callable(PyObject* value);

// Calls what makes the object of an instance. An object that a Function gives comes as a plain
// tvm_ffi.Object: an instance of its own class, dropped at once, would run that class's __del__.
PyObject* call_constructor(PyObject* constructor, PyObject* const* args, Py_ssize_t num_args);

void bind_function(nb::module_& module);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_FUNCTION_H_
