// SPDX-License-Identifier: Apache-2.0
// The DLPack table with which other libraries read and create tvm_ffi.Tensor without Python calls.
#ifndef TVM_FFI_PYTHON_CORE_OWN_EXCHANGE_H_
#define TVM_FFI_PYTHON_CORE_OWN_EXCHANGE_H_

#include "base/common.h"

namespace tvm_ffi_core {

// Sets tvm_ffi.Tensor.__dlpack_c_exchange_api__.
void bind_own_exchange();

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_OWN_EXCHANGE_H_
