// SPDX-License-Identifier: Apache-2.0
// How a Python type is packed as an argument, found once per type.
#include "converter.h"

#include <cstring>
#include <vector>

#include "container.h"
#include "object.h"
#include "tensor.h"
#include "values.h"

namespace tvm_ffi_core {

namespace {

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

// A new reference; NULL without an error if the type has none of the name, or None.
PyObject* attribute_of(PyTypeObject* type, const char* name) {
  nb::object value = nb::steal(PyObject_GetAttrString(reinterpret_cast<PyObject*>(type), name));
  PyErr_Clear();
  return value.is_valid() && !value.is_none() ? value.release().ptr() : nullptr;
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
  if (PyType_IsSubtype(type, container_type)) return Kind::kContainer;
  if (PyType_IsSubtype(type, object_type)) return Kind::kObject;
  if (PyType_IsSubtype(type, dtype_class)) return Kind::kDtype;
  if (PyType_IsSubtype(type, device_class)) return Kind::kDevice;
  if (PyType_IsSubtype(type, shape_class)) return Kind::kShape;
  if (PyType_IsSubtype(type, &PyLong_Type)) return Kind::kInt;
  if (PyType_IsSubtype(type, &PyFloat_Type)) return Kind::kFloat;
  if (PyType_IsSubtype(type, &PyUnicode_Type)) return Kind::kStr;
  if (PyType_IsSubtype(type, &PyBytes_Type)) return Kind::kBytes;
  if (PyType_IsSubtype(type, &PyByteArray_Type)) return Kind::kBuffer;
  *found = false;
  return Kind::kOpaque;
}

// An object of any library may say by a method what it is passed as.
struct Protocol {
  const char* method;
  Kind kind;
};

// `__tvm_ffi_object__` goes before the methods of DLPack, as it says more; the others come last.
constexpr Protocol kObjectProtocols[] = {{"__tvm_ffi_object__", Kind::kStandIn}};
constexpr Protocol kValueProtocols[] = {
    {"__dlpack_data_type__", Kind::kForeignDtype}, {"__dlpack_device__", Kind::kForeignDevice},
    {"__cuda_stream__", Kind::kCudaStream},        {"__tvm_ffi_opaque_ptr__", Kind::kAddress},
    {"__tvm_ffi_int__", Kind::kStandIn},           {"__tvm_ffi_float__", Kind::kStandIn},
    {"__tvm_ffi_value__", Kind::kStandIn}};

template <size_t n>
bool ask_protocols(PyTypeObject* type, const Protocol (&protocols)[n], Converter* converter) {
  for (const Protocol& each : protocols) {
    // Asked once: a metaclass may answer differently the next time.
    converter->helper = attribute_of(type, each.method);
    if (converter->helper == nullptr) continue;
    converter->kind = each.kind;
    return true;
  }
  return false;
}

Kind duck_kind(PyTypeObject* type) {
  if (is_named(type, "ctypes", "c_void_p")) return Kind::kVoidPointer;
  if (PyExceptionClass_Check(reinterpret_cast<PyObject*>(type))) return Kind::kException;
  if (PyType_IsSubtype(type, &PyList_Type) || PyType_IsSubtype(type, &PyTuple_Type)) {
    return Kind::kSequence;
  }
  if (PyType_IsSubtype(type, &PyDict_Type)) return Kind::kDict;
  if (PyType_IsSubtype(type, &PySet_Type)) return Kind::kSet;
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
  if (!found && !ask_protocols(type, kObjectProtocols, &converter) &&
      !ask_adapters(type, &converter)) {
    converter.kind = duck_kind(type);
    if (converter.kind == Kind::kOpaque) ask_protocols(type, kValueProtocols, &converter);
  }
  if (is_foreign_tensor(converter.kind)) {
    converter.helper = attribute_of(type, "__tvm_ffi_env_stream__");
  }
  converter.type = type;
  // The adapters may have run code that met the type, too.
  if (const Converter* known = converters().find(type)) return *known;
  Py_INCREF(type);
  converters().insert(converter);
  return converter;
}

}  // namespace

int find_converter(PyTypeObject* type, Converter* converter) {
  if (const Converter* known = converters().find(type)) {
    *converter = *known;
    return 0;
  }
  try {
    *converter = learn(type);
    return 0;
  } catch (nb::python_error& error) {
    error.restore();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_SystemError, error.what());
  }
  return -1;
}

void bind_converter(nb::module_& module) {
  module.def(
      "set_recognizer", [](nb::object function) { recognize = function.release().ptr(); },
      nb::arg("function"));
}

}  // namespace tvm_ffi_core
