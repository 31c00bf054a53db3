// SPDX-License-Identifier: Apache-2.0
// Packs addresses as arguments: pointers and streams.
#ifndef TVM_FFI_PYTHON_CORE_PACK_ADDRESS_H_
#define TVM_FFI_PYTHON_CORE_PACK_ADDRESS_H_

#include "conversion/args.h"

namespace tvm_ffi_core {

// A ctypes.c_void_p.
int pack_void_pointer(const Place& place, PyObject* value, const Packer& packer);

// An object whose method, the helper, returns an address.
int pack_address(const Place& place, PyObject* value, const Packer& packer);

// An object whose method, the helper, returns (version, stream address).
int pack_stream(const Place& place, PyObject* value, const Packer& packer);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_PACK_ADDRESS_H_
