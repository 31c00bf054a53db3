// SPDX-License-Identifier: Apache-2.0
// The Python sequence types, the bases of tvm_ffi.Array and tvm_ffi.List, and their iterator.
#ifndef TVM_FFI_PYTHON_CORE_SEQUENCE_H_
#define TVM_FFI_PYTHON_CORE_SEQUENCE_H_

#include "base/common.h"

namespace tvm_ffi_core {

// Call after binding the base type.
void bind_sequence(nb::module_& module);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_SEQUENCE_H_
