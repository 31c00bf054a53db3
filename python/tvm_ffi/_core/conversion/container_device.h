// SPDX-License-Identifier: Apache-2.0
// Finds a device tensor in a container.
#ifndef TVM_FFI_PYTHON_CORE_CONTAINER_DEVICE_H_
#define TVM_FFI_PYTHON_CORE_CONTAINER_DEVICE_H_

#include "lending/lent_tensor.h"

namespace tvm_ffi_core {

// The first tensor, in the container and those nested in it, that a framework lent and that is on a
// device with streams; NULL if there is none.
const LentTensor* first_device_tensor(TVMFFIObject* container);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_CONTAINER_DEVICE_H_
