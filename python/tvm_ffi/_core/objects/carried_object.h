// SPDX-License-Identifier: Apache-2.0
// Objects of libtvm_ffi that own one reference to a Python object.
#ifndef TVM_FFI_PYTHON_CORE_CARRIED_OBJECT_H_
#define TVM_FFI_PYTHON_CORE_CARRIED_OBJECT_H_

#include "base/common.h"

namespace tvm_ffi_core {

// A Python object that C++ only carries, which owns a reference to `value`; NULL with a Python
// error.
TVMFFIObject* make_carried_object(PyObject* value);

// A function whose `call` gets the function itself as its handle; NULL with a Python error. It owns
// `callable`, and takes no reference if it fails.
TVMFFIObject* make_callable_function(PyObject* callable, TVMFFISafeCallType call);

// What such a function owns.
PyObject* callable_of(void* function);

// The Python object that `object` owns, lent; NULL if it is of another kind.
PyObject* carried_by(TVMFFIObject* object);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_CARRIED_OBJECT_H_
