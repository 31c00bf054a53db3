// SPDX-License-Identifier: Apache-2.0
// Packs strings and bytes as arguments.
#ifndef TVM_FFI_PYTHON_CORE_PACK_TEXT_H_
#define TVM_FFI_PYTHON_CORE_PACK_TEXT_H_

#include "conversion/args.h"

namespace tvm_ffi_core {

int pack_str(const Place& place, PyObject* value, const Packer& packer);

int pack_bytes(const Place& place, PyObject* value, const Packer& packer);

// A bytearray.
int pack_bytearray(const Place& place, PyObject* value, const Packer& packer);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_PACK_TEXT_H_
