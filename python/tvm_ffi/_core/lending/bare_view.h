// SPDX-License-Identifier: Apache-2.0
// Finds an owner for a view that C code lends to a callback.
#ifndef TVM_FFI_PYTHON_CORE_BARE_VIEW_H_
#define TVM_FFI_PYTHON_CORE_BARE_VIEW_H_

#include "lending/lent_tensor.h"

namespace tvm_ffi_core {

// Makes a bare view own its memory, together with the argument of a call in progress that it
// belongs to; any other tensor stays as it is. False, without a Python error, if there is no such
// argument.
bool find_owner(LentTensor* lent);

// As find_owner, for a receiver that keeps the tensor. 0, or -1 with a Python error.
int own_bare_view(LentTensor* lent);

// Sets the Python error for a bare view that cannot own its memory where it would have to.
void refuse_bare_view();

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_BARE_VIEW_H_
