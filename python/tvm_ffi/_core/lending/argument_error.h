// SPDX-License-Identifier: Apache-2.0
// Python errors for values that cannot be packed; they name the argument.
#ifndef TVM_FFI_PYTHON_CORE_ARGUMENT_ERROR_H_
#define TVM_FFI_PYTHON_CORE_ARGUMENT_ERROR_H_

#include "base/common.h"

namespace tvm_ffi_core {

// Used in place of an argument index.
constexpr int kResult = -1, kUnnumbered = -2;

// Prefixes the current Python error with "name: argument index (type): " and the path to the
// element, which may be NULL. Keeps TypeError, converts the rest to ValueError; the original error
// becomes the cause.
void name_argument(PyObject* name, int index, PyTypeObject* value_type, PyObject* path);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_ARGUMENT_ERROR_H_
