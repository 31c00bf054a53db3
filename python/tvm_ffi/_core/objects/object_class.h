// SPDX-License-Identifier: Apache-2.0
// Which Python class stands for which object type.
#ifndef TVM_FFI_PYTHON_CORE_OBJECT_CLASS_H_
#define TVM_FFI_PYTHON_CORE_OBJECT_CLASS_H_

#include "base/common.h"

namespace tvm_ffi_core {

// tvm_ffi.Object, the base of all of them.
inline PyTypeObject* object_type = nullptr;

// Never NULL: a type that has objects is registered.
inline const TVMFFITypeInfo* type_info_of(const TVMFFIObject* object) {
  return TVMFFIGetTypeInfo(object->type_index);
}

inline bool is_or_derives_from(const TVMFFITypeInfo* info, int32_t type_index) {
  if (info->type_index == type_index) return true;
  for (int32_t depth = info->type_depth; depth-- > 0;) {
    if (info->type_ancestors[depth]->type_index == type_index) return true;
  }
  return false;
}

// The class of the type's objects, lent; one is made where none is registered. NULL with a Python
// error.
PyTypeObject* class_of(int32_t type_index);

// From now on objects of the type become instances of `type`.
void register_object_class(int32_t type_index, PyTypeObject* type);

// That class, or NULL where none is registered or made yet.
PyTypeObject* registered_class(int32_t type_index);

// What libtvm_ffi knows of a type; throws if there is no such type.
const TVMFFITypeInfo* require_info(int32_t type_index);

void bind_object_class(nb::module_& module);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_OBJECT_CLASS_H_
