// SPDX-License-Identifier: Apache-2.0
// Packs element types, devices and shapes as arguments.
#include "conversion/pack_layout.h"

#include "base/int_pair.h"
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
  nb::object answer = nb::steal(PyObject_CallOneArg(packer.helper, value));
  nb::object triple = answer.is_valid() ? nb::steal(PySequence_Tuple(answer.ptr())) : nb::object();
  if (!triple.is_valid()) return -1;
  long numbers[3];
  constexpr long kMost[] = {UINT8_MAX, UINT8_MAX, UINT16_MAX};
  bool fits = PyTuple_GET_SIZE(triple.ptr()) == 3;
  for (int i = 0; fits && i < 3; ++i) {
    int overflow = 0;
    numbers[i] = PyLong_AsLongAndOverflow(PyTuple_GET_ITEM(triple.ptr(), i), &overflow);
    if (numbers[i] == -1 && PyErr_Occurred()) return -1;
    fits = overflow == 0 && numbers[i] >= 0 && numbers[i] <= kMost[i];
  }
  if (!fits) {
    PyErr_Format(PyExc_ValueError,
                 "expected an element type with code and bits up to 255 and lanes up to 65535, "
                 "got %R",
                 triple.ptr());
    return -1;
  }
  place.out->type_index = kTVMFFIDataType;
  place.out->v_dtype = {static_cast<uint8_t>(numbers[0]), static_cast<uint8_t>(numbers[1]),
                        static_cast<uint16_t>(numbers[2])};
  return 0;
}

int pack_foreign_device(const Place& place, PyObject* value, const Packer& packer) {
  nb::object answer = nb::steal(PyObject_CallOneArg(packer.helper, value));
  IntPair pair;
  if (!answer.is_valid() ||
      read_int_pair(answer.ptr(), "expected a device with a type and an index of 32 bits each",
                    &pair) != 0) {
    return -1;
  }
  place.out->type_index = kTVMFFIDevice;
  place.out->v_device = {static_cast<DLDeviceType>(pair.first), pair.second};
  return 0;
}

}  // namespace tvm_ffi_core
