// SPDX-License-Identifier: Apache-2.0
// The Python type tvm_ffi.Tensor, and from_dlpack.
#include "tensors/tensor.h"

#include <tvm/ffi/container/tensor.h>

#include <cstring>
#include <optional>

#include "base/error.h"
#include "base/int_pair.h"
#include "base/runtime_function.h"
#include "lending/bare_view.h"
#include "lending/dlpack_producer.h"
#include "lending/lend.h"
#include "objects/own_layout.h"
#include "tensors/tensor_copy.h"
#include "values/values.h"

namespace tvm_ffi_core {

PyTypeObject* tensor_type = nullptr;

namespace {

// NULL with a Python error set for an instance without a tensor.
const DLTensor* layout(PyObject* self) {
  return has_tensor(self) ? contents<DLTensor>(handle_of(self)) : nullptr;
}

uintptr_t address_of(const DLTensor* tensor) {
  return reinterpret_cast<uintptr_t>(tensor->data) + tensor->byte_offset;
}

PyObject* shape(PyObject* self, void*) {
  const DLTensor* tensor = layout(self);
  if (tensor == nullptr) return nullptr;
  return shape_to_python(tensor->shape, static_cast<size_t>(tensor->ndim));
}

PyObject* strides(PyObject* self, void*) {
  const DLTensor* tensor = layout(self);
  if (tensor == nullptr) return nullptr;
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

PyObject* dtype(PyObject* self, void*) {
  const DLTensor* tensor = layout(self);
  return tensor == nullptr ? nullptr : dtype_to_python(tensor->dtype);
}

PyObject* device(PyObject* self, void*) {
  const DLTensor* tensor = layout(self);
  return tensor == nullptr ? nullptr : device_to_python(tensor->device);
}

PyObject* ndim(PyObject* self, void*) {
  const DLTensor* tensor = layout(self);
  return tensor == nullptr ? nullptr : PyLong_FromLong(tensor->ndim);
}

PyObject* read_only(PyObject* self, void*) {
  return has_tensor(self) ? PyBool_FromLong(is_read_only(handle_of(self))) : nullptr;
}

PyObject* size(PyObject* self, PyObject* index) {
  const DLTensor* tensor = layout(self);
  if (tensor == nullptr) return nullptr;
  if (!PyIndex_Check(index)) {
    PyErr_Format(PyExc_TypeError, "Tensor.size: idx: expected an integer, got %s",
                 Py_TYPE(index)->tp_name);
    return nullptr;
  }
  Py_ssize_t i = PyNumber_AsSsize_t(index, nullptr);  // Too large ones are clamped.
  if (i == -1 && PyErr_Occurred()) return nullptr;
  if (tensor->ndim == 0) {
    PyErr_Format(PyExc_IndexError,
                 "Tensor.size: idx: expected none, since the tensor is 0-dimensional, got %R",
                 index);
    return nullptr;
  }
  if (i < -tensor->ndim || i >= tensor->ndim) {
    PyErr_Format(PyExc_IndexError, "Tensor.size: idx: expected %d to %d, got %R", -tensor->ndim,
                 tensor->ndim - 1, index);
    return nullptr;
  }
  return PyLong_FromLongLong(tensor->shape[i < 0 ? i + tensor->ndim : i]);
}

// Called by numpy.asarray with (dtype, copy); the adapter does the rest.
PyObject* as_array(PyObject* self, PyObject* args, PyObject* keywords) {
  if (!has_tensor(self)) return nullptr;
  PyObject* copy = keywords == nullptr ? nullptr : PyDict_GetItemString(keywords, "copy");
  if (copy == nullptr && PyTuple_GET_SIZE(args) > 1) copy = PyTuple_GET_ITEM(args, 1);
  const int copies = copy == nullptr ? 0 : PyObject_IsTrue(copy);
  if (copies < 0) return nullptr;
  // Memory without an owner may be copied.
  if (copies == 0 && own_before_export(handle_of(self)) != 0) return nullptr;
  nb::object numpy = nb::steal(PyImport_ImportModule("numpy"));
  if (!numpy.is_valid()) return nullptr;
  nb::object adapter = nb::steal(PyImport_ImportModule("tvm_ffi.frameworks.numpy"));
  if (!adapter.is_valid()) return nullptr;
  nb::object convert = nb::steal(PyObject_GetAttrString(adapter.ptr(), "as_array"));
  nb::object first = nb::steal(PyTuple_Pack(1, self));
  nb::object all = nb::steal(first.is_valid() ? PySequence_Concat(first.ptr(), args) : nullptr);
  if (!convert.is_valid() || !all.is_valid()) return nullptr;
  return PyObject_Call(convert.ptr(), all.ptr(), keywords);
}

PyObject* numel(PyObject* self, PyObject*) {
  const DLTensor* tensor = layout(self);
  return tensor == nullptr ? nullptr : PyLong_FromLongLong(tvm::ffi::GetNumel(*tensor));
}

PyObject* data_ptr(PyObject* self, PyObject*) {
  const DLTensor* tensor = layout(self);
  return tensor == nullptr ? nullptr : PyLong_FromUnsignedLongLong(address_of(tensor));
}

PyObject* contiguous(PyObject* self, PyObject*) {
  const DLTensor* tensor = layout(self);
  return tensor == nullptr ? nullptr : PyBool_FromLong(tvm::ffi::IsContiguous(*tensor));
}

PyObject* dlpack_device(PyObject* self, PyObject*) {
  if (!has_tensor(self)) return nullptr;
  DLDevice device = layout(self)->device;
  return make_int_pair(static_cast<int>(device.device_type), device.device_id);
}

void delete_capsule(PyObject* capsule) {
  if (!PyCapsule_IsValid(capsule, "dltensor")) return;
  auto* managed = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule, "dltensor"));
  if (managed->deleter != nullptr) managed->deleter(managed);
}

void delete_versioned_capsule(PyObject* capsule) {
  if (!PyCapsule_IsValid(capsule, "dltensor_versioned")) return;
  auto* managed =
      static_cast<DLManagedTensorVersioned*>(PyCapsule_GetPointer(capsule, "dltensor_versioned"));
  if (managed->deleter != nullptr) managed->deleter(managed);
}

// `None`, or the tensor's own device; -1 with a BufferError otherwise.
int check_device(PyObject* self, PyObject* wanted) {
  if (wanted == Py_None) return 0;
  IntPair pair;
  if (read_int_pair(wanted, "dl_device must be (device type, device id)", &pair) != 0) return -1;
  DLDevice device = layout(self)->device;
  if (pair.first == static_cast<int>(device.device_type) && pair.second == device.device_id) {
    return 0;
  }
  PyErr_Format(PyExc_BufferError,
               "Tensor.__dlpack__: dl_device: expected (%d, %d), where the tensor is, got (%d, %d)",
               static_cast<int>(device.device_type), device.device_id, pair.first, pair.second);
  return -1;
}

struct DlpackOptions {
  PyObject* max_version = Py_None;
  PyObject* dl_device = Py_None;
  PyObject* copy = Py_None;
};

// Sets the option for a keyword; -1 with a Python error set if the keyword is unknown.
int set_option(DlpackOptions* options, PyObject* keyword, PyObject* value) {
  static const struct {
    PyObject* name;
    PyObject* DlpackOptions::* option;  // NULL: any value is accepted
  } known[] = {{PyUnicode_InternFromString("stream"), nullptr},
               {PyUnicode_InternFromString("max_version"), &DlpackOptions::max_version},
               {PyUnicode_InternFromString("dl_device"), &DlpackOptions::dl_device},
               {PyUnicode_InternFromString("copy"), &DlpackOptions::copy}};
  // Names are usually the same objects; only others are compared by their characters.
  for (bool by_letters : {false, true}) {
    for (const auto& each : known) {
      bool is_it = by_letters ? PyUnicode_Compare(keyword, each.name) == 0 : keyword == each.name;
      if (!is_it) continue;
      if (each.option != nullptr) options->*each.option = value;
      return 0;
    }
  }
  PyErr_Format(PyExc_TypeError, "Tensor.__dlpack__: expected no keyword %R", keyword);
  return -1;
}

PyObject* dlpack(PyObject* self, PyObject* const* args, Py_ssize_t num_args, PyObject* keywords) {
  if (num_args != 0) {
    PyErr_Format(PyExc_TypeError, "Tensor.__dlpack__: expected keywords only, got %zd arguments",
                 num_args);
    return nullptr;
  }
  if (!has_tensor(self)) return nullptr;
  DlpackOptions options;
  Py_ssize_t num_keywords = keywords == nullptr ? 0 : PyTuple_GET_SIZE(keywords);
  for (Py_ssize_t i = 0; i < num_keywords; ++i) {
    if (set_option(&options, PyTuple_GET_ITEM(keywords, i), args[i]) != 0) return nullptr;
  }
  if (check_device(self, options.dl_device) != 0) return nullptr;
  TVMFFIObject* tensor = handle_of(self);
  const int copies = PyObject_IsTrue(options.copy);
  if (copies < 0) return nullptr;
  ObjectRef copy;
  if (copies != 0) {
    copy = copy_of_tensor(*layout(self));
    tensor = copy.get();
  }
  if (tensor == nullptr || own_before_export(tensor) != 0) return nullptr;
  IntPair version{0, 0};
  if (options.max_version != Py_None &&
      read_int_pair(options.max_version, "max_version must be (major, minor)", &version) != 0) {
    return nullptr;
  }
  int code;
  if (version.first >= 1) {
    DLManagedTensorVersioned* managed = nullptr;
    code = TVMFFITensorToDLPackVersioned(tensor, &managed);
    if (code == 0) {
      if (copy.get() != nullptr) managed->flags |= DLPACK_FLAG_BITMASK_IS_COPIED;
      PyObject* capsule = PyCapsule_New(managed, "dltensor_versioned", delete_versioned_capsule);
      if (capsule == nullptr) managed->deleter(managed);
      return capsule;
    }
  } else {
    if (is_read_only(tensor)) {
      PyErr_SetString(
          PyExc_BufferError,
          "Tensor.__dlpack__: max_version: expected (1, 0) or newer, which can say that "
          "the tensor is read-only, got an older one");
      return nullptr;
    }
    DLManagedTensor* managed = nullptr;
    code = TVMFFITensorToDLPack(tensor, &managed);
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
  if (handle_of(self) == nullptr) {
    return PyUnicode_FromFormat("<%s without an object>", Py_TYPE(self)->tp_name);
  }
  nb::object extents = nb::steal(shape(self, nullptr));
  if (!extents.is_valid()) return nullptr;
  nb::object type = nb::steal(dtype(self, nullptr));  // fails for a type without a name
  if (!type.is_valid()) return nullptr;
  nb::object place = nb::steal(device(self, nullptr));
  if (!place.is_valid()) return nullptr;
  nb::object dims_text = nb::steal(PyTuple_Type.tp_repr(extents.ptr()));
  if (!dims_text.is_valid()) return nullptr;
  return PyUnicode_FromFormat("tvm_ffi.Tensor(shape=%U, dtype='%S', device='%S')", dims_text.ptr(),
                              type.ptr(), place.ptr());
}

// An instance of a subclass has no tensor until its __init__ creates one.
PyObject* new_tensor(PyTypeObject* type, PyObject* args, PyObject* keywords) {
  if (type == tensor_type) return object_type->tp_new(type, args, keywords);  // raises TypeError
  return make_instance(type, nullptr);
}

void dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  auto* instance = reinterpret_cast<ObjectInstance*>(self);
  // A producer's deleter may be written in Python.
  std::optional<nb::error_scope> raised;
  if (PyErr_Occurred() != nullptr) raised.emplace();
  if (instance->weak_references != nullptr) PyObject_ClearWeakRefs(self);
  if (instance->handle != nullptr && recycle_tensor(instance->handle)) instance->handle = nullptr;
  release_instance(instance);
  type->tp_free(self);
  Py_DECREF(type);
}

PyGetSetDef properties[] = {
    {"shape", shape, nullptr, "Extent of each dimension, a :class:`tvm_ffi.Shape`.", nullptr},
    {"strides", strides, nullptr,
     "Stride of each dimension, in elements, a :class:`tvm_ffi.Shape`.", nullptr},
    {"dtype", dtype, nullptr, "Element type, a :class:`tvm_ffi.dtype`.", nullptr},
    {"device", device, nullptr, "Device that holds the elements, a :class:`tvm_ffi.Device`.",
     nullptr},
    {"ndim", ndim, nullptr, "Number of dimensions.", nullptr},
    {"read_only", read_only, nullptr, "Whether the tensor's producer marked it as read-only.",
     nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMethodDef methods[] = {
    {"numel", numel, METH_NOARGS, "numel($self, /)\n--\n\nReturn the number of elements."},
    {"size", size, METH_O,
     "size($self, idx, /)\n--\n\n"
     "Return the extent of one dimension; a negative index counts from the last.\n\n"
     "``IndexError`` is raised if the index is out of range."},
    {"__array__", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(as_array)),
     METH_VARARGS | METH_KEYWORDS,
     "__array__($self, dtype=None, copy=None)\n--\n\n"
     "Return a NumPy array that shares the memory, or a copy, for ``numpy.asarray``.\n\n"
     "The array of a read-only tensor is read-only. ``TypeError`` is raised if the tensor is not\n"
     "on the CPU, or if NumPy lacks its element type."},
    {"data_ptr", data_ptr, METH_NOARGS,
     "data_ptr($self, /)\n--\n\nReturn the address of the first element, as an ``int``."},
    {"is_contiguous", contiguous, METH_NOARGS,
     "is_contiguous($self, /)\n--\n\nReturn whether the elements are compact and in row-major "
     "order."},
    {"__dlpack__", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(dlpack)),
     METH_FASTCALL | METH_KEYWORDS,
     "__dlpack__($self, /, *, stream=None, max_version=None, dl_device=None, copy=None)\n--\n\n"
     "Export the tensor without a copy, or a copy of it if ``copy`` is true.\n\n"
     "``stream`` is ignored and nothing is synchronized: order the work on the device before you\n"
     "pass the tensor on. ``BufferError`` is raised if ``dl_device`` is not the tensor's device,\n"
     "if a copy is requested of a tensor that is not on the CPU, or if the tensor is read-only\n"
     "and ``max_version`` is older than 1.0. It is also raised for a view that a function lent to\n"
     "a Python callback, unless the view is copied or its memory belongs to an argument of a\n"
     "call in progress."},
    {"__dlpack_device__", dlpack_device, METH_NOARGS,
     "__dlpack_device__($self, /)\n--\n\nReturn the DLPack device type and the device index."},
    {nullptr, nullptr, 0, nullptr}};

PyType_Slot slots[] = {
    {Py_tp_doc,
     const_cast<char*>("A reference-counted tensor.\n\n"
                       "Tensors come from :func:`tvm_ffi.from_dlpack` and from functions that\n"
                       "return them; the class itself cannot be called. Any framework that\n"
                       "imports DLPack tensors can share their memory. Pickling a tensor or\n"
                       "copying it with :func:`copy.copy` raises ``TypeError``.")},
    {Py_tp_new, reinterpret_cast<void*>(new_tensor)},
    {Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
    {Py_tp_repr, reinterpret_cast<void*>(repr)},
    {Py_tp_getset, properties},
    {Py_tp_methods, methods},
    {0, nullptr}};

PyType_Spec spec = {"tvm_ffi.Tensor", sizeof(OwnLayout<ObjectInstance>), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};

// A tensor from the capsule returned by a `__dlpack__`; NULL with a Python error set.
LentTensor* tensor_from_capsule(PyObject* capsule, bool allow_read_only) {
  LentTensor* lent = acquire_lent_tensor(nullptr);
  if (lent == nullptr) return nullptr;
  int code = fill_from_capsule(lent, capsule);
  if (code == 0 && lent->read_only && !allow_read_only) {
    PyErr_SetString(PyExc_ValueError,
                    "from_dlpack: ext_tensor: expected a tensor that may be written, got a "
                    "read-only one; pass allow_read_only=True if nothing writes to it");
    code = -1;
  }
  if (code == 0) return lent;
  discard(lent);
  return nullptr;
}

struct Requirements {
  long long alignment = 0;
  int contiguous = 0;
  int allow_read_only = 0;
};

// Reads one keyword argument of from_dlpack; 0, or -1 with a Python error set.
int read_requirement(PyObject* name, PyObject* value, Requirements* to) {
  if (PyUnicode_CompareWithASCIIString(name, "require_alignment") == 0) {
    if (!PyIndex_Check(value)) {
      PyErr_Format(PyExc_TypeError, "from_dlpack: require_alignment: expected an integer, got %s",
                   Py_TYPE(value)->tp_name);
      return -1;
    }
    Py_ssize_t bytes = PyNumber_AsSsize_t(value, nullptr);  // Too large ones are clamped.
    if (bytes == -1 && PyErr_Occurred()) return -1;
    to->alignment = bytes;
    if (bytes >= 0) return 0;
    PyErr_Format(PyExc_ValueError,
                 "from_dlpack: require_alignment: expected 0 or more bytes, got %R", value);
    return -1;
  }
  int* flag = nullptr;
  if (PyUnicode_CompareWithASCIIString(name, "require_contiguous") == 0) flag = &to->contiguous;
  if (PyUnicode_CompareWithASCIIString(name, "allow_read_only") == 0) flag = &to->allow_read_only;
  if (flag == nullptr) {
    PyErr_Format(PyExc_TypeError,
                 "from_dlpack: expected require_alignment, require_contiguous or allow_read_only "
                 "as a keyword, got %U",
                 name);
    return -1;
  }
  *flag = PyObject_IsTrue(value);
  return *flag < 0 ? -1 : 0;
}

constexpr const char* kFromDLPackDoc =
    "from_dlpack(ext_tensor, *, require_alignment=0, require_contiguous=False, "
    "allow_read_only=False)\n--\n\n"
    R"(Import a framework's tensor as a :class:`tvm_ffi.Tensor` that shares its memory.

Functions accept framework tensors directly: import a tensor to keep it, or to use one of the
options. Calls with the result use the framework's current stream, as calls with the original
tensor do.

Parameters
----------
ext_tensor
    Any object with ``__dlpack_c_exchange_api__`` or ``__dlpack__``, or a capsule that
    ``__dlpack__`` returned, which can be imported only once. A :class:`tvm_ffi.Tensor` that
    meets the requirements is returned unchanged.
require_alignment
    Required alignment of the first element's address, in bytes; 0 accepts any address.
require_contiguous
    Reject a tensor that is not compact and row-major.
allow_read_only
    Accept a tensor that its producer marked as read-only. Functions then accept the result,
    and you must ensure that they do not write to it.

Returns
-------
Tensor
    The imported tensor.

Raises
------
ValueError
    The tensor does not meet a requirement, or is a view that is negated or conjugated when
    read; or ``require_alignment`` is negative.
TypeError
    The object is not a tensor, the capsule has already been imported, or
    ``require_alignment`` is not an integer.

Notes
-----
A tensor imported from PyTorch keeps the PyTorch tensor alive, not its memory, and so does a
tensor that a function keeps. ``x.set_()`` therefore frees memory that the imported tensor still
refers to, unless ``x.detach()`` was imported. ``x.resize_()`` may free it in either case.
)";

// Not a Python function, whose keyword handling would take longer than the work done here.
PyObject* from_dlpack(PyObject*, PyObject* const* args, Py_ssize_t num_args, PyObject* keywords) {
  static PyObject* name = PyUnicode_InternFromString("from_dlpack");
  PyObject* source = num_args == 1 ? args[0] : nullptr;
  Requirements required;
  for (Py_ssize_t i = 0; keywords != nullptr && i < PyTuple_GET_SIZE(keywords); ++i) {
    PyObject* keyword = PyTuple_GET_ITEM(keywords, i);
    if (PyUnicode_CompareWithASCIIString(keyword, "ext_tensor") == 0) {
      if (num_args != 0) {
        PyErr_SetString(PyExc_TypeError,
                        "from_dlpack: ext_tensor: expected it once, got it by keyword too");
        return nullptr;
      }
      source = args[i];
    } else if (read_requirement(keyword, args[num_args + i], &required) != 0) {
      return nullptr;
    }
  }
  if (source == nullptr) {
    PyErr_Format(PyExc_TypeError, "from_dlpack: expected 1 argument by position, got %zd",
                 num_args);
    return nullptr;
  }
  nb::object result;
  if (PyObject_TypeCheck(source, tensor_type)) {
    if (!has_tensor(source)) return nullptr;
    result = nb::borrow(source);
  } else {
    LentTensor* lent = PyCapsule_CheckExact(source)
                           ? tensor_from_capsule(source, required.allow_read_only != 0)
                           : owned_tensor_from(name, source, required.allow_read_only != 0);
    if (lent == nullptr) return nullptr;
    result = nb::steal(make_instance(tensor_type, &lent->head));
    if (!result.is_valid()) return nullptr;
  }
  const DLTensor* tensor = layout(result.ptr());
  if (required.contiguous != 0 && !tvm::ffi::IsContiguous(*tensor)) {
    nb::object steps = nb::steal(strides(result.ptr(), nullptr));
    nb::object text = nb::steal(steps.is_valid() ? PyTuple_Type.tp_repr(steps.ptr()) : nullptr);
    if (!text.is_valid()) return nullptr;
    PyErr_Format(PyExc_ValueError,
                 "from_dlpack: ext_tensor: expected a compact row-major tensor, got strides %U",
                 text.ptr());
    return nullptr;
  }
  if (required.alignment > 0 &&
      address_of(tensor) % static_cast<uintptr_t>(required.alignment) != 0) {
    PyErr_Format(PyExc_ValueError,
                 "from_dlpack: ext_tensor: expected an address that is a multiple of %lld, got %p",
                 required.alignment, reinterpret_cast<void*>(address_of(tensor)));
    return nullptr;
  }
  return result.release().ptr();
}

PyMethodDef functions[] = {
    {"from_dlpack", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(from_dlpack)),
     METH_FASTCALL | METH_KEYWORDS, kFromDLPackDoc},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool has_tensor(PyObject* self) {
  if (handle_of(self) != nullptr) return true;
  PyErr_Format(PyExc_ValueError,
               "expected a tensor, got a %s that holds none: its __init__ did not create one",
               Py_TYPE(self)->tp_name);
  return false;
}

int own_before_export(TVMFFIObject* tensor) {
  LentTensor* lent = lent_tensor_of(tensor);
  // An empty view has no memory that could be freed.
  if (lent == nullptr || !is_bare_view(lent) || tvm::ffi::GetNumel(lent->tensor) == 0) return 0;
  return own_bare_view(lent);
}

bool is_made_read_only(TVMFFIObject* tensor) {
  static const RuntimeFunction asked("ffi.TensorIsReadOnly");
  Answer answer;
  asked.call(&answer, tensor);
  return answer.value().v_int64 != 0;
}

uint64_t known_flags(TVMFFIObjectHandle tensor) noexcept {
  const LentTensor* lent = lent_tensor_of(static_cast<TVMFFIObject*>(tensor));
  return lent != nullptr && lent->read_only ? uint64_t{DLPACK_FLAG_BITMASK_READ_ONLY} : 0;
}

void bind_tensor(nb::module_& module) {
  tensor_type = make_type(module, &spec, object_type);
  register_object_class(kTVMFFITensor, tensor_type);
  if (PyModule_AddFunctions(module.ptr(), functions) != 0) throw nb::python_error();
}

}  // namespace tvm_ffi_core
