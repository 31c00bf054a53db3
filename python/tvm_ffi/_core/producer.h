// SPDX-License-Identifier: Apache-2.0
// Fills a lent tensor from a Python object, by each way that a producer offers.
#ifndef TVM_FFI_PYTHON_CORE_PRODUCER_H_
#define TVM_FFI_PYTHON_CORE_PRODUCER_H_

#include "lent_tensor.h"

namespace tvm_ffi_core {

// Each returns 0, or -1 with a Python error that does not name the argument yet (the caller does).

// By the DLPack table of the type; borrows.
int fill_from_exchange(LentTensor* lent, const DLPackExchangeAPI* exchange, PyObject* tensor);

// By `__dlpack__`, synchronised with `stream`; owns what the producer hands out.
//
// `read_only` tells whether the producer forbids writing. `device` receives the tensor's device.
int fill_from_dlpack(LentTensor* lent, PyObject* tensor, bool* read_only);

// Straight from a numpy.ndarray; borrows. `ndarray_layout_is_known` must have said yes.
int fill_from_ndarray(LentTensor* lent, PyObject* array, bool* read_only);

// Whether the fields of the sample, read as this extension reads them, are what Python says.
bool ndarray_layout_is_known(nb::object sample, uint64_t data, nb::tuple shape, nb::tuple strides,
                             bool writeable);

// Sets the function that gives (code, bits, lanes) for a numpy.dtype, or raises.
void bind_producer(nb::module_& module);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_PRODUCER_H_
