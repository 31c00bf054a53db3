// SPDX-License-Identifier: Apache-2.0
// Finds an owner for a view that C code lends to a callback.
#ifndef TVM_FFI_PYTHON_CORE_BARE_VIEW_H_
#define TVM_FFI_PYTHON_CORE_BARE_VIEW_H_

#include "lending/lent_tensor.h"

namespace tvm_ffi_core {

// Makes a bare view own its memory, jointly with the argument of a call in progress that contains
// it; any other tensor is unchanged. False, without a Python error, if there is no such
// argument.
bool find_owner(LentTensor* lent);

// Like find_owner, for a receiver that keeps the tensor. 0, or -1 with a Python error set.
int own_bare_view(LentTensor* lent);

// Sets the Python error for a bare view that must own its memory but cannot.
void refuse_bare_view();

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_BARE_VIEW_H_
