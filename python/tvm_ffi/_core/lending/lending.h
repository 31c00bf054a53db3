// SPDX-License-Identifier: Apache-2.0
// Lends a framework's tensor, if it may be lent.
#ifndef TVM_FFI_PYTHON_CORE_LENDING_H_
#define TVM_FFI_PYTHON_CORE_LENDING_H_

#include "lending/converter.h"
#include "lending/producer.h"

namespace tvm_ffi_core {

// Fills a lent tensor from a framework's tensor; NULL with a Python error that names no argument.
LentTensor* lend(const Converter& converter, PyObject* value, Lending how);

// Gives a lent tensor back while a Python error is set.
void discard(LentTensor* lent);

// Makes an owned tensor from any object that a function takes as a tensor; NULL with a Python
// error that starts with `what`.
LentTensor* owned_tensor_from(PyObject* what, PyObject* value, bool allow_read_only);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_LENDING_H_
