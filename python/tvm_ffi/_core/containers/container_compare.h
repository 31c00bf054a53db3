// SPDX-License-Identifier: Apache-2.0
// Equality, hash and repr of containers.
#ifndef TVM_FFI_PYTHON_CORE_CONTAINER_COMPARE_H_
#define TVM_FFI_PYTHON_CORE_CONTAINER_COMPARE_H_

#include "base/common.h"

namespace tvm_ffi_core {

// Whether two values have equal contents: 1 or 0, or -1 with a Python error set. Number types
// must match; container types need not.
int values_are_equal(const TVMFFIAny& a, const TVMFFIAny& b);

// The hash of a container's contents; equal contents have equal hashes. -1 with a Python error set.
Py_hash_t hash_of_container(PyObject* container);

// Like a Python literal: "[1, [...]]".
PyObject* repr_of_container(PyObject* container);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_CONTAINER_COMPARE_H_
