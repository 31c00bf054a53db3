// SPDX-License-Identifier: Apache-2.0
// Element types, devices and shapes as arguments.
#include "conversion/pack_layout.h"

#include "values/values.h"

namespace tvm_ffi_core {

int pack_dtype(const Place& place, PyObject* value, const Packer&) {
  place.out->type_index = kTVMFFIDataType;
  return dtype_from_python(value, &place.out->v_dtype);
}

int pack_device(const Place& place, PyObject* value, const Packer&) {
  place.out->type_index = kTVMFFIDevice;
  return device_from_python(value, &place.out->v_device);
}

int pack_shape(const Place& place, PyObject* value, const Packer&) {
  return pack_new(place, shape_from_python(value));
}

int pack_foreign_dtype(const Place& place, PyObject* value, const Packer& packer) {
  nb::object triple = nb::steal(PyObject_CallOneArg(packer.helper, value));
  int code, bits, lanes;
  if (!triple.is_valid() || !PyArg_ParseTuple(triple.ptr(), "iii", &code, &bits, &lanes)) {
    return -1;
  }
  place.out->type_index = kTVMFFIDataType;
  place.out->v_dtype = {static_cast<uint8_t>(code), static_cast<uint8_t>(bits),
                        static_cast<uint16_t>(lanes)};
  return 0;
}

int pack_foreign_device(const Place& place, PyObject* value, const Packer& packer) {
  nb::object pair = nb::steal(PyObject_CallOneArg(packer.helper, value));
  int type, id;
  if (!pair.is_valid() || !PyArg_ParseTuple(pair.ptr(), "ii", &type, &id)) return -1;
  place.out->type_index = kTVMFFIDevice;
  place.out->v_device = {static_cast<DLDeviceType>(type), id};
  return 0;
}

}  // namespace tvm_ffi_core
