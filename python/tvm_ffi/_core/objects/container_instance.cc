// SPDX-License-Identifier: Apache-2.0
// The instance layout of tvm_ffi.Array, List, Map and Dict.
#include "objects/container_instance.h"

#include <utility>

namespace tvm_ffi_core {

bool reads_objects_of(PyTypeObject* type, int32_t type_index) {
  const std::pair<PyTypeObject*, int32_t> classes[] = {{array_type, kTVMFFIArray},
                                                       {list_type, kTVMFFIList},
                                                       {map_type, kTVMFFIMap},
                                                       {dict_type, kTVMFFIDict}};
  for (const auto& each : classes) {
    if (PyType_IsSubtype(type, each.first)) return type_index == each.second;
  }
  return true;
}

PyObject* wrap_container(TVMFFIObject* owned, const Framework* framework) {
  PyObject* instance = wrap_object(owned);
  if (instance != nullptr && PyObject_TypeCheck(instance, container_type)) {
    reinterpret_cast<ContainerInstance*>(instance)->framework = framework;
  }
  return instance;
}

}  // namespace tvm_ffi_core
