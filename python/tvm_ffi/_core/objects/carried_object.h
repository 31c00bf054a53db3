// SPDX-License-Identifier: Apache-2.0
// libtvm_ffi objects that own one reference to a Python object.
#ifndef TVM_FFI_PYTHON_CORE_CARRIED_OBJECT_H_
#define TVM_FFI_PYTHON_CORE_CARRIED_OBJECT_H_

#include "base/common.h"

namespace tvm_ffi_core {

// A Python object that is opaque to C++, which owns a reference to `value`; NULL with a Python
// error set.
TVMFFIObject* make_carried_object(PyObject* value);

// A function whose `call` receives the function itself as its handle; NULL with a Python error set.
// Takes a reference to `callable`, but not on failure.
TVMFFIObject* make_callable_function(PyObject* callable, TVMFFISafeCallType call);

// The callable owned by such a function.
PyObject* callable_of(void* function);

// The Python object owned by `object`, borrowed; NULL for an object of another kind.
PyObject* carried_by(TVMFFIObject* object);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_CARRIED_OBJECT_H_
