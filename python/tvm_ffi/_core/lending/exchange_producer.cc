// SPDX-License-Identifier: Apache-2.0
// Fills a lent tensor by the DLPack table of its type.
#include "lending/exchange_producer.h"

#include "lending/lazy_view.h"

namespace tvm_ffi_core {

int fill_from_exchange(LentTensor* lent, PyObject* tensor, Lending how) {
  const DLPackExchangeAPI* exchange = lent->framework->exchange;
  const DLTensor* source;
  DLTensor view;
  if (exchange->dltensor_from_py_object_no_sync != nullptr && !how.own) {
    if (exchange->dltensor_from_py_object_no_sync(tensor, &view) != 0) return -1;
    lent->owner = tensor;
    lent->owner_kind = Owner::kNobody;
    source = &view;
  } else {
    DLManagedTensorVersioned* managed = nullptr;
    if (exchange->managed_tensor_from_py_object_no_sync(tensor, &managed) != 0) return -1;
    lent->owner = managed;
    lent->owner_kind = Owner::kManagedVersioned;
    lent->read_only = (managed->flags & DLPACK_FLAG_BITMASK_READ_ONLY) != 0;
    source = &managed->dl_tensor;
  }
  const char* problem = fill_lent_tensor(lent, *source);
  if (problem != nullptr) {
    PyErr_SetString(PyExc_ValueError, problem);
    return -1;
  }
  return how.trusted ? 0 : check_lazy_view(lent->framework, lent->tensor.dtype, tensor);
}

}  // namespace tvm_ffi_core
