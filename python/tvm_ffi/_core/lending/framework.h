// SPDX-License-Identifier: Apache-2.0
// A tensor framework as the call path sees it; its adapter in tvm_ffi.frameworks fills it in.
#ifndef TVM_FFI_PYTHON_CORE_FRAMEWORK_H_
#define TVM_FFI_PYTHON_CORE_FRAMEWORK_H_

#include "base/common.h"

namespace tvm_ffi_core {

struct LazyBits;

// Made once per framework and never freed, as the types that refer to it are never forgotten.
struct Framework {
  const char* name;
  // Results of calls with tensors of several frameworks become this one's.
  bool wins = false;
  // From the framework's tensor type; NULL for a framework that has none.
  const DLPackExchangeAPI* exchange = nullptr;
  // Whether it has no tensors with negative strides: given one, PyTorch ends the process and
  // PaddlePaddle shows other memory.
  bool forward_only = false;
  // Turns a tvm_ffi.Tensor into a tensor of the framework; NULL: use `exchange`, or leave it.
  PyObject* from_tensor = nullptr;
  // For a framework without a table, each may be NULL. `prepare` gives the object whose
  // `__dlpack__` is called in the tensor's place, or raises; `current_stream` gives the address of
  // the stream that the framework works on, from a device id; `allocate` gives a tensor in a
  // device's memory, from (shape, tvm_ffi.dtype, device id).
  PyObject* prepare = nullptr;
  PyObject* current_stream = nullptr;
  PyObject* allocate = nullptr;
  // Return whether a tensor is a view whose elements are to be negated or conjugated when read,
  // which DLPack cannot say; NULL for a framework without such views.
  PyObject* is_negative = nullptr;
  PyObject* is_conjugate = nullptr;
  // How to see without asking that a tensor is no such view; NULL: not known.
  const LazyBits* lazy_bits = nullptr;
  // Returns whether a tvm_ffi.dtype is one of the framework's; NULL: all are. Asked once for each.
  PyObject* has_dtype = nullptr;
  struct Held {
    DLDataType dtype;
    int8_t answer;  // 0: not asked yet, 1: yes, -1: no
  };
  mutable Held held[16] = {};

  bool can_allocate() const { return exchange != nullptr || allocate != nullptr; }
};

// Whether a tensor can become one of the framework: 1 or 0, or -1 with a Python error.
int can_hold(const Framework* framework, const DLTensor& tensor);

// The DLPack table of a type: NULL without an error when it has none that can be used.
const DLPackExchangeAPI* exchange_api_of(PyObject* type);

void bind_framework(nb::module_& module);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_FRAMEWORK_H_
