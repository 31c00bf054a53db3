// SPDX-License-Identifier: Apache-2.0
// Converts libtvm_ffi values to Python objects.
#include "conversion/result.h"

#include "base/error.h"
#include "objects/container_instance.h"
#include "objects/object.h"
#include "tensors/tensor.h"
#include "values/values.h"

namespace tvm_ffi_core {

namespace {

PyObject* text(const char* data, size_t size) {
  return PyUnicode_DecodeUTF8(data, static_cast<Py_ssize_t>(size), nullptr);
}

PyObject* bytes(const char* data, size_t size) {
  return PyBytes_FromStringAndSize(data, static_cast<Py_ssize_t>(size));
}

PyObject* void_pointer(void* address) {
  nb::object ctypes = nb::steal(PyImport_ImportModule("ctypes"));
  if (!ctypes.is_valid()) return nullptr;
  return PyObject_CallMethod(ctypes.ptr(), "c_void_p", "K",
                             static_cast<unsigned long long>(reinterpret_cast<uintptr_t>(address)));
}

PyObject* big_int(const TVMFFIAny* value) {
  TVMFFIByteArray content = TVMFFIBigIntGetContentByteArray(value);
  nb::object data = nb::steal(bytes(content.data, content.size));
  if (!data.is_valid()) return nullptr;
  nb::object from_bytes =
      nb::steal(PyObject_GetAttrString(reinterpret_cast<PyObject*>(&PyLong_Type), "from_bytes"));
  nb::object arguments = nb::steal(Py_BuildValue("(Os)", data.ptr(), "little"));
  nb::object options = nb::steal(Py_BuildValue("{s:O}", "signed", Py_True));
  if (!from_bytes.is_valid() || !arguments.is_valid() || !options.is_valid()) return nullptr;
  return PyObject_Call(from_bytes.ptr(), arguments.ptr(), options.ptr());
}

PyObject* tensor_from(ObjectRef& owned, const Framework* framework) {
  if (framework != nullptr) {
    int holds = can_hold(framework, *contents<DLTensor>(owned.get()));
    if (holds < 0) return nullptr;
    if (holds == 0) framework = nullptr;
  }
  if (framework != nullptr && framework->exchange != nullptr) {
    DLManagedTensorVersioned* managed = take_managed(owned.get());
    if (managed != nullptr) {
      owned.release();
    } else if (int code = TVMFFITensorToDLPackVersioned(owned.get(), &managed)) {
      set_python_error(code);
      return nullptr;
    }
    void* result = nullptr;
    // On failure, the owner of `managed` is unknown: leaking it is better than a double free.
    if (framework->exchange->managed_tensor_to_py_object_no_sync(managed, &result) != 0) {
      return nullptr;
    }
    return static_cast<PyObject*>(result);
  }
  PyObject* wrapped = wrap_object(owned.release());
  if (wrapped == nullptr || framework == nullptr || framework->from_tensor == nullptr) {
    return wrapped;
  }
  nb::object own = nb::steal(wrapped);
  return PyObject_CallOneArg(framework->from_tensor, own.ptr());
}

PyObject* tensor(ObjectRef owned, const Framework* framework) {
  PyObject* result = tensor_from(owned, framework);
  if (result == nullptr) {
    nb::error_scope raised;  // a producer's deleter may be written in Python
    ObjectRef dropped = std::move(owned);
  }
  return result;
}

PyObject* object(ObjectRef owned, const Framework* framework) {
  switch (owned.get()->type_index) {
    case kTVMFFIStr:
    case kTVMFFIBytes: {
      const auto* content = contents<TVMFFIByteArray>(owned.get());
      return owned.get()->type_index == kTVMFFIStr ? text(content->data, content->size)
                                                   : bytes(content->data, content->size);
    }
    case kTVMFFIShape: {
      const auto* cell = contents<TVMFFIShapeCell>(owned.get());
      return shape_to_python(cell->data, cell->size);
    }
    case kTVMFFITensor:
      return tensor(std::move(owned), framework);
    case kTVMFFIArray:
    case kTVMFFIList:
    case kTVMFFIMap:
    case kTVMFFIDict:
      return wrap_container(owned.release(), framework);
    case kTVMFFIOpaquePyObject: {
      auto* value = static_cast<PyObject*>(contents<TVMFFIOpaqueObjectCell>(owned.get())->handle);
      Py_INCREF(value);
      return value;
    }
    case kTVMFFIBigInt: {
      TVMFFIAny value;
      clear(&value);
      value.type_index = kTVMFFIBigInt;
      value.v_obj = owned.get();
      return big_int(&value);
    }
    default:
      return wrap_object(owned.release());
  }
}

}  // namespace

PyObject* value_to_python(TVMFFIAny* value, const Framework* framework) {
  switch (value->type_index) {
    case kTVMFFINone:
      Py_RETURN_NONE;
    case kTVMFFIInt:
      return PyLong_FromLongLong(value->v_int64);
    case kTVMFFIBool:
      return PyBool_FromLong(value->v_int64 != 0);
    case kTVMFFIFloat:
      return PyFloat_FromDouble(value->v_float64);
    case kTVMFFIOpaquePtr:
      return void_pointer(value->v_ptr);
    case kTVMFFIDataType:
      return dtype_to_python(value->v_dtype);
    case kTVMFFIDevice:
      return device_to_python(value->v_device);
    case kTVMFFISmallStr:
      return text(value->v_bytes, value->small_str_len);
    case kTVMFFISmallBytes:
      return bytes(value->v_bytes, value->small_str_len);
    default:
      if (value->type_index >= kTVMFFIStaticObjectBegin && value->v_obj != nullptr) {
        return object(ObjectRef(value->v_obj), framework);
      }
      PyErr_Format(PyExc_SystemError,
                   "expected a function to return an owned value, got a borrowed one of type "
                   "index %d",
                   value->type_index);
      return nullptr;
  }
}

PyObject* element_to_python(const TVMFFIAny& element, const Framework* framework) {
  TVMFFIAny owned = element;
  if (owned.type_index >= kTVMFFIStaticObjectBegin) TVMFFIObjectIncRef(owned.v_obj);
  return value_to_python(&owned, framework);
}

PyObject* view_to_python(const TVMFFIAny* view) {
  TVMFFIAny owned = *view;
  if (view->type_index <= kTVMFFIFloat) return value_to_python(&owned, nullptr);
  clear(&owned);
  int code = TVMFFIAnyViewToOwnedAny(view, &owned);
  if (code != 0) {
    set_python_error(code);
    return nullptr;
  }
  return value_to_python(&owned, nullptr);
}

}  // namespace tvm_ffi_core
