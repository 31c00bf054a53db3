// SPDX-License-Identifier: Apache-2.0
// Fills a lent tensor through DLPack's Python protocol: `__dlpack_device__` and `__dlpack__`.
#ifndef TVM_FFI_PYTHON_CORE_DLPACK_PRODUCER_H_
#define TVM_FFI_PYTHON_CORE_DLPACK_PRODUCER_H_

#include "lending/producer.h"

namespace tvm_ffi_core {

// Calls `__dlpack__`, whose work is ordered before the environment's stream; owns.
int fill_from_dlpack(LentTensor* lent, PyObject* tensor, Lending how);

// Consumes the capsule that `__dlpack__` returned; owns. 0, or -1 with a Python error set.
int fill_from_capsule(LentTensor* lent, PyObject* capsule);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_DLPACK_PRODUCER_H_
