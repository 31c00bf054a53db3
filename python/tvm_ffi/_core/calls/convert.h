// SPDX-License-Identifier: Apache-2.0
// Converts Python values to what a function would receive.
#ifndef TVM_FFI_PYTHON_CORE_CONVERT_H_
#define TVM_FFI_PYTHON_CORE_CONVERT_H_

#include "base/common.h"

namespace tvm_ffi_core {

void bind_convert(nb::module_& module);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_CONVERT_H_
