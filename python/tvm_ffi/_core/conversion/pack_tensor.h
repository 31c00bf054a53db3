// SPDX-License-Identifier: Apache-2.0
// Packs tensors, and containers that may hold tensors, as arguments whose streams the call follows.
#ifndef TVM_FFI_PYTHON_CORE_PACK_TENSOR_H_
#define TVM_FFI_PYTHON_CORE_PACK_TENSOR_H_

#include "conversion/args.h"

namespace tvm_ffi_core {

// A tensor of a framework with a DLPack table.
int pack_exchange_tensor(const Place& place, PyObject* value, const Packer& packer);

// A tensor of another framework.
int pack_tensor(const Place& place, PyObject* value, const Packer& packer);

// A tvm_ffi.Tensor.
int pack_own_tensor(const Place& place, PyObject* value, const Packer& packer);

// A tvm_ffi.Array, List, Map or Dict.
int pack_container(const Place& place, PyObject* value, const Packer& packer);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_PACK_TENSOR_H_
