// SPDX-License-Identifier: Apache-2.0
// Python callables and other Python objects as objects of libtvm_ffi.
#ifndef TVM_FFI_PYTHON_CORE_CALLBACK_H_
#define TVM_FFI_PYTHON_CORE_CALLBACK_H_

#include "base/common.h"

namespace tvm_ffi_core {

// A new Function that calls `callable` from any thread; NULL with a Python error.
TVMFFIObject* function_from_callable(PyObject* callable);

// A new object that carries `value` and nothing else; NULL with a Python error.
TVMFFIObject* opaque_from_python(PyObject* value);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_CALLBACK_H_
