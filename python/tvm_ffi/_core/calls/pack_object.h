// SPDX-License-Identifier: Apache-2.0
// Packs objects as arguments: libtvm_ffi objects and any Python object.
#ifndef TVM_FFI_PYTHON_CORE_PACK_OBJECT_H_
#define TVM_FFI_PYTHON_CORE_PACK_OBJECT_H_

#include "conversion/args.h"

namespace tvm_ffi_core {

// A tvm_ffi.Object.
int pack_object(const Place& place, PyObject* value, const Packer& packer);

// Becomes an error.
int pack_exception(const Place& place, PyObject* value, const Packer& packer);

// Becomes a Function.
int pack_callable(const Place& place, PyObject* value, const Packer& packer);

// Becomes an opaque object.
int pack_opaque(const Place& place, PyObject* value, const Packer& packer);

// An object whose method, the helper, returns the value to pass in its place.
int pack_stand_in(const Place& place, PyObject* value, const Packer& packer);

// Rejected by a framework's adapter; the helper is the reason.
int pack_refused(const Place& place, PyObject* value, const Packer& packer);

// Rejected.
int pack_set(const Place& place, PyObject* value, const Packer& packer);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_PACK_OBJECT_H_
