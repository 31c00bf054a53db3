// SPDX-License-Identifier: Apache-2.0
// Takes and restores the current Python exception.
#ifndef TVM_FFI_PYTHON_CORE_PYTHON_ERROR_H_
#define TVM_FFI_PYTHON_CORE_PYTHON_ERROR_H_

#include "base/common.h"

namespace tvm_ffi_core {

// Takes the current exception, with its traceback, from the interpreter; empty if none is set.
// To preserve one while other code runs, use nb::error_scope.
inline nb::object take_exception() {
#if PY_VERSION_HEX >= 0x030C0000
  return nb::steal(PyErr_GetRaisedException());
#else
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  if (traceback != nullptr) PyException_SetTraceback(value, traceback);
  Py_XDECREF(type);
  Py_XDECREF(traceback);
  return nb::steal(value);
#endif
}

// Sets an exception, with its traceback.
inline void set_exception(nb::object exception) {
#if PY_VERSION_HEX >= 0x030C0000
  PyErr_SetRaisedException(exception.release().ptr());
#else
  PyObject* traceback = PyException_GetTraceback(exception.ptr());
  PyObject* type = exception.type().inc_ref().ptr();
  PyErr_Restore(type, exception.release().ptr(), traceback);
#endif
}

// Clears the current error, if any, unless it is an interrupt: an exception such as Ctrl-C's,
// which many Python functions may raise, must not be lost. Returns true if one is still set.
inline bool clear_but_interrupts() {
  if (PyErr_Occurred() == nullptr) return false;
  if (!PyErr_ExceptionMatches(PyExc_Exception)) return true;
  PyErr_Clear();
  return false;
}

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_PYTHON_ERROR_H_
