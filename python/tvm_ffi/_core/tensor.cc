// SPDX-License-Identifier: Apache-2.0
// The Python type tvm_ffi.Tensor, and from_dlpack.
#include "tensor.h"

#include <cstring>

#include "args.h"
#include "error.h"
#include "lent_tensor.h"
#include "values.h"

namespace tvm_ffi_core {

PyTypeObject* tensor_type = nullptr;

namespace {

const DLTensor* layout(PyObject* self) { return contents<DLTensor>(handle_of(self)); }

int64_t numel_of(const DLTensor* tensor) {
  int64_t numel = 1;
  for (int i = 0; i < tensor->ndim; ++i) numel *= tensor->shape[i];
  return numel;
}

bool is_contiguous(const DLTensor* tensor) {
  if (tensor->strides == nullptr || numel_of(tensor) == 0) return true;
  int64_t expected = 1;
  for (int i = tensor->ndim; i-- > 0;) {
    // The stride of a dimension with one element is never used.
    if (tensor->shape[i] != 1 && tensor->strides[i] != expected) return false;
    expected *= tensor->shape[i];
  }
  return true;
}

uintptr_t address_of(const DLTensor* tensor) {
  return reinterpret_cast<uintptr_t>(tensor->data) + tensor->byte_offset;
}

PyObject* shape(PyObject* self, void*) {
  const DLTensor* tensor = layout(self);
  return shape_to_python(tensor->shape, static_cast<size_t>(tensor->ndim));
}

PyObject* strides(PyObject* self, void*) {
  const DLTensor* tensor = layout(self);
  if (tensor->strides != nullptr || tensor->ndim == 0) {
    return shape_to_python(tensor->strides, static_cast<size_t>(tensor->ndim));
  }
  nb::object result = nb::steal(PyTuple_New(tensor->ndim));
  if (!result.is_valid()) return nullptr;
  int64_t stride = 1;
  for (int i = tensor->ndim; i-- > 0; stride *= tensor->shape[i]) {
    PyTuple_SET_ITEM(result.ptr(), i, PyLong_FromLongLong(stride));
  }
  return PyObject_CallOneArg(reinterpret_cast<PyObject*>(shape_class), result.ptr());
}

PyObject* dtype(PyObject* self, void*) { return dtype_to_python(layout(self)->dtype); }

PyObject* device(PyObject* self, void*) { return device_to_python(layout(self)->device); }

PyObject* ndim(PyObject* self, void*) { return PyLong_FromLong(layout(self)->ndim); }

PyObject* read_only(PyObject* self, void*) {
  return PyBool_FromLong(reinterpret_cast<TensorInstance*>(self)->read_only);
}

PyObject* numel(PyObject* self, PyObject*) { return PyLong_FromLongLong(numel_of(layout(self))); }

PyObject* data_ptr(PyObject* self, PyObject*) {
  return PyLong_FromUnsignedLongLong(address_of(layout(self)));
}

PyObject* contiguous(PyObject* self, PyObject*) { return PyBool_FromLong(is_contiguous(layout(self))); }

PyObject* dlpack_device(PyObject* self, PyObject*) {
  DLDevice device = layout(self)->device;
  return Py_BuildValue("(ii)", static_cast<int>(device.device_type), device.device_id);
}

void delete_capsule(PyObject* capsule) {
  if (!PyCapsule_IsValid(capsule, "dltensor")) return;
  auto* managed = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule, "dltensor"));
  if (managed->deleter != nullptr) managed->deleter(managed);
}

void delete_versioned_capsule(PyObject* capsule) {
  if (!PyCapsule_IsValid(capsule, "dltensor_versioned")) return;
  auto* managed = static_cast<DLManagedTensorVersioned*>(
      PyCapsule_GetPointer(capsule, "dltensor_versioned"));
  if (managed->deleter != nullptr) managed->deleter(managed);
}

// `None`, or the tensor's own device; -1 with a BufferError otherwise.
int check_device(PyObject* self, PyObject* wanted) {
  if (wanted == Py_None) return 0;
  nb::object pair = nb::steal(PySequence_Tuple(wanted));
  int type, id;
  if (!pair.is_valid() ||
      !PyArg_ParseTuple(pair.ptr(), "ii;dl_device must be (device type, device id)", &type, &id)) {
    return -1;
  }
  DLDevice device = layout(self)->device;
  if (type == static_cast<int>(device.device_type) && id == device.device_id) return 0;
  PyErr_Format(PyExc_BufferError,
               "Tensor.__dlpack__: dl_device: expected (%d, %d), where the tensor is, got (%d, %d)",
               static_cast<int>(device.device_type), device.device_id, type, id);
  return -1;
}

