// SPDX-License-Identifier: Apache-2.0
// Finds an owner for a view that C code lends to a callback.
#include "lending/bare_view.h"

#include "lending/frame.h"

namespace tvm_ffi_core {

bool find_owner(LentTensor* lent) {
  if (!is_bare_view(lent)) return true;
  TVMFFIObject* holder = argument_that_holds(lent->tensor);
  if (holder == nullptr) return false;
  TVMFFIObjectIncRef(holder);
  lent->owner = holder;
  lent->owner_kind = Owner::kTensorObject;
  return true;
}

void refuse_bare_view() {
  PyErr_SetString(PyExc_BufferError,
                  "expected a tensor whose memory belongs to an argument of the call, got a view "
                  "of other memory, which nothing keeps alive after the callback; the calling "
                  "function must pass a Tensor");
}

int own_bare_view(LentTensor* lent) {
  if (find_owner(lent)) return 0;
  refuse_bare_view();
  return -1;
}

}  // namespace tvm_ffi_core
