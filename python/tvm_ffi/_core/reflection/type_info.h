// SPDX-License-Identifier: Apache-2.0
// The registered information about object types, for tvm_ffi.type_info.
#ifndef TVM_FFI_PYTHON_CORE_TYPE_INFO_H_
#define TVM_FFI_PYTHON_CORE_TYPE_INFO_H_

#include "base/common.h"

namespace tvm_ffi_core {

void bind_type_info(nb::module_& module);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_TYPE_INFO_H_
