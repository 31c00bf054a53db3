// SPDX-License-Identifier: Apache-2.0
// Fills a lent tensor by the DLPack table of its type.
#ifndef TVM_FFI_PYTHON_CORE_EXCHANGE_PRODUCER_H_
#define TVM_FFI_PYTHON_CORE_EXCHANGE_PRODUCER_H_

#include "lending/producer.h"

namespace tvm_ffi_core {

// By the table of the lent tensor's framework; borrows unless told to own.
int fill_from_exchange(LentTensor* lent, PyObject* tensor, Lending how);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_EXCHANGE_PRODUCER_H_
