// SPDX-License-Identifier: Apache-2.0
// Creates a numpy.ndarray over a tvm_ffi.Tensor through NumPy's C API table.
//
// The table and its slots are NumPy's public binary interface; the adapter passes the table in, so
// that this file neither imports NumPy nor is compiled against it.
#include "tensors/ndarray_consumer.h"

#include <cstring>
#include <unordered_map>

#include "objects/object.h"
#include "tensors/tensor.h"

namespace tvm_ffi_core {

namespace {

using NewFromDescr = PyObject* (*)(PyTypeObject* type, PyObject* descr, int ndim,
                                   const intptr_t* dims, const intptr_t* strides, void* data,
                                   int flags, PyObject* object);
using SetBaseObject = int (*)(PyObject* array, PyObject* base);

constexpr size_t kArrayTypeSlot = 2, kNewFromDescrSlot = 94, kSetBaseObjectSlot = 282;
constexpr int kWriteable = 0x0400;
constexpr int kMaxDims = 64;

// Set by the adapter: the table, and the function that returns the numpy.dtype for (code, bits,
// lanes), or None.
void** numpy_table = nullptr;
PyObject* find_descr = nullptr;

// A borrowed numpy.dtype or None; NULL with a Python error set.
PyObject* descr_of(DLDataType dtype) {
  static auto* cache = new std::unordered_map<uint32_t, PyObject*>();
  uint32_t packed;
  std::memcpy(&packed, &dtype, sizeof(packed));
  auto found = cache->find(packed);
  if (found != cache->end()) return found->second;
  PyObject* descr = PyObject_CallFunction(find_descr, "iii", dtype.code, dtype.bits, dtype.lanes);
  if (descr != nullptr) cache->emplace(packed, descr);
  return descr;
}

// The array, or the tensor itself if NumPy does not support its device or element type.
PyObject* ndarray_from_tensor(PyObject*, PyObject* tensor) {
  if (numpy_table == nullptr || !PyObject_TypeCheck(tensor, tensor_type)) {
    PyErr_Format(PyExc_TypeError, "ndarray_from_tensor: expected a tvm_ffi.Tensor, got %s",
                 Py_TYPE(tensor)->tp_name);
    return nullptr;
  }
  if (!has_tensor(tensor)) return nullptr;
  const auto* view = contents<DLTensor>(handle_of(tensor));
  PyObject* descr = nullptr;
  if (view->device.device_type == kDLCPU && view->ndim <= kMaxDims) {
    descr = descr_of(view->dtype);
    if (descr == nullptr) return nullptr;
  }
  if (descr == nullptr || descr == Py_None) {
    Py_INCREF(tensor);
    return tensor;
  }
  intptr_t dims[kMaxDims], strides[kMaxDims];
  intptr_t itemsize = view->dtype.bits / 8 * view->dtype.lanes, compact = itemsize;
  for (int i = view->ndim; i-- > 0;) {
    dims[i] = view->shape[i];
    strides[i] = view->strides != nullptr ? view->strides[i] * itemsize : compact;
    compact *= dims[i];
  }
  auto* type = static_cast<PyTypeObject*>(numpy_table[kArrayTypeSlot]);
  auto make = reinterpret_cast<NewFromDescr>(numpy_table[kNewFromDescrSlot]);
  auto set_base = reinterpret_cast<SetBaseObject>(numpy_table[kSetBaseObjectSlot]);
  void* data = view->data == nullptr ? nullptr : static_cast<char*>(view->data) + view->byte_offset;
  int flags = is_read_only(handle_of(tensor)) ? 0 : kWriteable;
  Py_INCREF(descr);  // stolen
  PyObject* array = make(type, descr, view->ndim, dims, data == nullptr ? nullptr : strides, data,
                         flags, nullptr);
  // An empty tensor may have no memory: NumPy allocated some, which the array owns.
  if (array == nullptr || data == nullptr) return array;
  Py_INCREF(tensor);  // stolen, even on failure
  if (set_base(array, tensor) != 0) Py_CLEAR(array);
  return array;
}

PyMethodDef functions[] = {{"ndarray_from_tensor", ndarray_from_tensor, METH_O, nullptr},
                           {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool is_ndarray(PyTypeObject* type) {
  return numpy_table != nullptr &&
         PyType_IsSubtype(type, static_cast<PyTypeObject*>(numpy_table[kArrayTypeSlot]));
}

void bind_ndarray_consumer(nb::module_& module) {
  if (PyModule_AddFunctions(module.ptr(), functions) != 0) throw nb::python_error();
  module.def(
      "set_numpy_table",
      [](nb::object capsule, nb::object find) {
        numpy_table = static_cast<void**>(PyCapsule_GetPointer(capsule.ptr(), nullptr));
        if (numpy_table == nullptr) throw nb::python_error();
        find_descr = find.release().ptr();
      },
      nb::arg("capsule"), nb::arg("find_dtype"));
}

}  // namespace tvm_ffi_core
