// SPDX-License-Identifier: Apache-2.0
// The Python type tvm_ffi.Tensor.
#ifndef TVM_FFI_PYTHON_CORE_TENSOR_H_
#define TVM_FFI_PYTHON_CORE_TENSOR_H_

#include "lending/lent_tensor.h"
#include "objects/object.h"

namespace tvm_ffi_core {

extern PyTypeObject* tensor_type;

void bind_tensor(nb::module_& module);

// Whether a Python Tensor, which may be of a subclass, has its tensor yet; false with a Python
// error set.
bool has_tensor(PyObject* self);

// Like is_read_only(), for a tensor created by libtvm_ffi.
bool is_made_read_only(TVMFFIObject* tensor);

// Whether the producer of a Tensor object forbids writing to it.
inline bool is_read_only(TVMFFIObject* tensor) {
  const LentTensor* lent = lent_tensor_of(tensor);
  return lent != nullptr ? lent->read_only : is_made_read_only(tensor);
}

// The DLPack flags of a Tensor object, as far as this extension knows them. Called by libtvm_ffi
// in any thread, with or without the GIL.
uint64_t known_flags(TVMFFIObjectHandle tensor) noexcept;

// Makes a view lent to a callback own its memory, as an export may outlive the callback.
// 0, or -1 with a Python error set.
int own_before_export(TVMFFIObject* tensor);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_TENSOR_H_
