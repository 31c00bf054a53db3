// SPDX-License-Identifier: Apache-2.0
// Lends a framework's tensor, if it may be lent.
#ifndef TVM_FFI_PYTHON_CORE_LENDING_H_
#define TVM_FFI_PYTHON_CORE_LENDING_H_

#include "converter.h"
#include "lent_tensor.h"

namespace tvm_ffi_core {

// What lend() leaves out or adds.
struct Lending {
  bool trusted = false;
  bool allow_read_only = false;
  bool own = false;  // whether it owns its memory at once, if that is cheaper than later
};

// Fills a lent tensor from a tensor of the kind; NULL with a Python error that names no argument.
LentTensor* lend(const Converter& converter, PyObject* value, Lending how);

// Gives a lent tensor back while a Python error is set.
void discard(LentTensor* lent);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_LENDING_H_
