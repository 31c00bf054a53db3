// SPDX-License-Identifier: Apache-2.0
// What is registered about object types, as tvm_ffi.type_info shows it.
#ifndef TVM_FFI_PYTHON_CORE_TYPE_INFO_H_
#define TVM_FFI_PYTHON_CORE_TYPE_INFO_H_

#include "base/common.h"

namespace tvm_ffi_core {

void bind_type_info(nb::module_& module);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_TYPE_INFO_H_
