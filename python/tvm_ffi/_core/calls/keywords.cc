// SPDX-License-Identifier: Apache-2.0
// Places keyword arguments by parameter name.
#include "calls/keywords.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "base/python_error.h"

namespace tvm_ffi_core {

namespace {

// Given a Function, returns the (names, defaults) of its parameters, or None.
PyObject* describer = nullptr;
// Marks a parameter without a default.
PyObject* no_default = nullptr;
// Marks an unknown default, as the function does not export its types. None is passed.
PyObject* unknown_default = nullptr;

bool is_description(PyObject* found) {
  if (!PyTuple_Check(found) || PyTuple_GET_SIZE(found) != 2) return false;
  PyObject* names = PyTuple_GET_ITEM(found, 0);
  PyObject* defaults = PyTuple_GET_ITEM(found, 1);
  return PyTuple_Check(names) && PyTuple_Check(defaults) &&
         PyTuple_GET_SIZE(names) == PyTuple_GET_SIZE(defaults);
}

// The parameters, looked up once; borrowed from the function. NULL with a Python error set.
PyObject* parameters_of(FunctionInstance* function) {
  if (function->parameters != nullptr) return function->parameters;
  PyObject* self = reinterpret_cast<PyObject*>(function);
  nb::object found = describer != nullptr ? nb::steal(PyObject_CallOneArg(describer, self))
                                          : nb::object(nb::none());
  if (!found.is_valid()) return nullptr;
  if (!found.is_none() && !is_description(found.ptr())) {
    PyErr_SetString(PyExc_SystemError, "the describer gave neither None nor (names, defaults)");
    return nullptr;
  }
  // Another thread may have stored them meanwhile: keep the existing ones.
  if (function->parameters == nullptr) function->parameters = found.release().ptr();
  return function->parameters;
}

// The position of `name`; -1 if there is none, -2 with a Python error set.
Py_ssize_t place_of(PyObject* names, PyObject* name) {
  const Py_ssize_t count = PyTuple_GET_SIZE(names);
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (PyTuple_GET_ITEM(names, i) == name) return i;  // names are interned
  }
  for (Py_ssize_t i = 0; i < count; ++i) {
    int is_equal = PyObject_RichCompareBool(PyTuple_GET_ITEM(names, i), name, Py_EQ);
    if (is_equal != 0) return is_equal > 0 ? i : -2;
  }
  return -1;
}

PyObject* refuse_name(FunctionInstance* function, PyObject* names, PyObject* keyword) {
  nb::object separator = nb::steal(PyUnicode_FromString(", "));
  nb::object all = nb::steal(PyUnicode_Join(separator.ptr(), names));
  if (all.is_valid()) {
    PyErr_Format(PyExc_TypeError, "%U: expected keywords among (%U), got %R", function->name,
                 all.ptr(), keyword);
  }
  return nullptr;
}

PyObject* refuse_missing(FunctionInstance* function, PyObject* names, Py_ssize_t place) {
  PyErr_Format(PyExc_TypeError, "%U: argument %zd: expected a value for %R, got none",
               function->name, place, PyTuple_GET_ITEM(names, place));
  return nullptr;
}

// Whether a message is about argument `place` of the function itself, not of one that it calls: it
// starts with the function's name or signature.
bool is_about(const std::string& message, const std::string& name, Py_ssize_t place) {
  if (message.compare(0, name.size(), name) != 0) return false;
  const std::string refused = ": argument " + std::to_string(place) + ": expected ";
  const size_t at = message.find(refused);
  return at != std::string::npos && (at == name.size() || message[name.size()] == '(');
}

// If the function rejected the None passed for an omitted value, raises the error for a
// missing value instead.
void name_missing(FunctionInstance* function, PyObject* names,
                  const std::vector<Py_ssize_t>& assumed) {
  if (!PyErr_ExceptionMatches(PyExc_TypeError)) return;
  nb::object error = take_exception();
  nb::object text = nb::steal(PyObject_Str(error.ptr()));
  if (clear_but_interrupts()) return;
  const char* message = text.is_valid() ? PyUnicode_AsUTF8(text.ptr()) : nullptr;
  const char* name = PyUnicode_AsUTF8(function->name);
  PyErr_Clear();
  if (message != nullptr && name != nullptr && std::strstr(message, ", got None") != nullptr) {
    for (Py_ssize_t place : assumed) {
      if (is_about(message, name, place)) return void(refuse_missing(function, names, place));
    }
  }
  set_exception(std::move(error));
}

}  // namespace

PyObject* call_with_keywords(FunctionInstance* function, PyObject* const* args, Py_ssize_t num_args,
                             PyObject* keywords) {
  nb::object parameters = nb::borrow(parameters_of(function));
  if (!parameters.is_valid()) return nullptr;
  if (parameters.is_none()) {
    PyErr_Format(PyExc_TypeError,
                 "%U: expected positional arguments only, got keyword %R; the function does not "
                 "export the names of its arguments",
                 function->name, PyTuple_GET_ITEM(keywords, 0));
    return nullptr;
  }
  PyObject* names = PyTuple_GET_ITEM(parameters.ptr(), 0);
  PyObject* defaults = PyTuple_GET_ITEM(parameters.ptr(), 1);
  std::vector<PyObject*> placed(static_cast<size_t>(std::max(num_args, PyTuple_GET_SIZE(names))));
  std::copy(args, args + num_args, placed.begin());
  Py_ssize_t end = num_args;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(keywords); ++i) {
    PyObject* keyword = PyTuple_GET_ITEM(keywords, i);
    Py_ssize_t place = place_of(names, keyword);
    if (place == -2) return nullptr;
    if (place < 0) return refuse_name(function, names, keyword);
    if (placed[static_cast<size_t>(place)] != nullptr) {
      PyErr_Format(PyExc_TypeError, "%U: argument %zd: expected one value for %R, got two",
                   function->name, place, keyword);
      return nullptr;
    }
    placed[static_cast<size_t>(place)] = args[num_args + i];
    end = std::max(end, place + 1);
  }
  std::vector<Py_ssize_t> assumed;
  for (Py_ssize_t i = num_args; i < end; ++i) {
    PyObject*& value = placed[static_cast<size_t>(i)];
    if (value != nullptr) continue;
    value = PyTuple_GET_ITEM(defaults, i);
    if (value == no_default) return refuse_missing(function, names, i);
    if (value != unknown_default) continue;
    value = Py_None;
    assumed.push_back(i);
  }
  // Not through its type, which may be a subclass whose __call__ called this.
  PyObject* result = function->vectorcall(reinterpret_cast<PyObject*>(function), placed.data(),
                                          static_cast<size_t>(end), nullptr);
  if (result == nullptr && !assumed.empty()) name_missing(function, names, assumed);
  return result;
}

void bind_keywords(nb::module_& module) {
  module.def(
      "set_describer",
      [](nb::object function, nb::object none, nb::object unknown) {
        describer = function.release().ptr();
        no_default = none.release().ptr();
        unknown_default = unknown.release().ptr();
      },
      nb::arg("function"), nb::arg("no_default"), nb::arg("unknown_default"));
}

}  // namespace tvm_ffi_core
