// SPDX-License-Identifier: Apache-2.0
// Python lists, tuples and dicts as Arrays and Maps.
#ifndef TVM_FFI_PYTHON_CORE_CONTAINER_PACK_H_
#define TVM_FFI_PYTHON_CORE_CONTAINER_PACK_H_

#include <tvm/ffi/any.h>

#include "conversion/args.h"

namespace tvm_ffi_core {

// A list or a tuple becomes an Array, a dict a Map.
int pack_sequence(const Place& place, PyObject* value, const Packer& packer);
int pack_dict(const Place& place, PyObject* value, const Packer& packer);

// Packs `value` as an owned value. Returns 1, 0 without an error if no container can hold it, or
// -1 with a Python error set.
int pack_if_possible(PyObject* value, tvm::ffi::Any* result);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_CONTAINER_PACK_H_
