// SPDX-License-Identifier: Apache-2.0
// The Python type tvm_ffi.Tensor.
#ifndef TVM_FFI_PYTHON_CORE_TENSOR_H_
#define TVM_FFI_PYTHON_CORE_TENSOR_H_

#include "framework.h"
#include "object.h"

namespace tvm_ffi_core {

struct TensorInstance {
  ObjectInstance base;
  // The framework that from_dlpack took it from, whose stream calls follow; or NULL.
  const Framework* framework;
  // Imported by leave of allow_read_only: exported with the same flag.
  bool read_only;
};

extern PyTypeObject* tensor_type;

void bind_tensor(nb::module_& module);

// The capsule behind tvm_ffi.Tensor.__dlpack_c_exchange_api__.
nb::object make_exchange_capsule();

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_TENSOR_H_
