// SPDX-License-Identifier: Apache-2.0
// Packs addresses as arguments: pointers and streams.
#include "conversion/pack_address.h"

namespace tvm_ffi_core {

namespace {

int pack_number(PyObject* number, TVMFFIAny* out) {
  out->type_index = kTVMFFIOpaquePtr;
  out->v_ptr = PyLong_AsVoidPtr(number);
  return PyErr_Occurred() ? -1 : 0;
}

}  // namespace

int pack_void_pointer(const Place& place, PyObject* value, const Packer&) {
  nb::object address = nb::steal(PyObject_GetAttrString(value, "value"));
  if (!address.is_valid()) return -1;
  if (!address.is_none()) return pack_number(address.ptr(), place.out);
  place.out->type_index = kTVMFFIOpaquePtr;
  return 0;
}

int pack_address(const Place& place, PyObject* value, const Packer& packer) {
  nb::object address = nb::steal(PyObject_CallOneArg(packer.helper, value));
  return address.is_valid() ? pack_number(address.ptr(), place.out) : -1;
}

int pack_stream(const Place& place, PyObject* value, const Packer& packer) {
  nb::object pair = nb::steal(PyObject_CallOneArg(packer.helper, value));
  PyObject* address;
  int version;
  if (!pair.is_valid() || !PyArg_ParseTuple(pair.ptr(), "iO", &version, &address)) return -1;
  return pack_number(address, place.out);
}

}  // namespace tvm_ffi_core
