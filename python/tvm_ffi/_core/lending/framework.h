// SPDX-License-Identifier: Apache-2.0
// The call path's view of a tensor framework, filled in by its adapter in tvm_ffi.frameworks.
#ifndef TVM_FFI_PYTHON_CORE_FRAMEWORK_H_
#define TVM_FFI_PYTHON_CORE_FRAMEWORK_H_

#include "base/common.h"

namespace tvm_ffi_core {

struct LazyBits;

// Created once per framework and never freed, as the types that refer to it are never forgotten.
struct Framework {
  const char* name;
  // Whether calls with tensors of several frameworks return this framework's tensors.
  bool wins = false;
  // From the framework's tensor type; NULL if it has none.
  const DLPackExchangeAPI* exchange = nullptr;
  // Whether it does not support negative strides: given such a tensor, PyTorch aborts the process
  // and PaddlePaddle reads other memory.
  bool forward_only = false;
  // Converts a tvm_ffi.Tensor to a framework tensor; NULL: use `exchange`, or do not convert.
  PyObject* from_tensor = nullptr;
  // For a framework without a table; each may be NULL. `prepare` returns the object whose
  // `__dlpack__` is called in the tensor's place, or raises; `current_stream` returns the address
  // of the framework's current stream, given a device id; `allocate` returns a tensor in device
  // memory, given (shape, tvm_ffi.dtype, device id).
  PyObject* prepare = nullptr;
  PyObject* current_stream = nullptr;
  PyObject* allocate = nullptr;
  // Return whether a tensor is a view whose elements are negated or conjugated on read, which
  // DLPack cannot express; NULL for a framework without such views.
  PyObject* is_negative = nullptr;
  PyObject* is_conjugate = nullptr;
  // How to check without a call that a tensor is not such a view; NULL if unknown.
  const LazyBits* lazy_bits = nullptr;
  // Returns whether the framework supports a tvm_ffi.dtype; cached. NULL: it supports all.
  PyObject* has_dtype = nullptr;
  struct Held {
    DLDataType dtype;
    int8_t answer;  // 0: unknown, 1: yes, -1: no
  };
  mutable Held held[16] = {};

  bool can_allocate() const { return exchange != nullptr || allocate != nullptr; }
};

// Whether a tensor can become a framework tensor: 1 or 0, or -1 with a Python error set.
int can_hold(const Framework* framework, const DLTensor& tensor);

// The DLPack table of a type; NULL without an error if it has no usable one.
const DLPackExchangeAPI* exchange_api_of(PyObject* type);

void bind_framework(nb::module_& module);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_FRAMEWORK_H_
