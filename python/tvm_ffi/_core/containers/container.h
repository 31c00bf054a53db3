// SPDX-License-Identifier: Apache-2.0
// The base of the Python types tvm_ffi.Array, List, Map and Dict.
#ifndef TVM_FFI_PYTHON_CORE_CONTAINER_H_
#define TVM_FFI_PYTHON_CORE_CONTAINER_H_

#include "base/common.h"

namespace tvm_ffi_core {

void bind_container(nb::module_& module);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_CONTAINER_H_
