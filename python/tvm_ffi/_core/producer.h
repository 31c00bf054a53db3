// SPDX-License-Identifier: Apache-2.0
// Fills a lent tensor from a Python object, by each way that a producer offers.
#ifndef TVM_FFI_PYTHON_CORE_PRODUCER_H_
#define TVM_FFI_PYTHON_CORE_PRODUCER_H_

#include "lent_tensor.h"

namespace tvm_ffi_core {

// Each returns 0, or -1 with a Python error that does not name the argument yet (the caller does).

// By the DLPack table of the lent tensor's framework; borrows unless `own`.
int fill_from_exchange(LentTensor* lent, PyObject* tensor, bool own);

// By `__dlpack__`, whose work is ordered before the environment's stream; owns.
int fill_from_dlpack(LentTensor* lent, PyObject* tensor);

// From what `__dlpack__` gave, which is used up; owns.
int fill_from_capsule(LentTensor* lent, PyObject* capsule);

// Straight from a numpy.ndarray, whose layout the adapter has checked; borrows.
int fill_from_ndarray(LentTensor* lent, PyObject* array);

void bind_producer(nb::module_& module);

// Makes arrays of tensors: the other way round.
void bind_ndarray_consumer(nb::module_& module);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_PRODUCER_H_
