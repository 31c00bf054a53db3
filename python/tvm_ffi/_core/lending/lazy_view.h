// SPDX-License-Identifier: Apache-2.0
// Refuses views whose elements are negated or conjugated when read, which DLPack cannot say.
//
// PyTorch's methods `is_neg` and `is_conj` tell, for some 50 ns each, as they let other threads run
// meanwhile. Both test one bit of the tensor's set of dispatch keys (c10/core/TensorImpl.h), so the
// two bits are read directly where it is known where the set is: the adapter gives sample tensors
// with their address and their set, and every one of them must agree. All implementations of
// tensors have the one base class TensorImpl at their start, so what holds for the samples holds
// for each tensor of the same Python types. Where no place fits all samples, the methods are asked.
#ifndef TVM_FFI_PYTHON_CORE_LAZY_VIEW_H_
#define TVM_FFI_PYTHON_CORE_LAZY_VIEW_H_

#include <cstring>

#include "lending/framework.h"

namespace tvm_ffi_core {

// Where a framework's tensors keep the bits, and which ones they are.
struct LazyBits {
  // The only types that cannot answer for themselves, by __torch_function__.
  PyTypeObject* tensor;
  PyTypeObject* parameter;
  size_t impl_at;  // in the Python object: address of the TensorImpl
  size_t keys_at;  // in the TensorImpl: the set of dispatch keys
  uint64_t mask;
};

// As check_lazy_view(), by asking the framework's methods.
int ask_whether_lazy(const Framework* framework, DLDataType dtype, PyObject* tensor);

// 0, or -1 with a Python error, for a tensor that the framework's DLPack table has accepted.
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
