// SPDX-License-Identifier: Apache-2.0
// Python values as arguments and as results of callbacks.
#ifndef TVM_FFI_PYTHON_CORE_ARGS_H_
#define TVM_FFI_PYTHON_CORE_ARGS_H_

#include "frame.h"

namespace tvm_ffi_core {

// Packs `value` as argument `index` of the frame's call. 0, or -1 with a Python error that names
// the function and the argument.
int pack_argument(CallFrame* frame, int index, PyObject* value);

// Writes `value` as an owned value; `what` names the callback in messages.
int pack_owned(PyObject* what, PyObject* value, TVMFFIAny* result);

// Makes an owned tensor from any object that pack_argument takes as a tensor; NULL with a Python
// error that starts with `what`.
LentTensor* owned_tensor_from(PyObject* what, PyObject* value, bool allow_read_only);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_ARGS_H_
