// SPDX-License-Identifier: Apache-2.0
// The instance layout of tvm_ffi.Function.
#ifndef TVM_FFI_PYTHON_CORE_FUNCTION_INSTANCE_H_
#define TVM_FFI_PYTHON_CORE_FUNCTION_INSTANCE_H_

#include "objects/object.h"

namespace tvm_ffi_core {

struct FunctionInstance {
  ObjectInstance base;
  vectorcallfunc vectorcall;
  PyObject* name;        // owned; a str
  PyObject* callable;    // its Python callable, if created here; lives as long as the handle
  PyObject* parameters;  // owned; (names, defaults), None if unknown, NULL if not looked up
  PyObject* attributes;  // owned; attributes set by users
  char release_gil;
  char trusted;
};

inline PyTypeObject* function_type = nullptr;

// A separate reference to the Function `value` while non-Python code uses it, if it was created
// from a Python callable: the garbage collector relies on this.
inline ObjectRef share_callable(PyObject* value) {
  if (reinterpret_cast<FunctionInstance*>(value)->callable == nullptr) return ObjectRef();
  TVMFFIObject* handle = handle_of(value);
  TVMFFIObjectIncRef(handle);
  return ObjectRef(handle);
}

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_FUNCTION_INSTANCE_H_
