// SPDX-License-Identifier: Apache-2.0
// Packs Python values as arguments and as callback results.
#ifndef TVM_FFI_PYTHON_CORE_ARGS_H_
#define TVM_FFI_PYTHON_CORE_ARGS_H_

#include "lending/frame.h"
#include "lending/packer.h"

namespace tvm_ffi_core {

// Packs the values that the C ABI stores inline: None, bools, floats, 64-bit integers. False,
// without a Python error, for any other.
inline bool pack_plain(PyObject* value, TVMFFIAny* out) {
  PyTypeObject* type = Py_TYPE(value);
  if (type == &PyLong_Type) {
    int overflow = 0;
    out->v_int64 = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (overflow != 0) return false;
    out->type_index = kTVMFFIInt;
  } else if (type == &PyFloat_Type) {
    out->v_float64 = PyFloat_AS_DOUBLE(value);
    out->type_index = kTVMFFIFloat;
  } else if (value == Py_None) {
    out->v_int64 = 0;
    out->type_index = kTVMFFINone;
  } else if (type == &PyBool_Type) {
    out->v_int64 = value == Py_True;
    out->type_index = kTVMFFIBool;
  } else {
    return false;
  }
  out->zero_padding = 0;
  return true;
}

// A Python list, tuple or dict that is being packed, and the containers around it.
struct Ancestor {
  PyObject* container;
  const Ancestor* outer;
};

// Where a packed value is stored. An argument borrows from the caller; a value that is not itself
// an argument, such as a list element, owns everything it refers to.
struct Place {
  CallFrame* frame;
  TVMFFIAny* out;
  const Ancestor* inside = nullptr;
  bool owns = false;

  void take(TVMFFIObject* owned) const {
    out->type_index = owned->type_index;
    out->v_obj = owned;
    if (!owns) frame->keep(owned);
  }
  void borrow(TVMFFIObject* object) const {
    out->type_index = object->type_index;
    out->v_obj = object;
    if (owns) TVMFFIObjectIncRef(object);
  }
};

// Packs a new object; 0, or -1 with a Python error set if `owned` is NULL.
inline int pack_new(const Place& place, TVMFFIObject* owned) {
  if (owned == nullptr) return -1;
  place.take(owned);
  return 0;
}

// Packs `value`. 0, or -1 with a Python error that does not name the argument; the frame records
// the path to the element.
int pack_value(const Place& place, PyObject* value);

// Packs `value` as argument `index` of the frame's call. 0, or -1 with a Python error that names
// the function and the argument.
int pack_argument(CallFrame* frame, int index, PyObject* value);

// Packs `value` as the frame's only value; the frame is named after the field that receives it.
// 0, or -1 with a Python error that starts with that name.
int pack_field(CallFrame* frame, PyObject* value);

// Writes `value` as an owned value; `what` names the callback in messages.
int pack_owned(PyObject* what, PyObject* value, TVMFFIAny* result);

// Like pack_owned, with messages that start with "what: type: ".
int pack_unnumbered(const char* what, PyObject* value, TVMFFIAny* result);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_ARGS_H_
