// SPDX-License-Identifier: Apache-2.0
// Fills a lent tensor through the DLPack table of its type.
#include "lending/exchange_producer.h"

namespace tvm_ffi_core {

int fill_from_managed(LentTensor* lent, PyObject* tensor) {
  DLManagedTensorVersioned* managed = nullptr;
  if (lent->framework->exchange->managed_tensor_from_py_object_no_sync(tensor, &managed) != 0) {
    return -1;
  }
  lent->owner = managed;
  lent->owner_kind = Owner::kManagedVersioned;
  lent->read_only = (managed->flags & DLPACK_FLAG_BITMASK_READ_ONLY) != 0;
  lent->tensor = managed->dl_tensor;
  return 0;
}

}  // namespace tvm_ffi_core
