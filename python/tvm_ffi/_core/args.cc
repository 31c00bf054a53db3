// SPDX-License-Identifier: Apache-2.0
// Python values as arguments: how each type is packed, found once per type.
#include "args.h"

#include <cstring>
#include <vector>

#include "callback.h"
#include "error.h"
#include "function.h"
#include "object.h"
#include "producer.h"
#include "tensor.h"
#include "values.h"

namespace tvm_ffi_core {

namespace {

enum class Kind : uint8_t {
  kNone,
  kBool,
  kInt,
  kFloat,
  kStr,
  kBytes,
  kDtype,
  kDevice,
  kShape,
  kObject,         // tvm_ffi.Object and below, tensors excepted
  kTensor,         // tvm_ffi.Tensor
  kExchange,       // a tensor with a DLPack table
  kNdarray,        // numpy.ndarray, whose layout is known
  kDlpack,         // a tensor with __dlpack__
  kForeignDtype,   // a framework's dtype; `helper` gives (code, bits, lanes)
  kForeignDevice,  // a framework's device; `helper` gives (type, id)
  kForeignBool,    // a framework's bool scalar
  kIndex,          // anything with __index__
  kReal,           // anything with __float__
  kVoidPointer,    // ctypes.c_void_p
  kCallable,
  kContainer,  // list, tuple, dict, set: refused
  kRefused,    // by a framework's adapter; `helper` is the reason
  kOpaque,     // carried through
};

struct Converter {
  PyTypeObject* type = nullptr;  // owned: a type that was an argument once is never forgotten
  Kind kind = Kind::kNone;
  Framework* framework = nullptr;
  PyObject* helper = nullptr;  // owned
};

// Open addressing by the type's address. A Converter is copied out before Python code runs, as
// that may grow the table.
class ConverterTable {
 public:
  ConverterTable() : slots_(64) {}

  const Converter* find(PyTypeObject* type) const {
    for (size_t i = slot_of(type);; i = (i + 1) & (slots_.size() - 1)) {
      if (slots_[i].type == type) return &slots_[i];
      if (slots_[i].type == nullptr) return nullptr;
    }
  }

  void insert(const Converter& converter) {
    if (2 * ++size_ > slots_.size()) {
      std::vector<Converter> old(2 * slots_.size());
      old.swap(slots_);
      for (const Converter& each : old) {
        if (each.type != nullptr) place(each);
      }
    }
    place(converter);
  }

