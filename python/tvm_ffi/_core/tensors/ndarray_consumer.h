// SPDX-License-Identifier: Apache-2.0
// Creates a numpy.ndarray over a tvm_ffi.Tensor through NumPy's C API table.
#ifndef TVM_FFI_PYTHON_CORE_NDARRAY_CONSUMER_H_
#define TVM_FFI_PYTHON_CORE_NDARRAY_CONSUMER_H_

#include "base/common.h"

namespace tvm_ffi_core {

// Whether the type is numpy.ndarray or derives from it; false until NumPy's adapter is loaded.
bool is_ndarray(PyTypeObject* type);

void bind_ndarray_consumer(nb::module_& module);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_NDARRAY_CONSUMER_H_
