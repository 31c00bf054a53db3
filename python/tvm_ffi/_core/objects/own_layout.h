// SPDX-License-Identifier: Apache-2.0
// An instance with a layout that no type shares unless it derives from this one.
#ifndef TVM_FFI_PYTHON_CORE_OWN_LAYOUT_H_
#define TVM_FFI_PYTHON_CORE_OWN_LAYOUT_H_

namespace tvm_ffi_core {

// CPython tells layouts apart by their size alone. If a type adds nothing to that of its base, a
// class may derive from it and from another such type, and the `__class__` of an instance may
// become the other one: its methods would read one kind of object as another.
template <typename Instance>
struct OwnLayout {
  Instance instance;
  void* unused;
};

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_OWN_LAYOUT_H_
