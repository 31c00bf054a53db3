// SPDX-License-Identifier: Apache-2.0
// Ways to fill a lent tensor from a Python object: what they have in common.
#ifndef TVM_FFI_PYTHON_CORE_PRODUCER_H_
#define TVM_FFI_PYTHON_CORE_PRODUCER_H_

#include "lending/lent_tensor.h"

namespace tvm_ffi_core {

class CallFrame;

// What lending a tensor leaves out or adds.
struct Lending {
  bool trusted = false;
  bool allow_read_only = false;
  bool own = false;  // whether it owns its memory at once, if that is cheaper than later
  const CallFrame* frame = nullptr;  // the call whose argument it is, if any
};

// One way to fill. 0, or -1 with a Python error that does not name the argument yet (the caller
// does).
using Fill = int (*)(LentTensor* lent, PyObject* tensor, Lending how);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_PRODUCER_H_
