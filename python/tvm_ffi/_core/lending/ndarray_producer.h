// SPDX-License-Identifier: Apache-2.0
// Fills a lent tensor directly from a numpy.ndarray, without calling NumPy.
#ifndef TVM_FFI_PYTHON_CORE_NDARRAY_PRODUCER_H_
#define TVM_FFI_PYTHON_CORE_NDARRAY_PRODUCER_H_

#include "lending/producer.h"

namespace tvm_ffi_core {

// From a numpy.ndarray whose layout the adapter has verified; borrows.
int fill_from_ndarray(LentTensor* lent, PyObject* array, Lending how);

void bind_ndarray_producer(nb::module_& module);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_NDARRAY_PRODUCER_H_
