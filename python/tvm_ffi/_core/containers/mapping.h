// SPDX-License-Identifier: Apache-2.0
// The Python mapping types, the bases of tvm_ffi.Map and tvm_ffi.Dict.
#ifndef TVM_FFI_PYTHON_CORE_MAPPING_H_
#define TVM_FFI_PYTHON_CORE_MAPPING_H_

#include "base/common.h"

namespace tvm_ffi_core {

// Call after binding the base type.
void bind_mapping(nb::module_& module);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_MAPPING_H_
