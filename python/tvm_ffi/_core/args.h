// SPDX-License-Identifier: Apache-2.0
// Python values as arguments: how each type is packed, found once per type.
#ifndef TVM_FFI_PYTHON_CORE_ARGS_H_
#define TVM_FFI_PYTHON_CORE_ARGS_H_

#include "frame.h"

namespace tvm_ffi_core {

// Packs `value` as argument `index` of the frame's call. 0, or -1 with a Python error that names
// the function and the argument.
int pack_argument(CallFrame* frame, int index, PyObject* value);

// Writes `value` as an owned value; `what` names it in messages, for example "f: the result".
int pack_owned(PyObject* what, PyObject* value, TVMFFIAny* result);

// Makes an owned tensor from any object that pack_argument takes as a tensor; NULL with a Python
// error that starts with `what`.
LentTensor* owned_tensor_from(PyObject* what, PyObject* value, bool allow_read_only);

void bind_args(nb::module_& module);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_ARGS_H_
