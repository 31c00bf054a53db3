// SPDX-License-Identifier: Apache-2.0
// The Python classes of element types, devices and shapes, and their values in the C ABI.
#include "values/values.h"

#include <cstdlib>
#include <cstring>
#include <unordered_map>

#include "base/error.h"

namespace tvm_ffi_core {

PyTypeObject* dtype_class = nullptr;
PyTypeObject* device_class = nullptr;
PyTypeObject* shape_class = nullptr;

namespace {

// The attribute of tvm_ffi.dtype and tvm_ffi.Device that holds the value as one integer.
PyObject* packed_name() {
  static PyObject* name = PyUnicode_InternFromString("_packed");
  return name;
}

using Cache = std::unordered_map<uint64_t, PyObject*>;

Cache& cached_devices() {
  static auto* cache = new Cache();
  return *cache;
}

// How often the class of the devices that functions return has changed.
uint64_t device_class_changes = 0;

// Created once per value and cached: a program has few.
PyObject* cached(Cache& cache, uint64_t packed, PyTypeObject* type) {
  auto found = cache.find(packed);
  if (found != cache.end()) {
    Py_INCREF(found->second);
    return found->second;
  }
  uint64_t changes = device_class_changes;
  PyObject* value = PyObject_CallMethod(reinterpret_cast<PyObject*>(type), "_from_packed", "K",
                                        static_cast<unsigned long long>(packed));
  if (value == nullptr) return nullptr;
  // Other code may have run meanwhile: it may have cached the value, or changed the class.
  if (changes == device_class_changes && cache.emplace(packed, value).second) Py_INCREF(value);
  return value;
}

int packed_from_python(PyObject* value, uint64_t* packed) {
  nb::object number = nb::steal(PyObject_GetAttr(value, packed_name()));
  if (!number.is_valid()) return -1;
  *packed = PyLong_AsUnsignedLongLongMask(number.ptr());
  return PyErr_Occurred() ? -1 : 0;
}

struct ShapeObject {
  TVMFFIObjectAllocHeader allocation;
  TVMFFIObject head;
  TVMFFIShapeCell cell;
};

void delete_shape_space(void* head) {
  std::free(static_cast<char*>(head) - offsetof(ShapeObject, head));
}

}  // namespace

PyObject* dtype_to_python(DLDataType dtype) {
  static auto* cache = new Cache();
  uint32_t packed;
  static_assert(sizeof(packed) == sizeof(dtype));
  std::memcpy(&packed, &dtype, sizeof(packed));
  return cached(*cache, packed, dtype_class);
}

int dtype_from_python(PyObject* value, DLDataType* dtype) {
  uint64_t packed;
  if (packed_from_python(value, &packed) != 0) return -1;
  uint32_t low = static_cast<uint32_t>(packed);
  std::memcpy(dtype, &low, sizeof(low));
  return 0;
}

PyObject* device_to_python(DLDevice device) {
  uint64_t packed;
  static_assert(sizeof(packed) == sizeof(device));
  std::memcpy(&packed, &device, sizeof(packed));
  return cached(cached_devices(), packed, device_class);
}

int device_from_python(PyObject* value, DLDevice* device) {
  uint64_t packed;
  if (packed_from_python(value, &packed) != 0) return -1;
  std::memcpy(device, &packed, sizeof(packed));
  return 0;
}

PyObject* shape_to_python(const int64_t* data, size_t size) {
  nb::object tuple = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(size)));
  if (!tuple.is_valid()) return nullptr;
  for (size_t i = 0; i < size; ++i) {
    PyObject* extent = PyLong_FromLongLong(data[i]);
    if (extent == nullptr) return nullptr;
    PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(i), extent);
  }
  nb::object arguments = nb::steal(PyTuple_Pack(1, tuple.ptr()));
  if (!arguments.is_valid()) return nullptr;
  // Shape's own constructor checks its arguments; these are already integers.
  return PyTuple_Type.tp_new(shape_class, arguments.ptr(), nullptr);
}

TVMFFIObject* shape_from_python(PyObject* tuple) {
  size_t size = static_cast<size_t>(PyTuple_GET_SIZE(tuple));
  auto* shape =
      static_cast<ShapeObject*>(std::malloc(sizeof(ShapeObject) + size * sizeof(int64_t)));
  if (shape == nullptr) {
    PyErr_NoMemory();
    return nullptr;
  }
  auto* extents = reinterpret_cast<int64_t*>(shape + 1);
  for (size_t i = 0; i < size; ++i) {
    extents[i] = PyLong_AsLongLong(PyTuple_GET_ITEM(tuple, static_cast<Py_ssize_t>(i)));
    if (extents[i] == -1 && PyErr_Occurred()) {
      std::free(shape);
      return nullptr;
    }
  }
  shape->allocation.delete_space = delete_shape_space;
  shape->head = {};
  shape->head.combined_ref_count = kSoleReference;
  shape->head.type_index = kTVMFFIShape;
  shape->head.deleter = [](void* head, int flags) {
    if (flags & kTVMFFIObjectDeleterFlagBitMaskWeak) delete_shape_space(head);
  };
  shape->cell = {extents, size};
  return &shape->head;
}

void bind_values(nb::module_& module) {
  module.def(
      "set_value_classes",
      [](nb::type_object dtype, nb::type_object device, nb::type_object shape) {
        dtype_class = reinterpret_cast<PyTypeObject*>(dtype.release().ptr());
        device_class = reinterpret_cast<PyTypeObject*>(device.release().ptr());
        shape_class = reinterpret_cast<PyTypeObject*>(shape.release().ptr());
      },
      nb::arg("dtype"), nb::arg("device"), nb::arg("shape"));
  module.def("forget_devices", [] {
    ++device_class_changes;
    Cache earlier;
    earlier.swap(cached_devices());
    for (const auto& [packed, device] : earlier) Py_DECREF(device);
  });
  module.def(
      "parse_dtype",
      [](nb::str text) {
        Py_ssize_t size = 0;
        const char* data = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
        if (data == nullptr) throw nb::python_error();
        TVMFFIByteArray bytes{data, static_cast<size_t>(size)};
        DLDataType dtype{};
        check(TVMFFIDataTypeFromString(&bytes, &dtype));
        return nb::make_tuple(dtype.code, dtype.bits, dtype.lanes);
      },
      nb::arg("text"));
  module.def(
      "format_dtype",
      [](uint8_t code, uint8_t bits, uint16_t lanes) {
        DLDataType dtype{code, bits, lanes};
        TVMFFIAny text;
        clear(&text);
        check(TVMFFIDataTypeToString(&dtype, &text));
        if (text.type_index == kTVMFFISmallStr) {
          return nb::str(text.v_bytes, text.small_str_len);
        }
        ObjectRef owner(text.v_obj);
        const auto* bytes = contents<TVMFFIByteArray>(owner.get());
        return nb::str(bytes->data, bytes->size);
      },
      nb::arg("code"), nb::arg("bits"), nb::arg("lanes"));
}

}  // namespace tvm_ffi_core
