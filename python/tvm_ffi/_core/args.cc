// SPDX-License-Identifier: Apache-2.0
// Python values as arguments and as results of callbacks.
#include "args.h"

#include <cstring>

#include "callback.h"
#include "container.h"
#include "error.h"
#include "function.h"
#include "lending.h"
#include "object.h"
#include "stream.h"
#include "tensor.h"
#include "values.h"

namespace tvm_ffi_core {

namespace {

// In place of an argument's number.
constexpr int kResult = -1, kUnnumbered = -2;

// Prefixes the current Python error with "name: argument index (type): " and the path to the
// element, which may be NULL. Keeps TypeError, makes ValueError of the rest; the error from before
// becomes the cause.
void name_argument(PyObject* name, int index, PyTypeObject* value_type, PyObject* path) {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  nb::object cause = nb::steal(value), owned_type = nb::steal(type);
  nb::object owned_traceback = nb::steal(traceback);
  if (traceback != nullptr) PyException_SetTraceback(value, traceback);
  if (!PyErr_GivenExceptionMatches(value, PyExc_Exception) ||
      PyErr_GivenExceptionMatches(value, PyExc_MemoryError) ||
      PyErr_GivenExceptionMatches(value, PyExc_RecursionError)) {
    PyErr_SetObject(type, value);
    return;
  }
  nb::object text = nb::steal(PyObject_Str(value));
  if (!text.is_valid()) {
    PyErr_Clear();
    text = nb::str("unknown error");
  }
  // PyTorch appends a C++ backtrace to its messages.
  Py_ssize_t line = PyUnicode_FindChar(text.ptr(), '\n', 0, PyUnicode_GET_LENGTH(text.ptr()), 1);
  if (line >= 0) text = nb::steal(PyUnicode_Substring(text.ptr(), 0, line));
  PyObject* error =
      PyErr_GivenExceptionMatches(value, PyExc_TypeError) ? PyExc_TypeError : PyExc_ValueError;
  nb::object steps = path != nullptr ? nb::borrow(path) : nb::str("");
  if (index == kResult) {
    PyErr_Format(error, "%U: result (%s): %U%U", name, value_type->tp_name, steps.ptr(),
                 text.ptr());
  } else if (index == kUnnumbered) {
    PyErr_Format(error, "%U: %s: %U%U", name, value_type->tp_name, steps.ptr(), text.ptr());
  } else {
    PyErr_Format(error, "%U: argument %d (%s): %U%U", name, index, value_type->tp_name, steps.ptr(),
                 text.ptr());
  }
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  if (value != nullptr) PyException_SetCause(value, cause.release().ptr());
  PyErr_Restore(type, value, traceback);
}

// Sets the device's stream to what `ask`, called with the tensor, gives.
int follow_asked_stream(CallFrame* frame, PyObject* ask, PyObject* value, DLDevice device) {
  if (!has_streams(device.device_type) || frame->has_stream(device)) return 0;
  nb::object number = nb::steal(PyObject_CallOneArg(ask, value));
  if (!number.is_valid()) return -1;
  void* stream = PyLong_AsVoidPtr(number.ptr());
  if (stream == nullptr && PyErr_Occurred()) return -1;
  return frame->set_stream(device, stream);
}

// Sets the device's stream to the framework's current one.
int follow_stream(CallFrame* frame, const Framework* framework, DLDevice device) {
  if (!has_streams(device.device_type) || frame->has_stream(device)) return 0;
  if (framework == nullptr) return 0;
  void* stream = nullptr;
  if (framework->exchange != nullptr) {
    if (framework->exchange->current_work_stream(device.device_type, device.device_id, &stream)) {
      return -1;
    }
  } else if (framework->current_stream != nullptr) {
    nb::object id = nb::steal(PyLong_FromLong(device.device_id));
    nb::object address = nb::steal(PyObject_CallOneArg(framework->current_stream, id.ptr()));
    if (!address.is_valid()) return -1;
    stream = PyLong_AsVoidPtr(address.ptr());
    if (stream == nullptr && PyErr_Occurred()) return -1;
  } else {
    return 0;
  }
  return frame->set_stream(device, stream);
}

int pack_tensor(const Place& place, PyObject* value, const Converter& converter) {
  CallFrame* frame = place.frame;
  Lending how;
  how.trusted = frame->trusted();
  LentTensor* lent = lend(converter, value, how);
  if (lent == nullptr) return -1;
  DLDevice device = lent->tensor.device;
  int code = converter.helper != nullptr
                 ? follow_asked_stream(frame, converter.helper, value, device)
                 : follow_stream(frame, converter.framework, device);
  if (code != 0) {
    discard(lent);
    return -1;
  }
  frame->saw_tensor_of(converter.framework);
  place.out->type_index = kTVMFFITensor;
  place.out->v_obj = &lent->head;
  if (place.owns) {
    own_python_source(lent);
    frame->keep_element(lent);
    TVMFFIObjectIncRef(&lent->head);
  } else {
    frame->keep(lent);
  }
  return 0;
}

// As the tensor that it was made of: by asking that, or its framework.
int follow_stream_of_source(CallFrame* frame, const LentTensor* lent) {
  if (lent->stream_source == nullptr) {
    return follow_stream(frame, lent->framework, lent->tensor.device);
  }
  nb::object source = nb::borrow(lent->stream_source);
  Converter converter;
  if (find_converter(Py_TYPE(source.ptr()), &converter) != 0) return -1;
  return follow_asked_stream(frame, converter.helper, source.ptr(), lent->tensor.device);
}

int pack_own_tensor(const Place& place, PyObject* value) {
  if (!has_tensor(value)) return -1;
  TVMFFIObject* handle = handle_of(value);
  LentTensor* lent = lent_tensor_of(handle);
  if (lent != nullptr && follow_stream_of_source(place.frame, lent) != 0) return -1;
  place.frame->saw_tensor_of(nullptr);
  if (lent == nullptr || !is_bare_view(lent) || own_bare_view(lent)) {
    place.borrow(handle);
    return 0;
  }
  if (place.owns) {
    refuse_bare_view();
    return -1;
  }
  // Of a Tensor, the function could make another one, which would outlive the memory.
  place.out->type_index = kTVMFFIDLTensorPtr;
  place.out->v_ptr = &lent->tensor;
  return 0;
}

// As pack_value, for a receiver that keeps the value after the call.
int pack_to_keep(const Place& place, PyObject* value) {
  if (pack_value(place, value) != 0) return -1;
  if (place.out->type_index != kTVMFFIDLTensorPtr) return 0;
  refuse_bare_view();
  return -1;
}

// Follows the stream of the first tensor in a container that is on a device with streams.
int follow_stream_in(CallFrame* frame, TVMFFIObject* container) {
  const LentTensor* lent = first_device_tensor(container);
  return lent == nullptr ? 0 : follow_stream_of_source(frame, lent);
}

int pack_container_object(const Place& place, PyObject* value) {
  TVMFFIObject* handle = handle_of(value);
  if (follow_stream_in(place.frame, handle) != 0) return -1;
  const Framework* framework = framework_of_container(value);
  if (framework != nullptr) place.frame->saw_tensor_of(framework);
  place.borrow(handle);
  return 0;
}

// An integer beyond 64 bits.
int pack_wide_int(const Place& place, PyObject* value) {
  auto* type = reinterpret_cast<PyObject*>(&PyLong_Type);  // a subclass may have methods of its own
  nb::object length_in_bits = nb::steal(PyObject_CallMethod(type, "bit_length", "O", value));
  size_t bits = length_in_bits.is_valid() ? PyLong_AsSize_t(length_in_bits.ptr()) : 0;
  if (PyErr_Occurred()) return -1;
  // One bit more for the sign, in whole words, as the published runtime wants them.
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

int pack_int(const Place& place, PyObject* value) {
  int overflow = 0;
  long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
  if (overflow != 0) return pack_wide_int(place, value);
  if (number == -1 && PyErr_Occurred()) return -1;
  place.out->type_index = kTVMFFIInt;
  place.out->v_int64 = number;
  return 0;
}

// Short strings and bytes stand in the value itself; longer ones become an object.
int pack_text(const Place& place, const char* data, Py_ssize_t size, bool is_str) {
  TVMFFIAny* out = place.out;
  if (size <= 7) {
    out->type_index = is_str ? kTVMFFISmallStr : kTVMFFISmallBytes;
    out->small_str_len = static_cast<uint32_t>(size);
    std::memcpy(out->v_bytes, data, static_cast<size_t>(size));
    return 0;
  }
  TVMFFIByteArray bytes{data, static_cast<size_t>(size)};
  int code =
      is_str ? TVMFFIStringFromByteArray(&bytes, out) : TVMFFIBytesFromByteArray(&bytes, out);
  if (code != 0) {
    set_python_error(code);
    return -1;
  }
  if (out->type_index >= kTVMFFIStaticObjectBegin) place.take(out->v_obj);
  return 0;
}

int pack_object(const Place& place, TVMFFIObject* owned) {
  if (owned == nullptr) return -1;
  place.take(owned);
  return 0;
}

int pack_address(PyObject* number, TVMFFIAny* out) {
  out->type_index = kTVMFFIOpaquePtr;
  out->v_ptr = PyLong_AsVoidPtr(number);
  return PyErr_Occurred() ? -1 : 0;
}

int pack_buffer(const Place& place, PyObject* value) {
  Py_buffer view;
  if (PyObject_GetBuffer(value, &view, PyBUF_SIMPLE) != 0) return -1;
  int code = pack_text(place, static_cast<const char*>(view.buf), view.len, false);
  PyBuffer_Release(&view);
  return code;
}

// Packs what the object's method gives; nobody but the frame keeps that until the call is over.
int pack_stand_in(const Place& place, PyObject* value, const Converter& converter) {
  nb::object stand_in = nb::steal(PyObject_CallOneArg(converter.helper, value));
  if (!stand_in.is_valid()) return -1;
  if (Py_EnterRecursiveCall(" while a value is converted")) return -1;
  Place owning = place;
  owning.owns = true;
  int code = pack_value(owning, stand_in.ptr());
  Py_LeaveRecursiveCall();
  if (code == 0 && !place.owns && place.out->type_index >= kTVMFFIStaticObjectBegin) {
    place.frame->keep(place.out->v_obj);
  }
  return code;
}

// Everything but tensors and what pack_value tells by itself.
int pack_by_kind(const Place& place, PyObject* value, const Converter& converter) {
  TVMFFIAny* out = place.out;
  switch (converter.kind) {
    case Kind::kNone:
      return 0;
    case Kind::kBool:
      out->type_index = kTVMFFIBool;
      out->v_int64 = value == Py_True;
      return 0;
    case Kind::kInt:
      return pack_int(place, value);
    case Kind::kFloat:
      out->type_index = kTVMFFIFloat;
      out->v_float64 = PyFloat_AS_DOUBLE(value);
      return 0;
    case Kind::kStr: {
      Py_ssize_t size = 0;
      const char* data = PyUnicode_AsUTF8AndSize(value, &size);
      if (data == nullptr) return -1;
      return pack_text(place, data, size, true);
    }
    case Kind::kBytes:
      return pack_text(place, PyBytes_AS_STRING(value), PyBytes_GET_SIZE(value), false);
    case Kind::kBuffer:
      return pack_buffer(place, value);
    case Kind::kDtype:
      out->type_index = kTVMFFIDataType;
      return dtype_from_python(value, &out->v_dtype);
    case Kind::kDevice:
      out->type_index = kTVMFFIDevice;
      return device_from_python(value, &out->v_device);
    case Kind::kShape:
      return pack_object(place, shape_from_python(value));
    case Kind::kSequence:
      return pack_sequence(place, value);
    case Kind::kDict:
      return pack_dict(place, value);
    case Kind::kObject:
      if (handle_of(value) == nullptr) {
        PyErr_SetString(PyExc_ValueError,
                        "expected an object, got an instance without one: its __init__ has not "
                        "made it");
        return -1;
      }
      place.borrow(handle_of(value));
      if (!place.owns && PyObject_TypeCheck(value, function_type)) {
        ObjectRef shared = share_callable(value);
        if (shared.get() != nullptr) place.frame->keep(shared.release());
      }
      return 0;
    case Kind::kContainer:
      return pack_container_object(place, value);
    case Kind::kException:
      return pack_object(place, error_from_exception(value));
    case Kind::kForeignDtype: {
      nb::object triple = nb::steal(PyObject_CallOneArg(converter.helper, value));
      int code, bits, lanes;
      if (!triple.is_valid() || !PyArg_ParseTuple(triple.ptr(), "iii", &code, &bits, &lanes))
        return -1;
      out->type_index = kTVMFFIDataType;
      out->v_dtype = {static_cast<uint8_t>(code), static_cast<uint8_t>(bits),
                      static_cast<uint16_t>(lanes)};
      return 0;
    }
    case Kind::kForeignDevice: {
      nb::object pair = nb::steal(PyObject_CallOneArg(converter.helper, value));
      int type, id;
      if (!pair.is_valid() || !PyArg_ParseTuple(pair.ptr(), "ii", &type, &id)) return -1;
      out->type_index = kTVMFFIDevice;
      out->v_device = {static_cast<DLDeviceType>(type), id};
      return 0;
    }
    case Kind::kForeignBool: {
      int truth = PyObject_IsTrue(value);
      if (truth < 0) return -1;
      out->type_index = kTVMFFIBool;
      out->v_int64 = truth;
      return 0;
    }
    case Kind::kIndex: {
      nb::object number = nb::steal(PyNumber_Index(value));
      if (!number.is_valid()) return -1;
      return pack_int(place, number.ptr());
    }
    case Kind::kReal: {
      double number = PyFloat_AsDouble(value);
      if (number == -1.0 && PyErr_Occurred()) return -1;
      out->type_index = kTVMFFIFloat;
      out->v_float64 = number;
      return 0;
    }
    case Kind::kVoidPointer: {
      nb::object address = nb::steal(PyObject_GetAttrString(value, "value"));
      if (!address.is_valid()) return -1;
      if (!address.is_none()) return pack_address(address.ptr(), out);
      out->type_index = kTVMFFIOpaquePtr;
      return 0;
    }
    case Kind::kAddress: {
      nb::object address = nb::steal(PyObject_CallOneArg(converter.helper, value));
      return address.is_valid() ? pack_address(address.ptr(), out) : -1;
    }
    case Kind::kCudaStream: {
      nb::object pair = nb::steal(PyObject_CallOneArg(converter.helper, value));
      PyObject* address;
      int version;
      if (!pair.is_valid() || !PyArg_ParseTuple(pair.ptr(), "iO", &version, &address)) return -1;
      return pack_address(address, out);
    }
    case Kind::kStandIn:
      return pack_stand_in(place, value, converter);
    case Kind::kRefused:
      PyErr_SetObject(PyExc_TypeError, converter.helper);
      return -1;
    case Kind::kCallable:
      return pack_object(place, function_from_callable(value));
    case Kind::kSet:
      PyErr_Format(PyExc_TypeError,
                   "expected a single value, a list, a tuple or a dict, got a %s; pass list(x)",
                   converter.type->tp_name);
      return -1;
    default:
      return pack_object(place, opaque_from_python(value));
  }
}

// Packs one value into an owned one, outside of any call. `name_error` names it in a Python error.
template <typename NameError>
int pack_apart(PyObject* what, PyObject* value, TVMFFIAny* result, NameError name_error) {
  CallFrame frame(what, false, 1);
  int code = pack_to_keep({&frame, frame.arguments()}, value);
  if (code != 0) {
    name_error(frame.path());
  } else {
    // Adds a reference to what the frame keeps, so that a lent tensor will own its memory.
    code = TVMFFIAnyViewToOwnedAny(frame.arguments(), result);
    if (code != 0) set_python_error(code);
  }
  PyObject *type, *error, *traceback;
  PyErr_Fetch(&type, &error, &traceback);
  // If owning fails, the result holds the Python object, which keeps the memory as well.
  if (frame.finish() != 0) PyErr_Clear();
  PyErr_Restore(type, error, traceback);
  return code;
}

}  // namespace

int pack_value(const Place& place, PyObject* value) {
  if (pack_plain(value, place.out)) return 0;
  clear(place.out);
  Converter converter;
  if (find_converter(Py_TYPE(value), &converter) != 0) return -1;
  if (is_foreign_tensor(converter.kind)) return pack_tensor(place, value, converter);
  if (converter.kind == Kind::kTensor) return pack_own_tensor(place, value);
  return pack_by_kind(place, value, converter);
}

int pack_argument(CallFrame* frame, int index, PyObject* value) {
  if (pack_value({frame, frame->arguments() + index}, value) == 0) return 0;
  name_argument(frame->name(), index, Py_TYPE(value), frame->path());
  return -1;
}

int pack_field(CallFrame* frame, PyObject* value) {
  if (pack_to_keep({frame, frame->arguments()}, value) == 0) return 0;
  name_argument(frame->name(), kUnnumbered, Py_TYPE(value), frame->path());
  return -1;
}

int pack_owned(PyObject* what, PyObject* value, TVMFFIAny* result) {
  return pack_apart(what, value, result,
                    [&](PyObject* path) { name_argument(what, kResult, Py_TYPE(value), path); });
}

int pack_unnumbered(const char* what, PyObject* value, TVMFFIAny* result) {
  if (pack_plain(value, result)) return 0;
  static PyObject* no_function = PyUnicode_InternFromString("tvm_ffi");
  return pack_apart(no_function, value, result, [&](PyObject* path) {
    name_argument(nb::str(what).ptr(), kUnnumbered, Py_TYPE(value), path);
  });
}

LentTensor* owned_tensor_from(PyObject* what, PyObject* value, bool allow_read_only) {
  Converter converter;
  LentTensor* lent = nullptr;
  if (find_converter(Py_TYPE(value), &converter) == 0) {
    if (!is_foreign_tensor(converter.kind)) {
      PyErr_Format(PyExc_TypeError, "%U: ext_tensor: expected an object with __dlpack__, got %s",
                   what, Py_TYPE(value)->tp_name);
      return nullptr;
    }
    Lending how;
    how.allow_read_only = allow_read_only;
    how.own = true;
    lent = lend(converter, value, how);
    if (lent != nullptr && own_lent_tensor(lent) != 0) {
      discard(lent);
      lent = nullptr;
    }
    if (lent != nullptr && converter.helper != nullptr) {
      Py_INCREF(value);
      lent->stream_source = value;
    }
  }
  if (lent == nullptr) name_argument(what, kUnnumbered, Py_TYPE(value), nullptr);
  return lent;
}

}  // namespace tvm_ffi_core
