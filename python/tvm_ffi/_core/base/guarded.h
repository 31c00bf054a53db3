// SPDX-License-Identifier: Apache-2.0
// Runs throwing C++ code in functions called from Python.
#ifndef TVM_FFI_PYTHON_CORE_GUARDED_H_
#define TVM_FFI_PYTHON_CORE_GUARDED_H_

#include <tvm/ffi/error.h>

#include <new>

#include "base/error.h"

namespace tvm_ffi_core {

namespace ffi = tvm::ffi;

// Runs code that may throw libtvm_ffi errors; if it does, returns `failed` with a Python error set.
template <typename Result, typename Code>
Result guarded(Result failed, Code code) {
  try {
    return code();
  } catch (const ffi::Error& error) {
    set_python_error_from(ffi::ObjectUnsafe::Borrow(error));
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  }
  return failed;
}

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_GUARDED_H_