 private:
  size_t slot_of(PyTypeObject* type) const {
    return (reinterpret_cast<uintptr_t>(type) >> 4) & (slots_.size() - 1);
  }
  void place(const Converter& converter) {
    size_t i = slot_of(converter.type);
    while (slots_[i].type != nullptr) i = (i + 1) & (slots_.size() - 1);
    slots_[i] = converter;
  }
  std::vector<Converter> slots_;
  size_t size_ = 0;
};

ConverterTable& converters() {
  static auto* table = new ConverterTable();
  return *table;
}

// tvm_ffi.frameworks.recognize: type to (kind, framework or function), or None.
PyObject* recognize = nullptr;

bool has_attribute(PyTypeObject* type, const char* name) {
  nb::object value = nb::steal(PyObject_GetAttrString(reinterpret_cast<PyObject*>(type), name));
  PyErr_Clear();
  return value.is_valid() && !value.is_none();
}

bool is_named(PyTypeObject* type, const char* module, const char* name) {
  nb::object found =
      nb::steal(PyObject_GetAttrString(reinterpret_cast<PyObject*>(type), "__module__"));
  PyErr_Clear();
  const char* simple = std::strrchr(type->tp_name, '.');
  return found.is_valid() && PyUnicode_Check(found.ptr()) &&
         PyUnicode_CompareWithASCIIString(found.ptr(), module) == 0 &&
         std::strcmp(simple != nullptr ? simple + 1 : type->tp_name, name) == 0;
}

// In place of an argument's number.
constexpr int kResult = -1, kUnnumbered = -2;

bool is_foreign_tensor(Kind kind) {
  return kind == Kind::kExchange || kind == Kind::kNdarray || kind == Kind::kDlpack;
}

// What a framework's adapter says of the type: fills `converter` and returns true, or false.
bool ask_adapters(PyTypeObject* type, Converter* converter) {
  static const struct {
    const char* name;
    Kind kind;
  } kinds[] = {{"exchange", Kind::kExchange},    {"ndarray", Kind::kNdarray},
               {"dlpack", Kind::kDlpack},        {"dtype", Kind::kForeignDtype},
               {"device", Kind::kForeignDevice}, {"bool", Kind::kForeignBool},
               {"refused", Kind::kRefused}};
  if (recognize == nullptr) return false;
  nb::object answer = nb::steal(PyObject_CallOneArg(recognize, reinterpret_cast<PyObject*>(type)));
  if (!answer.is_valid()) throw nb::python_error();
  if (answer.is_none()) return false;
  nb::str name = nb::cast<nb::str>(answer[0]);
  nb::object value = answer[1];
  for (const auto& each : kinds) {
    if (std::strcmp(each.name, name.c_str()) != 0) continue;
    converter->kind = each.kind;
    if (each.kind == Kind::kForeignDtype || each.kind == Kind::kForeignDevice ||
        each.kind == Kind::kRefused) {
      converter->helper = value.release().ptr();
    } else if (each.kind != Kind::kForeignBool) {
      converter->framework = nb::cast<Framework*>(value);
      value.release();  // frameworks are never freed
    }
    return true;
  }
  throw nb::value_error("tvm_ffi.frameworks.recognize gave an unknown kind");
}

Kind builtin_kind(PyTypeObject* type, bool* found) {
  *found = true;
  if (type == Py_TYPE(Py_None)) return Kind::kNone;
  if (type == &PyBool_Type) return Kind::kBool;
  if (PyType_IsSubtype(type, tensor_type)) return Kind::kTensor;
  if (PyType_IsSubtype(type, object_type)) return Kind::kObject;
  if (PyType_IsSubtype(type, dtype_class)) return Kind::kDtype;
  if (PyType_IsSubtype(type, device_class)) return Kind::kDevice;
  if (PyType_IsSubtype(type, shape_class)) return Kind::kShape;
  if (PyType_IsSubtype(type, &PyLong_Type)) return Kind::kInt;
  if (PyType_IsSubtype(type, &PyFloat_Type)) return Kind::kFloat;
  if (PyType_IsSubtype(type, &PyUnicode_Type)) return Kind::kStr;
  if (PyType_IsSubtype(type, &PyBytes_Type)) return Kind::kBytes;
  *found = false;
  return Kind::kOpaque;
}

Kind duck_kind(PyTypeObject* type) {
  if (is_named(type, "ctypes", "c_void_p")) return Kind::kVoidPointer;
  if (PyType_IsSubtype(type, &PyList_Type) || PyType_IsSubtype(type, &PyTuple_Type) ||
      PyType_IsSubtype(type, &PyDict_Type) || PyType_IsSubtype(type, &PySet_Type)) {
    return Kind::kContainer;
  }
  const PyNumberMethods* number = type->tp_as_number;
  if (number != nullptr && number->nb_index != nullptr) return Kind::kIndex;
  if (number != nullptr && number->nb_float != nullptr) return Kind::kReal;
  if (type->tp_call != nullptr) return Kind::kCallable;
  return Kind::kOpaque;
}

// The converter for a type that is seen for the first time. Throws.
Converter learn(PyTypeObject* type) {
  Converter converter;
  bool found;
  converter.kind = builtin_kind(type, &found);
  if (!found && !ask_adapters(type, &converter)) {
    if (has_attribute(type, "__dlpack__") && has_attribute(type, "__dlpack_device__")) {
      converter.kind = Kind::kDlpack;
    } else {
      converter.kind = duck_kind(type);
    }
  }
  if (converter.kind == Kind::kDlpack && has_attribute(type, "__tvm_ffi_env_stream__")) {
    converter.helper =
        PyObject_GetAttrString(reinterpret_cast<PyObject*>(type), "__tvm_ffi_env_stream__");
  }
  converter.type = type;
  // The adapters may have run code that met the type, too.
  if (const Converter* known = converters().find(type)) return *known;
  Py_INCREF(type);
  converters().insert(converter);
  return converter;
}

// Prefixes the current Python error with "name: argument index (type): ". Keeps TypeError, makes
// ValueError of the rest; the error from before becomes the cause.
void name_argument(PyObject* name, int index, PyTypeObject* value_type) {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  nb::object cause = nb::steal(value), owned_type = nb::steal(type);
  nb::object owned_traceback = nb::steal(traceback);
  if (traceback != nullptr) PyException_SetTraceback(value, traceback);
  if (!PyErr_GivenExceptionMatches(value, PyExc_Exception) ||
      PyErr_GivenExceptionMatches(value, PyExc_MemoryError)) {
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
  if (index == kResult) {
    PyErr_Format(error, "%U: result (%s): %U", name, value_type->tp_name, text.ptr());
  } else if (index == kUnnumbered) {
    PyErr_Format(error, "%U: %s: %U", name, value_type->tp_name, text.ptr());
  } else {
    PyErr_Format(error, "%U: argument %d (%s): %U", name, index, value_type->tp_name, text.ptr());
  }
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  if (value != nullptr) PyException_SetCause(value, cause.release().ptr());
  PyErr_Restore(type, value, traceback);
}

// Refuses views whose elements are to be negated or conjugated when read.
int check_lazy_view(const Framework* framework, DLDataType dtype, PyObject* value) {
  if (framework->is_negative != nullptr && dtype.code != kDLBool) {
    nb::object answer = nb::steal(PyObject_CallOneArg(framework->is_negative, value));
    if (!answer.is_valid()) return -1;
    if (answer.is(nb::handle(Py_True))) {
      PyErr_SetString(PyExc_ValueError,
                      "expected a tensor as it lies in memory, got a view that is negated when "
                      "read; pass x.resolve_neg()");
      return -1;
    }
  }
  if (framework->is_conjugate != nullptr && dtype.code == kDLComplex) {
    nb::object answer = nb::steal(PyObject_CallOneArg(framework->is_conjugate, value));
    if (!answer.is_valid()) return -1;
    if (answer.is(nb::handle(Py_True))) {
      PyErr_SetString(PyExc_ValueError,
                      "expected a tensor as it lies in memory, got a view that is conjugated when "
                      "read; pass x.resolve_conj()");
      return -1;
    }
  }
  return 0;
}

// Gives a lent tensor back while a Python error is set.
void discard(LentTensor* lent) {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  if (release_lent_tensor(lent) != 0) PyErr_Clear();
  PyErr_Restore(type, value, traceback);
}

// What lend() leaves out or adds.
struct Lending {
  bool trusted = false;
  bool allow_read_only = false;
  bool own = false;  // whether it owns its memory at once, if that is cheaper than later
};

// Fills a lent tensor from a tensor of the kind; NULL with a Python error that names no argument.
LentTensor* lend(const Converter& converter, PyObject* value, Lending how) {
  LentTensor* lent = acquire_lent_tensor(converter.framework);
  if (lent == nullptr) return nullptr;
  int code;
  switch (converter.kind) {
    case Kind::kExchange:
      code = fill_from_exchange(lent, value, how.own);
      if (code == 0 && !how.trusted) {
        code = check_lazy_view(converter.framework, lent->tensor.dtype, value);
      }
      break;
    case Kind::kNdarray:
      code = fill_from_ndarray(lent, value);
      break;
    default:
      code = fill_from_dlpack(lent, value);
      break;
  }
  if (code == 0 && lent->read_only && !how.allow_read_only) {
    PyErr_SetString(PyExc_ValueError,
                    "expected a tensor that may be written, got a read-only one; if the function "
                    "only reads it, pass tvm_ffi.from_dlpack(x, allow_read_only=True)");
    code = -1;
  }
  if (code != 0) {
    discard(lent);
    return nullptr;
  }
  return lent;
}

bool has_streams(DLDeviceType type) {
  return type != kDLCPU && type != kDLCUDAHost && type != kDLROCMHost;
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
  const DLPackExchangeAPI* exchange = framework != nullptr ? framework->exchange : nullptr;
  if (exchange == nullptr) return 0;
  void* stream = nullptr;
  if (exchange->current_work_stream(device.device_type, device.device_id, &stream) != 0) return -1;
  return frame->set_stream(device, stream);
}

int pack_tensor(CallFrame* frame, int index, PyObject* value, const Converter& converter) {
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
  frame->keep(lent);
  frame->saw_tensor_of(converter.framework);
  TVMFFIAny* out = frame->arguments() + index;
  out->type_index = kTVMFFITensor;
  out->v_obj = &lent->head;
  return 0;
}

int pack_own_tensor(CallFrame* frame, int index, PyObject* value) {
  TVMFFIObject* handle = handle_of(value);
  const LentTensor* lent = lent_tensor_of(handle);
  if (lent != nullptr && follow_stream(frame, lent->framework, lent->tensor.device) != 0) return -1;
  frame->saw_tensor_of(nullptr);
  TVMFFIAny* out = frame->arguments() + index;
  out->type_index = kTVMFFITensor;
  out->v_obj = handle;
  return 0;
}

int pack_int(PyObject* value, TVMFFIAny* out) {
  int overflow = 0;
  long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
  if (overflow != 0) {
    PyErr_Format(PyExc_ValueError, "expected an integer that fits in 64 bits, got %R", value);
    return -1;
  }
  if (number == -1 && PyErr_Occurred()) return -1;
  out->type_index = kTVMFFIInt;
  out->v_int64 = number;
  return 0;
}

// Short strings and bytes stand in the value itself; longer ones become an object.
int pack_text(CallFrame* frame, TVMFFIAny* out, const char* data, Py_ssize_t size, bool is_str) {
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
  if (out->type_index >= kTVMFFIStaticObjectBegin) frame->keep(out->v_obj);
  return 0;
}

int pack_object(CallFrame* frame, TVMFFIAny* out, TVMFFIObject* owned) {
  if (owned == nullptr) return -1;
  frame->keep(owned);
  out->type_index = owned->type_index;
  out->v_obj = owned;
  return 0;
}

// Everything but tensors and what pack_argument tells by itself. The error names no argument.
int pack_by_kind(CallFrame* frame, int index, PyObject* value, const Converter& converter) {
  TVMFFIAny* out = frame->arguments() + index;
  switch (converter.kind) {
    case Kind::kNone:
      return 0;
    case Kind::kBool:
      out->type_index = kTVMFFIBool;
      out->v_int64 = value == Py_True;
      return 0;
    case Kind::kInt:
      return pack_int(value, out);
    case Kind::kFloat:
      out->type_index = kTVMFFIFloat;
      out->v_float64 = PyFloat_AS_DOUBLE(value);
      return 0;
    case Kind::kStr: {
      Py_ssize_t size = 0;
      const char* data = PyUnicode_AsUTF8AndSize(value, &size);
      if (data == nullptr) return -1;
      return pack_text(frame, out, data, size, true);
    }
    case Kind::kBytes:
      return pack_text(frame, out, PyBytes_AS_STRING(value), PyBytes_GET_SIZE(value), false);
    case Kind::kDtype:
      out->type_index = kTVMFFIDataType;
      return dtype_from_python(value, &out->v_dtype);
    case Kind::kDevice:
      out->type_index = kTVMFFIDevice;
      return device_from_python(value, &out->v_device);
    case Kind::kShape:
      return pack_object(frame, out, shape_from_python(value));
    case Kind::kObject:
      out->v_obj = handle_of(value);
      out->type_index = out->v_obj->type_index;
      return 0;
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
      return pack_int(number.ptr(), out);
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
      out->type_index = kTVMFFIOpaquePtr;
      out->v_ptr = address.is_none() ? nullptr : PyLong_AsVoidPtr(address.ptr());
      return PyErr_Occurred() ? -1 : 0;
    }
    case Kind::kRefused:
      PyErr_SetObject(PyExc_TypeError, converter.helper);
      return -1;
    case Kind::kCallable:
      return pack_object(frame, out, function_from_callable(value));
    case Kind::kContainer:
      PyErr_Format(PyExc_TypeError, "expected a single value, got a %s%s", converter.type->tp_name,
                   PyTuple_Check(value) || PyList_Check(value)
                       ? "; a shape is passed as tvm_ffi.Shape(x)"
                       : "");
      return -1;
    default:
      return pack_object(frame, out, opaque_from_python(value));
  }
}

// nullptr with a Python error when the type's adapter failed.
const Converter* converter_for(PyTypeObject* type, Converter* storage) {
  const Converter* known = converters().find(type);
  if (known == nullptr) {
    try {
      *storage = learn(type);
    } catch (nb::python_error& error) {
      error.restore();
      return nullptr;
    } catch (const std::exception& error) {
      PyErr_SetString(PyExc_SystemError, error.what());
      return nullptr;
    }
  } else {
    *storage = *known;
  }
  return storage;
}

}  // namespace

int pack_argument(CallFrame* frame, int index, PyObject* value) {
  TVMFFIAny* out = frame->arguments() + index;
  clear(out);
  PyTypeObject* type = Py_TYPE(value);
  if (type == &PyFloat_Type) {
    out->type_index = kTVMFFIFloat;
    out->v_float64 = PyFloat_AS_DOUBLE(value);
    return 0;
  }
  int code;
  Converter converter;
  if (type == &PyLong_Type) {
    code = pack_int(value, out);
  } else if (converter_for(type, &converter) == nullptr) {
    code = -1;
  } else if (is_foreign_tensor(converter.kind)) {
    code = pack_tensor(frame, index, value, converter);
  } else if (converter.kind == Kind::kTensor) {
    code = pack_own_tensor(frame, index, value);
  } else {
    code = pack_by_kind(frame, index, value, converter);
  }
  if (code != 0) name_argument(frame->name(), frame->is_result() ? kResult : index, type);
  return code;
}

int pack_owned(PyObject* what, PyObject* value, TVMFFIAny* result) {
  CallFrame frame(what, false, 1, true);
  int code = pack_argument(&frame, 0, value);
  if (code == 0) {
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

LentTensor* owned_tensor_from(PyObject* what, PyObject* value, bool allow_read_only) {
  Converter converter;
  LentTensor* lent = nullptr;
  if (converter_for(Py_TYPE(value), &converter) != nullptr) {
    if (!is_foreign_tensor(converter.kind)) {
      PyErr_Format(PyExc_TypeError, "%U: tensor: expected an object with __dlpack__, got %s", what,
                   Py_TYPE(value)->tp_name);
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
  }
  if (lent == nullptr) name_argument(what, kUnnumbered, Py_TYPE(value));
  return lent;
}

void bind_args(nb::module_& module) {
  module.def(
      "set_recognizer", [](nb::object function) { recognize = function.release().ptr(); },
      nb::arg("function"));
}

}  // namespace tvm_ffi_core
