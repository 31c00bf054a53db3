// SPDX-License-Identifier: Apache-2.0
// How a Python type is packed as an argument, found once per type.
#include "lending/converter.h"

#include <cstring>

namespace tvm_ffi_core {

namespace {

constexpr size_t kFirstSlots = 64;
const Converter* first_slots[kFirstSlots];
size_t num_converters = 0;

// Keeps a converter of a type that has none.
void insert(const Converter* converter) {
  if (2 * ++num_converters > converters.mask + 1) {
    const ConverterTable old = converters;
    const size_t num_slots = 2 * (old.mask + 1);
    converters = {new const Converter*[num_slots](), num_slots - 1};
    for (size_t i = 0; i <= old.mask; ++i) {
      if (old.slots[i] != nullptr) *converters.slot_of(old.slots[i]->type) = old.slots[i];
    }
    if (old.slots != first_slots) delete[] old.slots;
  }
  *converters.slot_of(converter->type) = converter;
}

const Kind* first_kind = nullptr;
const Kind* end_of_kinds = nullptr;

// tvm_ffi.frameworks.recognize: type to (word, what the kind of that word needs), or None.
PyObject* recognize = nullptr;

bool is_called(const Kind& kind, const nb::str& word) {
  const char* own = kind.recognition.word;
  return own != nullptr && std::strcmp(own, word.c_str()) == 0;
}

// A new reference; NULL without an error if the type has none of the name, or None.
PyObject* attribute_of(PyTypeObject* type, const char* name) {
  nb::object value = nb::steal(PyObject_GetAttrString(reinterpret_cast<PyObject*>(type), name));
  PyErr_Clear();
  return value.is_valid() && !value.is_none() ? value.release().ptr() : nullptr;
}

// What the framework's adapter says of the type: (word, framework or helper or None), or None.
// Throws.
nb::object ask_adapters(PyTypeObject* type) {
  if (recognize == nullptr) return nb::none();
  nb::object answer = nb::steal(PyObject_CallOneArg(recognize, reinterpret_cast<PyObject*>(type)));
  if (!answer.is_valid()) throw nb::python_error();
  if (answer.is_none()) return answer;
  nb::str word = nb::cast<nb::str>(answer[0]);
  for (const Kind* kind = first_kind; kind != end_of_kinds; ++kind) {
    if (is_called(*kind, word)) return answer;
  }
  throw nb::value_error("tvm_ffi.frameworks.recognize gave an unknown kind");
}

// Keeps what the adapter gave beside the word.
void take(nb::object given, Converter* converter) {
  if (nb::isinstance<Framework>(given)) {
    converter->framework = nb::cast<Framework*>(given);
  } else if (!given.is_none()) {
    converter->helper = given.ptr();
  }
  given.release();  // as long as the type, which is for ever
}

// Finds the kind of the type, and what it needs. Throws.
void recognise(PyTypeObject* type, Converter* converter) {
  nb::object answer;  // of the adapters, which are asked once, and not if an earlier kind fits
  for (const Kind* kind = first_kind; kind != end_of_kinds; ++kind) {
    converter->kind = kind;
    const Recognition& by = kind->recognition;
    if (by.is != nullptr) {
      if (by.is(type)) return;
    } else if (by.method != nullptr) {
      // Asked once: a metaclass may answer differently the next time.
      converter->helper = attribute_of(type, by.method);
      if (converter->helper != nullptr) return;
    } else {
      if (!answer.is_valid()) answer = ask_adapters(type);
      if (answer.is_none() || !is_called(*kind, nb::cast<nb::str>(answer[0]))) continue;
      take(answer[1], converter);
      return;
    }
  }
}

// The converter for a type that is seen for the first time. Throws.
const Converter* learn(PyTypeObject* type) {
  Converter converter;
  recognise(type, &converter);
  if (is_foreign_tensor(converter)) {
    converter.helper = attribute_of(type, "__tvm_ffi_env_stream__");
  }
  converter.type = type;
  // The adapters may have run code that met the type, too.
  if (const Converter* known = *converters.slot_of(type)) return known;
  Py_INCREF(type);
  const auto* learnt = new Converter(converter);
  insert(learnt);
  return learnt;
}

}  // namespace

ConverterTable converters = {first_slots, kFirstSlots - 1};

const Converter* learn_converter(PyTypeObject* type) {
  try {
    return learn(type);
  } catch (nb::python_error& error) {
    error.restore();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_SystemError, error.what());
  }
  return nullptr;
}

void set_kinds(const Kind* first, const Kind* end) {
  first_kind = first;
  end_of_kinds = end;
}

void bind_converter(nb::module_& module) {
  module.def(
      "set_recognizer", [](nb::object function) { recognize = function.release().ptr(); },
      nb::arg("function"));
}

}  // namespace tvm_ffi_core
