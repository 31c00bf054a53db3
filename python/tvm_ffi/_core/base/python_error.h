// SPDX-License-Identifier: Apache-2.0
// The Python exception that is set, taken and put back.
#ifndef TVM_FFI_PYTHON_CORE_PYTHON_ERROR_H_
#define TVM_FFI_PYTHON_CORE_PYTHON_ERROR_H_

#include "base/common.h"

namespace tvm_ffi_core {

// Takes the exception, with its traceback, from the interpreter; empty if none is set. To keep one
// while other code runs, nb::error_scope does.
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

// Clears the error that is set, if any, unless it is an interrupt: an exception such as that of
// Ctrl-C, which Python may raise in many of its functions, must not vanish. Whether one is left.
inline bool clear_but_interrupts() {
  if (PyErr_Occurred() == nullptr) return false;
  if (!PyErr_ExceptionMatches(PyExc_Exception)) return true;
  PyErr_Clear();
  return false;
}

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_PYTHON_ERROR_H_
