// SPDX-License-Identifier: Apache-2.0
// Rejects views whose elements are negated or conjugated on read, which DLPack cannot express.
//
// PyTorch's methods `is_neg` and `is_conj` take some 50 ns each, as they release the GIL. Both test
// one bit of the tensor's dispatch key set (c10/core/TensorImpl.h), so the two bits are read
// directly if the location of the key set is known: the adapter provides sample tensors with their
// addresses and key sets, and all of them must agree. Every tensor implementation has the base
// class TensorImpl at offset 0, so what holds for the samples holds for every tensor of the same
// Python types. If no location fits all samples, the methods are called.
#ifndef TVM_FFI_PYTHON_CORE_LAZY_VIEW_H_
#define TVM_FFI_PYTHON_CORE_LAZY_VIEW_H_

#include <cstring>

#include "lending/framework.h"

namespace tvm_ffi_core {

// Where a framework's tensors store the bits, and which bits they are.
struct LazyBits {
  // The only types that cannot override the methods, through __torch_function__.
  PyTypeObject* tensor;
  PyTypeObject* parameter;
  size_t impl_at;  // in the Python object: address of the TensorImpl
  size_t keys_at;  // in the TensorImpl: the set of dispatch keys
  uint64_t mask;
};

// Like check_lazy_view(), but calls the framework's methods.
int ask_whether_lazy(const Framework* framework, DLDataType dtype, PyObject* tensor);

// 0, or -1 with a Python error set, for a tensor that the framework's DLPack table has accepted.
inline int check_lazy_view(const Framework* framework, DLDataType dtype, PyObject* tensor) {
  const LazyBits* bits = framework->lazy_bits;
  if (bits != nullptr && (Py_TYPE(tensor) == bits->tensor || Py_TYPE(tensor) == bits->parameter)) {
    const char* impl;
    uint64_t keys;
    std::memcpy(&impl, reinterpret_cast<const char*>(tensor) + bits->impl_at, sizeof(impl));
    std::memcpy(&keys, impl + bits->keys_at, sizeof(keys));
    if ((keys & bits->mask) == 0) return 0;
  }
  return ask_whether_lazy(framework, dtype, tensor);
}

void bind_lazy_view(nb::module_& module);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_LAZY_VIEW_H_
