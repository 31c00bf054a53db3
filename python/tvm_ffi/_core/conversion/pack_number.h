// SPDX-License-Identifier: Apache-2.0
// Packs numbers as arguments.
#ifndef TVM_FFI_PYTHON_CORE_PACK_NUMBER_H_
#define TVM_FFI_PYTHON_CORE_PACK_NUMBER_H_

#include "conversion/args.h"

namespace tvm_ffi_core {

// A framework's bool.
int pack_foreign_bool(const Place& place, PyObject* value, const Packer& packer);

int pack_int(const Place& place, PyObject* value, const Packer& packer);

// Anything with `__index__`.
int pack_index(const Place& place, PyObject* value, const Packer& packer);

int pack_float(const Place& place, PyObject* value, const Packer& packer);

// Anything with `__float__`.
int pack_real(const Place& place, PyObject* value, const Packer& packer);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_PACK_NUMBER_H_
