// SPDX-License-Identifier: Apache-2.0
// Errors of libtvm_ffi as Python exceptions, and the other way round.
#ifndef TVM_FFI_PYTHON_CORE_ERROR_H_
#define TVM_FFI_PYTHON_CORE_ERROR_H_

#include <string>

#include "base/common.h"

namespace tvm_ffi_core {

// Sets the Python exception for a C function that returned `code`, which is not 0.
//
// A Python exception that crossed C++ comes back as the same object; frames of C++ files are added
// to its traceback. -2 means that Python's own error is set already.
void set_python_error(int code);

// Sets the Python exception for `error`, which the caller keeps. `message` replaces the error's
// own; it may be NULL.
void set_python_error_from(TVMFFIObject* error, const std::string* message = nullptr);

// The Python exception that set_python_error_from sets; empty when another one is set.
nb::object exception_from(TVMFFIObject* error, const std::string* message = nullptr);

// Raises the current Python exception as an error of libtvm_ffi, and clears it in Python.
void raise_current_python_error();

// A new error that carries `exception` and its causes; NULL with a Python error.
TVMFFIObject* error_from_exception(PyObject* exception);

// The whole backtrace of an error, whose names are looked up now that it is shown.
std::string whole_backtrace(TVMFFIObject* error);

// Throws the current Python exception through nanobind when `code` is not 0.
inline void check(int code) {
  if (code != 0) {
    set_python_error(code);
    throw nb::python_error();
  }
}

void bind_error(nb::module_& module);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_ERROR_H_
