// SPDX-License-Identifier: Apache-2.0
// Python errors for values that cannot be packed; they name the argument.
#include "lending/argument_error.h"

#include "base/python_error.h"

namespace tvm_ffi_core {

void name_argument(PyObject* name, int index, PyTypeObject* value_type, PyObject* path) {
  nb::object cause = take_exception();
  if (!cause.is_valid()) {
    PyErr_NoMemory();  // some Python functions fail without an exception when out of memory
    return;
  }
  PyObject* value = cause.ptr();
  if (!PyErr_GivenExceptionMatches(value, PyExc_Exception) ||
      PyErr_GivenExceptionMatches(value, PyExc_MemoryError) ||
      PyErr_GivenExceptionMatches(value, PyExc_RecursionError)) {
    set_exception(std::move(cause));
    return;
  }
  nb::object text = nb::steal(PyObject_Str(value));
  if (!text.is_valid()) {
    if (clear_but_interrupts()) return;
    text = nb::steal(PyUnicode_FromString("unknown error"));
    if (!text.is_valid()) return;
  }
  // PyTorch appends a C++ backtrace to its messages.
  Py_ssize_t line = PyUnicode_FindChar(text.ptr(), '\n', 0, PyUnicode_GET_LENGTH(text.ptr()), 1);
  if (line >= 0) text = nb::steal(PyUnicode_Substring(text.ptr(), 0, line));
  PyObject* error =
      PyErr_GivenExceptionMatches(value, PyExc_TypeError) ? PyExc_TypeError : PyExc_ValueError;
  nb::object steps = path != nullptr ? nb::borrow(path) : nb::steal(PyUnicode_New(0, 0));
  if (!text.is_valid() || !steps.is_valid()) return;
  if (index == kResult) {
    PyErr_Format(error, "%U: result (%s): %U%U", name, value_type->tp_name, steps.ptr(),
                 text.ptr());
  } else if (index == kUnnumbered) {
    PyErr_Format(error, "%U: %s: %U%U", name, value_type->tp_name, steps.ptr(), text.ptr());
  } else {
    PyErr_Format(error, "%U: argument %d (%s): %U%U", name, index, value_type->tp_name, steps.ptr(),
                 text.ptr());
  }
  nb::object named = take_exception();
  PyException_SetCause(named.ptr(), cause.release().ptr());
  set_exception(std::move(named));
}

}  // namespace tvm_ffi_core
