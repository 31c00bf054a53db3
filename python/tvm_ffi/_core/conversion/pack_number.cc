// SPDX-License-Identifier: Apache-2.0
// Packs numbers as arguments.
#include "conversion/pack_number.h"

#include "base/error.h"

namespace tvm_ffi_core {

namespace {

// An integer beyond 64 bits.
int pack_wide_int(const Place& place, PyObject* value) {
  auto* type = reinterpret_cast<PyObject*>(&PyLong_Type);  // a subclass may override methods
  nb::object length_in_bits = nb::steal(PyObject_CallMethod(type, "bit_length", "O", value));
  size_t bits = length_in_bits.is_valid() ? PyLong_AsSize_t(length_in_bits.ptr()) : 0;
  if (PyErr_Occurred()) return -1;
  // One extra bit for the sign, in whole words, as the published runtime requires.
  nb::object length = nb::steal(PyLong_FromSize_t((bits / 64 + 1) * 8));
  nb::object arguments = nb::steal(Py_BuildValue("(OOs)", value, length.ptr(), "little"));
  nb::object options = nb::steal(Py_BuildValue("{s:O}", "signed", Py_True));
  nb::object to_bytes = nb::steal(PyObject_GetAttrString(type, "to_bytes"));
  if (!arguments.is_valid() || !options.is_valid() || !to_bytes.is_valid()) return -1;
  nb::object bytes = nb::steal(PyObject_Call(to_bytes.ptr(), arguments.ptr(), options.ptr()));
  if (!bytes.is_valid()) return -1;
  TVMFFIByteArray content{PyBytes_AS_STRING(bytes.ptr()),
                          static_cast<size_t>(PyBytes_GET_SIZE(bytes.ptr()))};
  int code = TVMFFIBigIntFromByteArray(&content, place.out);
  if (code != 0) {
    set_python_error(code);
    return -1;
  }
  if (place.out->type_index >= kTVMFFIStaticObjectBegin) place.take(place.out->v_obj);
  return 0;
}

}  // namespace

int pack_foreign_bool(const Place& place, PyObject* value, const Packer&) {
  int truth = PyObject_IsTrue(value);
  if (truth < 0) return -1;
  place.out->type_index = kTVMFFIBool;
  place.out->v_int64 = truth;
  return 0;
}

int pack_int(const Place& place, PyObject* value, const Packer&) {
  int overflow = 0;
  long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
  if (overflow != 0) return pack_wide_int(place, value);
  if (number == -1 && PyErr_Occurred()) return -1;
  place.out->type_index = kTVMFFIInt;
  place.out->v_int64 = number;
  return 0;
}

int pack_index(const Place& place, PyObject* value, const Packer& packer) {
  nb::object number = nb::steal(PyNumber_Index(value));
  return number.is_valid() ? pack_int(place, number.ptr(), packer) : -1;
}

int pack_float(const Place& place, PyObject* value, const Packer&) {
  place.out->type_index = kTVMFFIFloat;
  place.out->v_float64 = PyFloat_AS_DOUBLE(value);
  return 0;
}

int pack_real(const Place& place, PyObject* value, const Packer&) {
  double number = PyFloat_AsDouble(value);
  if (number == -1.0 && PyErr_Occurred()) return -1;
  place.out->type_index = kTVMFFIFloat;
  place.out->v_float64 = number;
  return 0;
}

}  // namespace tvm_ffi_core
