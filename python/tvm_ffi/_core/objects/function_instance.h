// SPDX-License-Identifier: Apache-2.0
// What an instance of tvm_ffi.Function holds.
#ifndef TVM_FFI_PYTHON_CORE_FUNCTION_INSTANCE_H_
#define TVM_FFI_PYTHON_CORE_FUNCTION_INSTANCE_H_

#include "objects/object.h"

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

inline PyTypeObject* function_type = nullptr;

// A count of its own for the Function `value` while code outside Python uses it, if it was made of
// a Python callable: the garbage collector relies on it.
inline ObjectRef share_callable(PyObject* value) {
  if (reinterpret_cast<FunctionInstance*>(value)->callable == nullptr) return ObjectRef();
  TVMFFIObject* handle = handle_of(value);
  TVMFFIObjectIncRef(handle);
  return ObjectRef(handle);
}

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_FUNCTION_INSTANCE_H_
