// SPDX-License-Identifier: Apache-2.0
// Python callables as libtvm_ffi functions.
#ifndef TVM_FFI_PYTHON_CORE_CALLBACK_H_
#define TVM_FFI_PYTHON_CORE_CALLBACK_H_

#include "base/common.h"

namespace tvm_ffi_core {

// A new Function that calls `callable` from any thread; NULL with a Python error set.
TVMFFIObject* function_from_callable(PyObject* callable);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_CALLBACK_H_
