// SPDX-License-Identifier: Apache-2.0
// The instance layout of tvm_ffi.Array, List, Map and Dict.
#ifndef TVM_FFI_PYTHON_CORE_CONTAINER_INSTANCE_H_
#define TVM_FFI_PYTHON_CORE_CONTAINER_INSTANCE_H_

#include "objects/object.h"

namespace tvm_ffi_core {

struct Framework;

struct ContainerInstance {
  ObjectInstance base;
  // The framework as whose tensors its elements are read; NULL: tvm_ffi.Tensor.
  const Framework* framework;
};

// The base of the four types.
inline PyTypeObject* container_type = nullptr;
inline PyTypeObject* array_type = nullptr;
inline PyTypeObject* list_type = nullptr;
inline PyTypeObject* map_type = nullptr;
inline PyTypeObject* dict_type = nullptr;

// Whether instances of the class may hold objects of the type: a container's class holds its own.
bool reads_objects_of(PyTypeObject* type, int32_t type_index);

inline const Framework* framework_of_container(PyObject* container) {
  return reinterpret_cast<ContainerInstance*>(container)->framework;
}

// Creates an instance whose tensors are read as those of `framework`; takes the reference.
PyObject* wrap_container(TVMFFIObject* owned, const Framework* framework);

inline bool is_sequence(int32_t type_index) {
  return type_index == kTVMFFIArray || type_index == kTVMFFIList;
}
inline bool is_mapping(int32_t type_index) {
  return type_index == kTVMFFIMap || type_index == kTVMFFIDict;
}

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_CONTAINER_INSTANCE_H_
