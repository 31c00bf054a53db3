// SPDX-License-Identifier: Apache-2.0
// Conversion between libtvm_ffi errors and Python exceptions.
#ifndef TVM_FFI_PYTHON_CORE_ERROR_H_
#define TVM_FFI_PYTHON_CORE_ERROR_H_

#include <string>

#include "base/common.h"

namespace tvm_ffi_core {

// Sets the Python exception for a C function that returned a nonzero `code`.
//
// A Python exception that passed through C++ returns as the same object, with C++ frames added
// to its traceback. -2 means that a Python error is already set.
void set_python_error(int code);

// Sets the Python exception for `error`, which the caller still owns. `message` replaces the
// error's own; it may be NULL.
void set_python_error_from(TVMFFIObject* error, const std::string* message = nullptr);

// The Python exception that set_python_error_from would set; empty if another one is set.
nb::object exception_from(TVMFFIObject* error, const std::string* message = nullptr);

// Raises the current Python exception as a libtvm_ffi error, and clears it in Python.
void raise_current_python_error();

// A new error that carries `exception` and its causes; NULL with a Python error set.
TVMFFIObject* error_from_exception(PyObject* exception);

// An error's whole backtrace; symbol names are looked up only now, when it is shown.
std::string whole_backtrace(TVMFFIObject* error);

// Throws the Python exception through nanobind if `code` is not 0.
inline void check(int code) {
  if (code != 0) {
    set_python_error(code);
    throw nb::python_error();
  }
}

void bind_error(nb::module_& module);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_ERROR_H_
