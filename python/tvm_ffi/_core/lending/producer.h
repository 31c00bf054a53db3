// SPDX-License-Identifier: Apache-2.0
// The common interface of ways to fill a lent tensor from a Python object.
#ifndef TVM_FFI_PYTHON_CORE_PRODUCER_H_
#define TVM_FFI_PYTHON_CORE_PRODUCER_H_

#include "lending/lent_tensor.h"

namespace tvm_ffi_core {

class CallFrame;

// Options for lending a tensor.
struct Lending {
  bool trusted = false;
  bool allow_read_only = false;
  bool own = false;  // whether to own the memory at once, if that is cheaper than doing so later
  const CallFrame* frame = nullptr;  // the call whose argument it is, if any
};

// A way to fill a tensor. 0, or -1 with a Python error that does not yet name the argument (the
// caller adds it).
using Fill = int (*)(LentTensor* lent, PyObject* tensor, Lending how);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_PRODUCER_H_
