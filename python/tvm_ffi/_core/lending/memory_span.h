// SPDX-License-Identifier: Apache-2.0
// Tests whether one tensor's memory is contained in another's.
#ifndef TVM_FFI_PYTHON_CORE_MEMORY_SPAN_H_
#define TVM_FFI_PYTHON_CORE_MEMORY_SPAN_H_

#include <tvm/ffi/device.h>

namespace tvm_ffi_core {

// The half-open address range of a tensor's elements.
struct MemorySpan {
  explicit MemorySpan(const DLTensor& tensor) {
    int64_t first = 0, last = 0, step = 1;  // in elements
    bool is_empty = false;
    for (int i = tensor.ndim; i-- > 0; step *= tensor.shape[i]) {
      is_empty = is_empty || tensor.shape[i] == 0;
      int64_t stride = tensor.strides != nullptr ? tensor.strides[i] : step;
      (stride < 0 ? first : last) += (tensor.shape[i] - 1) * stride;
    }
    begin = end = reinterpret_cast<uintptr_t>(tensor.data) + tensor.byte_offset;
    if (is_empty) return;
    const int64_t bits = int64_t{tensor.dtype.bits} * tensor.dtype.lanes;
    begin -= static_cast<uintptr_t>((-first * bits + 7) / 8);
    end += static_cast<uintptr_t>(((last + 1) * bits + 7) / 8);
  }

  uintptr_t begin;
  uintptr_t end;
};

// Whether keeping the memory of `whole` alive also keeps that of `part` alive.
inline bool lies_within(const DLTensor& part, const DLTensor& whole) {
  if (part.device != whole.device) return false;
  // Opaque handles cannot be compared as addresses.
  if (!tvm::ffi::HasPlainAddresses(part.device)) return part.data == whole.data;
  const MemorySpan inner(part), outer(whole);
  return inner.begin >= outer.begin && inner.end <= outer.end;
}

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_MEMORY_SPAN_H_
