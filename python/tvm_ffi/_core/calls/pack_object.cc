// SPDX-License-Identifier: Apache-2.0
// Packs objects as arguments: libtvm_ffi objects and any Python object.
#include "calls/pack_object.h"

#include "base/error.h"
#include "calls/callback.h"
#include "objects/carried_object.h"
#include "objects/function_instance.h"

namespace tvm_ffi_core {

int pack_object(const Place& place, PyObject* value, const Packer&) {
  if (handle_of(value) == nullptr) {
    PyErr_SetString(
        PyExc_ValueError,
        "expected an object, got an instance that holds none: its __init__ did not create one");
    return -1;
  }
  place.borrow(handle_of(value));
  if (!place.owns && PyObject_TypeCheck(value, function_type)) {
    ObjectRef shared = share_callable(value);
    if (shared.get() != nullptr) place.frame->keep(shared.release());
  }
  return 0;
}

int pack_exception(const Place& place, PyObject* value, const Packer&) {
  return pack_new(place, error_from_exception(value));
}

int pack_callable(const Place& place, PyObject* value, const Packer&) {
  return pack_new(place, function_from_callable(value));
}

int pack_opaque(const Place& place, PyObject* value, const Packer&) {
  return pack_new(place, make_carried_object(value));
}

// Packs the value returned by the object's method; only the frame keeps it alive during the call.
int pack_stand_in(const Place& place, PyObject* value, const Packer& packer) {
  nb::object stand_in = nb::steal(PyObject_CallOneArg(packer.helper, value));
  if (!stand_in.is_valid()) return -1;
  if (Py_EnterRecursiveCall(" while a value is converted")) return -1;
  Place owning = place;
  owning.owns = true;
  int code = pack_value(owning, stand_in.ptr());
  Py_LeaveRecursiveCall();
  if (code == 0 && !place.owns && place.out->type_index >= kTVMFFIStaticObjectBegin) {
    place.frame->keep(place.out->v_obj);
  }
  return code;
}

int pack_refused(const Place&, PyObject*, const Packer& packer) {
  PyErr_SetObject(PyExc_TypeError, packer.helper);
  return -1;
}

int pack_set(const Place&, PyObject*, const Packer& packer) {
  PyErr_Format(PyExc_TypeError,
               "expected a single value, a list, a tuple or a dict, got a %s; pass list(x)",
               packer.type->tp_name);
  return -1;
}

}  // namespace tvm_ffi_core
