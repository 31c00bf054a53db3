// SPDX-License-Identifier: Apache-2.0
// Lends a framework's tensor, if it may be lent.
#include "lending/lend.h"

#include "lending/argument_error.h"

namespace tvm_ffi_core {

void discard(LentTensor* lent) {
  nb::error_scope raised;
  if (release_lent_tensor(lent) != 0) PyErr_Clear();
}

void refuse_read_only(LentTensor* lent) {
  PyErr_SetString(PyExc_ValueError,
                  "expected a tensor that may be written, got a read-only one; if the function "
                  "only reads it, pass tvm_ffi.from_dlpack(x, allow_read_only=True)");
  discard(lent);
}

LentTensor* owned_tensor_from(PyObject* what, PyObject* value, bool allow_read_only) {
  const Packer* packer = find_packer(Py_TYPE(value));
  LentTensor* lent = nullptr;
  if (packer != nullptr) {
    if (!is_foreign_tensor(*packer)) {
      PyErr_Format(PyExc_TypeError, "%U: ext_tensor: expected an object with __dlpack__, got %s",
                   what, Py_TYPE(value)->tp_name);
      return nullptr;
    }
    Lending how;
    how.allow_read_only = allow_read_only;
    how.own = true;
    lent = lend_by(packer->kind->fill, packer->framework, value, how);
    if (lent != nullptr && own_lent_tensor(lent) != 0) {
      discard(lent);
      lent = nullptr;
    }
    if (lent != nullptr && packer->helper != nullptr) {
      Py_INCREF(value);
      lent->stream_source = value;
    }
  }
  if (lent == nullptr) name_argument(what, kUnnumbered, Py_TYPE(value), nullptr);
  return lent;
}

}  // namespace tvm_ffi_core