PyObject* dlpack(PyObject* self, PyObject* args, PyObject* keywords) {
  static const char* names[] = {"stream", "max_version", "dl_device", "copy", nullptr};
  PyObject *stream = Py_None, *max_version = Py_None, *dl_device = Py_None, *copy = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "|$OOOO:__dlpack__", const_cast<char**>(names),
                                   &stream, &max_version, &dl_device, &copy)) {
    return nullptr;
  }
  if (check_device(self, dl_device) != 0) return nullptr;
  if (copy == Py_True) {
    PyErr_SetString(PyExc_BufferError, "Tensor.__dlpack__: copy: expected None or False, got True");
    return nullptr;
  }
  int major = 0, minor = 0;
  if (max_version != Py_None) {
    nb::object pair = nb::steal(PySequence_Tuple(max_version));
    if (!pair.is_valid() ||
        !PyArg_ParseTuple(pair.ptr(), "ii;max_version must be (major, minor)", &major, &minor)) {
      return nullptr;
    }
  }
  bool is_read_only = reinterpret_cast<TensorInstance*>(self)->read_only;
  int code;
  if (major >= 1) {
    DLManagedTensorVersioned* managed = nullptr;
    code = TVMFFITensorToDLPackVersioned(handle_of(self), &managed);
    if (code == 0) {
      if (is_read_only) managed->flags |= DLPACK_FLAG_BITMASK_READ_ONLY;
      PyObject* capsule = PyCapsule_New(managed, "dltensor_versioned", delete_versioned_capsule);
      if (capsule == nullptr) managed->deleter(managed);
      return capsule;
    }
  } else {
    if (is_read_only) {
      PyErr_SetString(PyExc_BufferError,
                      "Tensor.__dlpack__: max_version: expected (1, 0) or newer, which can say that "
                      "the tensor is read-only, got an older one");
      return nullptr;
    }
    DLManagedTensor* managed = nullptr;
    code = TVMFFITensorToDLPack(handle_of(self), &managed);
    if (code == 0) {
      PyObject* capsule = PyCapsule_New(managed, "dltensor", delete_capsule);
      if (capsule == nullptr) managed->deleter(managed);
      return capsule;
    }
  }
  set_python_error(code);
  return nullptr;
}

PyObject* repr(PyObject* self) {
  nb::object extents = nb::steal(shape(self, nullptr)), type = nb::steal(dtype(self, nullptr)),
             place = nb::steal(device(self, nullptr));
  if (!extents.is_valid() || !type.is_valid() || !place.is_valid()) return nullptr;
  nb::object dims = nb::steal(PySequence_Tuple(extents.ptr()));
  nb::object dims_text = nb::steal(PyTuple_Type.tp_repr(extents.ptr()));
  if (!dims_text.is_valid()) return nullptr;
  return PyUnicode_FromFormat("tvm_ffi.Tensor(shape=%U, dtype='%S', device='%S')", dims_text.ptr(),
                              type.ptr(), place.ptr());
}

PyGetSetDef properties[] = {
    {"shape", shape, nullptr, "Extent of each dimension, a :class:`tvm_ffi.Shape`.", nullptr},
    {"strides", strides, nullptr, "Step of each dimension, in elements.", nullptr},
    {"dtype", dtype, nullptr, "Element type, a :class:`tvm_ffi.dtype`.", nullptr},
    {"device", device, nullptr, "Device that holds the elements, a :class:`tvm_ffi.Device`.", nullptr},
    {"ndim", ndim, nullptr, "Number of dimensions.", nullptr},
    {"read_only", read_only, nullptr, "Whether the producer forbids writing.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMethodDef methods[] = {
    {"numel", numel, METH_NOARGS, "numel($self, /)\n--\n\nNumber of elements."},
    {"data_ptr", data_ptr, METH_NOARGS,
     "data_ptr($self, /)\n--\n\nAddress of the first element, as an int."},
    {"is_contiguous", contiguous, METH_NOARGS,
     "is_contiguous($self, /)\n--\n\nTell whether the elements lie compact and row-major."},
    {"__dlpack__", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(dlpack)),
     METH_VARARGS | METH_KEYWORDS,
     "__dlpack__($self, /, *, stream=None, max_version=None, dl_device=None, copy=None)\n--\n\n"
     "Export the tensor without a copy.\n\n"
     "No stream is waited for: order the work on the device before handing the tensor on.\n"
     "``BufferError`` is raised for a copy, for another device, and for a read-only tensor if\n"
     "``max_version`` is older than 1.0."},
    {"__dlpack_device__", dlpack_device, METH_NOARGS,
     "__dlpack_device__($self, /)\n--\n\nDevice type and device id."},
    {nullptr, nullptr, 0, nullptr}};

