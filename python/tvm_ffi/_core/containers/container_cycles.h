// SPDX-License-Identifier: Apache-2.0
// Garbage collection support for containers.
#ifndef TVM_FFI_PYTHON_CORE_CONTAINER_CYCLES_H_
#define TVM_FFI_PYTHON_CORE_CONTAINER_CYCLES_H_

#include "base/common.h"

namespace tvm_ffi_core {

// For Py_tp_traverse: visits the Python objects kept alive only by the instance `self`.
int visit_elements(PyObject* self, visitproc visit, void* arg);

// For Py_tp_clear: empties a List or a Dict.
int clear_elements(PyObject* self);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_CONTAINER_CYCLES_H_
