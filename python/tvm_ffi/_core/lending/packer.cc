// SPDX-License-Identifier: Apache-2.0
// How a Python type is packed as an argument, determined once per type.
#include "lending/packer.h"

#include <new>

#include "base/python_error.h"

namespace tvm_ffi_core {

namespace {

constexpr size_t kFirstSlots = 64;
const Packer* first_slots[kFirstSlots];
size_t num_packers = 0;

// Inserts the packer of a type that has none yet.
void insert(const Packer* packer) {
  if (2 * ++num_packers > packers.mask + 1) {
    const PackerTable old = packers;
    const size_t num_slots = 2 * (old.mask + 1);
    packers = {new const Packer*[num_slots](), num_slots - 1};
    for (size_t i = 0; i <= old.mask; ++i) {
      if (old.slots[i] != nullptr) *packers.slot_of(old.slots[i]->type) = old.slots[i];
    }
    if (old.slots != first_slots) delete[] old.slots;
  }
  *packers.slot_of(packer->type) = packer;
}

const Kind* first_kind = nullptr;
const Kind* end_of_kinds = nullptr;

// Maps a type to (adapter name, answer); the answer is (word, what that word's kind needs) or None.
PyObject* ask = nullptr;

bool is_called(const Kind& kind, const nb::object& word) {
  const char* own = kind.recognition.word;
  return own != nullptr && PyUnicode_CompareWithASCIIString(word.ptr(), own) == 0;
}

// A new reference; NULL without an error if the attribute is missing or None. Throws.
PyObject* attribute_of(PyTypeObject* type, const char* name) {
  nb::object value = nb::steal(PyObject_GetAttrString(reinterpret_cast<PyObject*>(type), name));
  if (clear_but_interrupts()) throw nb::python_error();
  return value.is_valid() && !value.is_none() ? value.release().ptr() : nullptr;
}

[[noreturn]] void refuse_answer(PyTypeObject* type, const nb::object& adapter,
                                const nb::object& expected, const nb::object& answer) {
  nb::object module = nb::borrow<nb::object>(reinterpret_cast<PyObject*>(type)).attr("__module__");
  nb::object name = nb::borrow<nb::object>(reinterpret_cast<PyObject*>(type)).attr("__qualname__");
  PyErr_Format(PyExc_TypeError, "%S.recognize: %S.%S: expected %S, got %R", adapter.ptr(),
               module.ptr(), name.ptr(), expected.ptr(), answer.ptr());
  throw nb::python_error();
}

// The framework adapter's answer for the type: (word, what that word needs), or None. Throws.
nb::object ask_adapters(PyTypeObject* type) {
  if (ask == nullptr) return nb::none();
  nb::object told = nb::steal(PyObject_CallOneArg(ask, reinterpret_cast<PyObject*>(type)));
  if (!told.is_valid()) throw nb::python_error();
  nb::object adapter = told[0], answer = told[1];
  if (answer.is_none()) return answer;
  const bool is_pair = PyTuple_Check(answer.ptr()) && PyTuple_GET_SIZE(answer.ptr()) == 2 &&
                       PyUnicode_Check(PyTuple_GET_ITEM(answer.ptr(), 0));
  for (const Kind* kind = first_kind; is_pair && kind != end_of_kinds; ++kind) {
    if (!is_called(*kind, answer[0])) continue;
    const Need& need = *kind->recognition.need;
    if (need.is_met(type, answer[1])) return answer;
    refuse_answer(type, adapter, nb::str("({!r}, {})").attr("format")(answer[0], need.expected),
                  answer);
  }
  refuse_answer(type, adapter, nb::str("None or a word of _core/calls/kinds.cc with what it needs"),
                answer);
}

// Stores the value that the adapter returned with the word.
void take(nb::object given, Packer* packer) {
  if (nb::isinstance<Framework>(given)) {
    packer->framework = nb::cast<Framework*>(given);
  } else if (!given.is_none()) {
    packer->helper = given.ptr();
  }
  given.release();  // lives as long as the type, which is forever
}

// Determines the type's kind and what it needs. Throws.
void recognise(PyTypeObject* type, Packer* packer) {
  nb::object answer;  // of the adapters, which are called once, and only if no earlier kind fits
  for (const Kind* kind = first_kind; kind != end_of_kinds; ++kind) {
    packer->kind = kind;
    const Recognition& by = kind->recognition;
    if (by.is != nullptr) {
      if (by.is(type)) return;
    } else if (by.method != nullptr) {
      // Looked up once: a metaclass may return something else the next time.
      packer->helper = attribute_of(type, by.method);
      if (packer->helper != nullptr) return;
    } else {
      if (!answer.is_valid()) answer = ask_adapters(type);
      if (answer.is_none() || !is_called(*kind, answer[0])) continue;
      take(answer[1], packer);
      return;
    }
  }
}

// The packer for a type seen for the first time. Throws.
const Packer* learn(PyTypeObject* type) {
  Packer packer;
  recognise(type, &packer);
  if (is_foreign_tensor(packer)) {
    packer.helper = attribute_of(type, "__tvm_ffi_env_stream__");
  }
  packer.type = type;
  // The adapters may have run code that packed the same type.
  if (const Packer* known = *packers.slot_of(type)) return known;
  Py_INCREF(type);
  const auto* learnt = new Packer(packer);
  insert(learnt);
  return learnt;
}

}  // namespace

PackerTable packers = {first_slots, kFirstSlots - 1};

const Packer* learn_packer(PyTypeObject* type) {
  try {
    return learn(type);
  } catch (nb::python_error& error) {
    error.restore();
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_SystemError, error.what());
  }
  return nullptr;
}

void set_kinds(const Kind* first, const Kind* end) {
  first_kind = first;
  end_of_kinds = end;
}

void bind_packer(nb::module_& module) {
  module.def(
      "set_recognizer", [](nb::object function) { ask = function.release().ptr(); },
      nb::arg("function"));
}

}  // namespace tvm_ffi_core