PyType_Slot slots[] = {
    {Py_tp_doc,
     const_cast<char*>("A tensor that is counted by reference.\n\n"
                       "It comes from :func:`tvm_ffi.from_dlpack` or from a function that returns\n"
                       "one, and can be handed to every framework that reads DLPack.")},
    {Py_tp_repr, reinterpret_cast<void*>(repr)},
    {Py_tp_getset, properties},
    {Py_tp_methods, methods},
    {0, nullptr}};

PyType_Spec spec = {"tvm_ffi.Tensor", sizeof(TensorInstance), 0, Py_TPFLAGS_DEFAULT, slots};

// Text of a tensor's layout, for messages.
nb::object strides_text(const LentTensor* lent) {
  nb::object value = nb::steal(
      shape_to_python(lent->tensor.strides, static_cast<size_t>(lent->tensor.ndim)));
  if (!value.is_valid()) throw nb::python_error();
  return nb::steal(PyTuple_Type.tp_repr(value.ptr()));
}

// Releases the tensor unless it was handed on.
struct LentOwner {
  LentTensor* lent;
  ~LentOwner() {
    if (lent != nullptr) TVMFFIObjectDecRef(&lent->head);
  }
};

nb::object from_dlpack(nb::object tensor, int64_t require_alignment, bool require_contiguous,
                       bool allow_read_only) {
  if (require_alignment < 0) {
    PyErr_Format(PyExc_ValueError, "from_dlpack: require_alignment: expected 0 or more bytes, got %lld",
                 static_cast<long long>(require_alignment));
    throw nb::python_error();
  }
  if (Py_TYPE(tensor.ptr()) == tensor_type) return tensor;
  nb::str name("from_dlpack");
  bool read_only = false;
  const Framework* framework = nullptr;
  LentOwner owner{
      owned_tensor_from(name.ptr(), tensor.ptr(), allow_read_only, &read_only, &framework)};
  if (owner.lent == nullptr) throw nb::python_error();
  if (require_contiguous && !is_contiguous(&owner.lent->tensor)) {
    PyErr_Format(PyExc_ValueError,
                 "from_dlpack: require_contiguous: expected a compact row-major tensor, got strides %S",
                 strides_text(owner.lent).ptr());
    throw nb::python_error();
  }
  if (require_alignment > 0 && address_of(&owner.lent->tensor) % static_cast<uintptr_t>(require_alignment) != 0) {
    PyErr_Format(PyExc_ValueError,
                 "from_dlpack: require_alignment: expected an address that is a multiple of %lld, got %p",
                 static_cast<long long>(require_alignment),
                 reinterpret_cast<void*>(address_of(&owner.lent->tensor)));
    throw nb::python_error();
  }
  PyObject* instance = make_instance(tensor_type, &std::exchange(owner.lent, nullptr)->head);
  if (instance == nullptr) throw nb::python_error();
  reinterpret_cast<TensorInstance*>(instance)->framework = framework;
  reinterpret_cast<TensorInstance*>(instance)->read_only = read_only;
  return nb::steal(instance);
}

// The same elements under another dtype of the same size.
nb::object reinterpret_tensor(nb::handle source, nb::object dtype_value) {
  if (Py_TYPE(source.ptr()) != tensor_type) throw nb::type_error("expected a tvm_ffi.Tensor");
  DLTensor view = *layout(source.ptr());
  DLDataType wanted;
  if (dtype_from_python(dtype_value.ptr(), &wanted) != 0) throw nb::python_error();
  if (wanted.bits * wanted.lanes != view.dtype.bits * view.dtype.lanes) {
    throw nb::value_error("reinterpret: dtype: expected one of the same size");
  }
  view.dtype = wanted;
  TVMFFIObjectHandle handle = nullptr;
  check(TVMFFITensorCreateUnsafeView(handle_of(source.ptr()), &view, &handle));
  PyObject* instance = make_instance(tensor_type, static_cast<TVMFFIObject*>(handle));
  if (instance == nullptr) throw nb::python_error();
  return nb::steal(instance);
}

}  // namespace

void bind_tensor(nb::module_& module) {
  tensor_type = make_type(module, &spec, object_type);
  register_object_class(kTVMFFITensor, tensor_type);
  if (PyObject_SetAttrString(reinterpret_cast<PyObject*>(tensor_type), "__dlpack_c_exchange_api__",
                             make_exchange_capsule().ptr()) != 0) {
    throw nb::python_error();
  }
  module.def("from_dlpack", &from_dlpack, nb::arg("tensor"), nb::arg("require_alignment"),
             nb::arg("require_contiguous"), nb::arg("allow_read_only"),
             nb::sig("def from_dlpack(tensor: object, require_alignment: int, "
                     "require_contiguous: bool, allow_read_only: bool) -> Tensor"));
  module.def("reinterpret", &reinterpret_tensor, nb::arg("tensor"), nb::arg("dtype"));
}

}  // namespace tvm_ffi_core
