// SPDX-License-Identifier: Apache-2.0
// Tensors in memory from malloc. Build with build_cpu.sh, run with
// load_allocators.py.

#include <atomic>
#include <cstdlib>

#include "allocators.h"

namespace {

std::atomic<int64_t> in_use{0};

//! [aligned_malloc]
// Memory from the C library, aligned to `alignment` bytes, a power of two.
struct AlignedMalloc {
  size_t alignment;

  void AllocData(DLTensor* tensor) {
    const size_t size = span_bytes(*tensor);
    if (size == 0) return;  // data stays NULL
    // aligned_alloc requires a multiple of the alignment.
    const size_t whole = (size + alignment - 1) / alignment * alignment;
    tensor->data = std::aligned_alloc(alignment, whole);
    if (tensor->data == nullptr) {
      TVM_FFI_THROW(MemoryError)
          << "aligned_alloc: no memory for " << size << " bytes";
    }
    in_use += static_cast<int64_t>(size);
  }

  void FreeData(DLTensor* tensor) {
    std::free(tensor->data);  // cannot fail
    in_use -= static_cast<int64_t>(span_bytes(*tensor));
  }
};
//! [aligned_malloc]

void check_device(const char* function, DLDevice device) {
  if (device.device_type != kDLCPU) {
    TVM_FFI_THROW(ValueError)
        << function << ": device must be the CPU, got " << text_of(device);
  }
}

}  // namespace

//! [empty]
ffi::Tensor empty(ffi::Shape shape, DLDataType dtype, DLDevice device) {
  check_device("empty", device);
  return ffi::Tensor::FromNDAlloc(AlignedMalloc{64}, shape, dtype, device);
}
//! [empty]

//! [empty_strided]
ffi::Tensor empty_strided(ffi::Shape shape, ffi::Shape strides,
                          DLDataType dtype, DLDevice device) {
  check_device("empty_strided", device);
  return ffi::Tensor::FromNDAllocStrided(AlignedMalloc{64}, shape, strides,
                                         dtype, device);
}
//! [empty_strided]

int64_t bytes_in_use() { return in_use; }

// [export.begin]
TVM_FFI_DLL_EXPORT_TYPED_FUNC(empty, empty);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(empty_strided, empty_strided);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(bytes_in_use, bytes_in_use);
// [export.end]
