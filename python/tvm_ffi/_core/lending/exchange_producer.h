// SPDX-License-Identifier: Apache-2.0
// Fills a lent tensor through the DLPack table of its type.
#ifndef TVM_FFI_PYTHON_CORE_EXCHANGE_PRODUCER_H_
#define TVM_FFI_PYTHON_CORE_EXCHANGE_PRODUCER_H_

#include "lending/lazy_view.h"
#include "lending/producer.h"

namespace tvm_ffi_core {

// Fills layout and memory from the table's managed tensor. 0, or -1 with a Python error set.
int fill_from_managed(LentTensor* lent, PyObject* tensor);

// Uses the table of the lent tensor's framework; borrows unless `how.own`. Inline, as most calls
// pass such tensors.
inline int fill_from_exchange(LentTensor* lent, PyObject* tensor, Lending how) {
  const auto borrow = lent->framework->exchange->dltensor_from_py_object_no_sync;
  if (borrow == nullptr || how.own) {
    if (fill_from_managed(lent, tensor) != 0) return -1;
  } else {
    if (borrow(tensor, &lent->tensor) != 0) return -1;
    lent->owner = tensor;
    lent->owner_kind = Owner::kNobody;
  }
  if (const char* problem = complete_lent_tensor(lent)) {
    PyErr_SetString(PyExc_ValueError, problem);
    return -1;
  }
  return how.trusted ? 0 : check_lazy_view(lent->framework, lent->tensor.dtype, tensor);
}

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_EXCHANGE_PRODUCER_H_
