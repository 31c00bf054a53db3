// SPDX-License-Identifier: Apache-2.0
// The kinds of Python values that can be passed, one per row.
#ifndef TVM_FFI_PYTHON_CORE_KINDS_H_
#define TVM_FFI_PYTHON_CORE_KINDS_H_

#include "base/common.h"

namespace tvm_ffi_core {

void bind_kinds();

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_KINDS_H_
