// SPDX-License-Identifier: Apache-2.0
// Lends a framework's tensor, if it may be lent.
#ifndef TVM_FFI_PYTHON_CORE_LEND_H_
#define TVM_FFI_PYTHON_CORE_LEND_H_

#include "lending/packer.h"
#include "lending/producer.h"

namespace tvm_ffi_core {

// Releases a lent tensor while a Python error is set.
void discard(LentTensor* lent);

// Rejects a read-only tensor: sets a Python error and releases the tensor.
void refuse_read_only(LentTensor* lent);

// Fills a lent tensor from a framework's tensor; NULL with a Python error that names no argument.
template <typename FillWith>
inline LentTensor* lend_by(FillWith fill, const Framework* framework, PyObject* value,
                           Lending how) {
  LentTensor* lent = acquire_lent_tensor(framework);
  if (lent == nullptr) return nullptr;
  if (fill(lent, value, how) != 0) {
    discard(lent);
    return nullptr;
  }
  if (lent->read_only && !how.allow_read_only) {
    refuse_read_only(lent);
    return nullptr;
  }
  return lent;
}

// Creates an owned tensor from any object that a function accepts as a tensor; NULL with a Python
// error that starts with `what`.
LentTensor* owned_tensor_from(PyObject* what, PyObject* value, bool allow_read_only);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_LEND_H_
