// SPDX-License-Identifier: Apache-2.0
// Packs element types, devices and shapes as arguments.
#ifndef TVM_FFI_PYTHON_CORE_PACK_LAYOUT_H_
#define TVM_FFI_PYTHON_CORE_PACK_LAYOUT_H_

#include "conversion/args.h"

namespace tvm_ffi_core {

// A tvm_ffi.dtype, tvm_ffi.Device and tvm_ffi.Shape.
int pack_dtype(const Place& place, PyObject* value, const Packer& packer);

int pack_device(const Place& place, PyObject* value, const Packer& packer);

int pack_shape(const Place& place, PyObject* value, const Packer& packer);

// A framework's dtype; the helper returns (code, bits, lanes).
int pack_foreign_dtype(const Place& place, PyObject* value, const Packer& packer);

// A framework's device; the helper returns (type, id).
int pack_foreign_device(const Place& place, PyObject* value, const Packer& packer);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_PACK_LAYOUT_H_
