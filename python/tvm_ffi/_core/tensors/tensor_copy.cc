// SPDX-License-Identifier: Apache-2.0
// Copies tensors on the host.
#include "tensors/tensor_copy.h"

#include <tvm/ffi/container/tensor.h>

#include <cstring>
#include <new>

#include "base/guarded.h"

namespace tvm_ffi_core {

namespace {

// Aligned for libraries that use vector instructions.
struct HostMemory {
  static constexpr std::align_val_t kAlignment{64};
  void AllocData(DLTensor* tensor) {
    tensor->data = ::operator new(ffi::GetDataSize(*tensor), kAlignment);
  }
  void FreeData(DLTensor* tensor) { ::operator delete(tensor->data, kAlignment); }
};

// Copies the elements of the dimensions from `dimension` on, and returns the end of the output.
char* copy_elements(const DLTensor& tensor, int dimension, const char* from, char* to) {
  const auto bytes = static_cast<int64_t>(ffi::GetDataSize(1, tensor.dtype));
  if (dimension == tensor.ndim) {
    std::memcpy(to, from, static_cast<size_t>(bytes));
    return to + bytes;
  }
  for (int64_t i = 0; i < tensor.shape[dimension]; ++i) {
    to = copy_elements(tensor, dimension + 1, from, to);
    from += tensor.strides[dimension] * bytes;
  }
  return to;
}

}  // namespace

ObjectRef copy_of_tensor(const DLTensor& tensor) {
  const bool is_compact = ffi::IsContiguous(tensor);
  if (tensor.device.device_type != kDLCPU ||
      (!is_compact && tensor.dtype.bits * tensor.dtype.lanes % 8 != 0)) {
    PyErr_Format(PyExc_BufferError,
                 "copy: expected None or False for a tensor that is not on the CPU or has gaps "
                 "between elements of less than a byte, got True");
    return ObjectRef();
  }
  return guarded(ObjectRef(), [&] {
    const ffi::ShapeView shape(tensor.shape, static_cast<size_t>(tensor.ndim));
    ffi::Tensor copy = ffi::Tensor::FromNDAlloc(HostMemory(), shape, tensor.dtype, tensor.device);
    const char* from = static_cast<const char*>(tensor.data) + tensor.byte_offset;
    auto* to = static_cast<char*>(copy.data_ptr());
    if (!is_compact) {
      copy_elements(tensor, 0, from, to);
    } else if (const size_t bytes = ffi::GetDataSize(tensor)) {
      std::memcpy(to, from, bytes);
    }
    return ObjectRef(ffi::ObjectUnsafe::MoveToOwned(std::move(copy)));
  });
}

}  // namespace tvm_ffi_core
