// SPDX-License-Identifier: Apache-2.0
// An instance layout shared only with types that derive from this one.
#ifndef TVM_FFI_PYTHON_CORE_OWN_LAYOUT_H_
#define TVM_FFI_PYTHON_CORE_OWN_LAYOUT_H_

namespace tvm_ffi_core {

// CPython distinguishes layouts only by size. If a type adds nothing to its base's layout, a
// class may derive from it and from another such type, and an instance's `__class__` may be set
// to the other one: its methods would treat one kind of object as another.
template <typename Instance>
struct OwnLayout {
  Instance instance;
  void* unused;
};

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_OWN_LAYOUT_H_
