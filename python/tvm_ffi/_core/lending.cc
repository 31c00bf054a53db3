// SPDX-License-Identifier: Apache-2.0
// Lends a framework's tensor, if it may be lent.
#include "lending.h"

#include "lazy_view.h"
#include "producer.h"

namespace tvm_ffi_core {

void discard(LentTensor* lent) {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  if (release_lent_tensor(lent) != 0) PyErr_Clear();
  PyErr_Restore(type, value, traceback);
}

LentTensor* lend(const Converter& converter, PyObject* value, Lending how) {
  LentTensor* lent = acquire_lent_tensor(converter.framework);
  if (lent == nullptr) return nullptr;
  int code;
  switch (converter.kind) {
    case Kind::kExchange:
      code = fill_from_exchange(lent, value, how.own);
      if (code == 0 && !how.trusted) {
        code = check_lazy_view(converter.framework, lent->tensor.dtype, value);
      }
      break;
    case Kind::kNdarray:
      code = fill_from_ndarray(lent, value);
      break;
    default:
      code = fill_from_dlpack(lent, value);
      break;
  }
  if (code == 0 && lent->read_only && !how.allow_read_only) {
    PyErr_SetString(PyExc_ValueError,
                    "expected a tensor that may be written, got a read-only one; if the function "
                    "only reads it, pass tvm_ffi.from_dlpack(x, allow_read_only=True)");
    code = -1;
  }
  if (code != 0) {
    discard(lent);
    return nullptr;
  }
  return lent;
}

}  // namespace tvm_ffi_core
