// SPDX-License-Identifier: Apache-2.0
// Maps object types to Python classes.
#ifndef TVM_FFI_PYTHON_CORE_OBJECT_CLASS_H_
#define TVM_FFI_PYTHON_CORE_OBJECT_CLASS_H_

#include "base/common.h"

namespace tvm_ffi_core {

// tvm_ffi.Object, the base of all object classes.
inline PyTypeObject* object_type = nullptr;

// Never NULL: a type with objects is registered.
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

// The class of the type's objects, borrowed; created if none is registered. NULL with a Python
// error set.
PyTypeObject* class_of(int32_t type_index);

// From now on, objects with this type index become instances of `type`.
void register_object_class(int32_t type_index, PyTypeObject* type);

// That class, or NULL if none is registered or created yet.
PyTypeObject* registered_class(int32_t type_index);

// libtvm_ffi's information about a type; throws if there is no such type.
const TVMFFITypeInfo* require_info(int32_t type_index);

void bind_object_class(nb::module_& module);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_OBJECT_CLASS_H_
