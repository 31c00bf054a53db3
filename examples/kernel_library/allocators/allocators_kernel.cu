// SPDX-License-Identifier: Apache-2.0
// Tensors in memory from cudaMalloc and cudaMallocAsync. Build with
// build_cuda.sh, run with load_allocators.py.

#include <cuda_runtime.h>

#include <atomic>

#include "allocators.h"

namespace {

std::atomic<int64_t> in_use{0};

//! [on_device]
// Calls a CUDA function with a GPU as the current one. Does not throw, so that
// FreeData may use it.
template <typename Call>
cudaError_t on_device(DLDevice device, Call call) {
  int before = 0;
  cudaError_t error = cudaGetDevice(&before);
  if (error == cudaSuccess) error = cudaSetDevice(device.device_id);
  if (error != cudaSuccess) return error;
  error = call();
  const cudaError_t back = cudaSetDevice(before);
  return error != cudaSuccess ? error : back;
}

void check_allocated(const char* call, cudaError_t error, size_t size) {
  if (error == cudaSuccess) {
    in_use += static_cast<int64_t>(size);
    return;
  }
  cudaGetLastError();  // Otherwise the next checked launch would report it.
  if (error == cudaErrorMemoryAllocation) {
    TVM_FFI_THROW(MemoryError)
        << call << ": no memory for " << size << " bytes";
  }
  TVM_FFI_THROW(RuntimeError) << call << ": " << cudaGetErrorName(error) << ": "
                              << cudaGetErrorString(error);
}

void report_unless_freed(const char* call, cudaError_t error, size_t size) {
  // At process exit, CUDA may be unloaded before the tensor is destroyed, and
  // its memory with it.
  if (error == cudaErrorCudartUnloading) return;
  if (error != cudaSuccess) {
    cudaGetLastError();
    report_failed_free(call, cudaGetErrorString(error));
    return;
  }
  in_use -= static_cast<int64_t>(size);
}
//! [on_device]

//! [cuda_malloc]
// Memory that any stream of the GPU may use at once. cudaFree waits for all
// work on the GPU, so this is for rare allocations.
struct CudaMalloc {
  void AllocData(DLTensor* tensor) {
    const size_t size = span_bytes(*tensor);
    if (size == 0) return;  // data stays NULL
    auto call = [&] { return cudaMalloc(&tensor->data, size); };
    check_allocated("cudaMalloc", on_device(tensor->device, call), size);
  }

  void FreeData(DLTensor* tensor) {
    if (tensor->data == nullptr) return;
    auto call = [&] { return cudaFree(tensor->data); };
    report_unless_freed("cudaFree", on_device(tensor->device, call),
                        span_bytes(*tensor));
  }
};
//! [cuda_malloc]

//! [cuda_malloc_async]
// Stream-ordered memory: work queued on the stream after the allocation may
// use it, and it is freed after the work queued before the last owner was
// destroyed. Nothing blocks. The stream must outlive the tensor.
struct CudaMallocAsync {
  cudaStream_t stream;

  void AllocData(DLTensor* tensor) {
    const size_t size = span_bytes(*tensor);
    if (size == 0) return;  // data stays NULL
    auto call = [&] {
      // Memory allocated in a capture belongs to the graph, not to a tensor.
      const cudaError_t error = is_idle();
      if (error != cudaSuccess) return error;
      return cudaMallocAsync(&tensor->data, size, stream);
    };
    check_allocated("cudaMallocAsync", on_device(tensor->device, call), size);
  }

  void FreeData(DLTensor* tensor) {
    if (tensor->data == nullptr) return;
    auto call = [&] {
      // A graph would free it at every launch.
      const cudaError_t error = is_idle();
      if (error != cudaSuccess) return error;
      return cudaFreeAsync(tensor->data, stream);
    };
    report_unless_freed("cudaFreeAsync", on_device(tensor->device, call),
                        span_bytes(*tensor));
  }

 private:
  cudaError_t is_idle() const {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    const cudaError_t error = cudaStreamIsCapturing(stream, &status);
    if (error != cudaSuccess) return error;
    return status == cudaStreamCaptureStatusNone
               ? cudaSuccess
               : cudaErrorStreamCaptureUnsupported;
  }
};
//! [cuda_malloc_async]

void check_device(const char* function, DLDevice device) {
  if (device.device_type != kDLCUDA) {
    TVM_FFI_THROW(ValueError)
        << function << ": device must be a CUDA device, got "
        << text_of(device);
  }
}

}  // namespace

//! [empty]
ffi::Tensor empty(ffi::Shape shape, DLDataType dtype, DLDevice device) {
  check_device("empty", device);
  return ffi::Tensor::FromNDAlloc(CudaMalloc(), shape, dtype, device);
}
//! [empty]

//! [empty_strided]
ffi::Tensor empty_strided(ffi::Shape shape, ffi::Shape strides,
                          DLDataType dtype, DLDevice device) {
  check_device("empty_strided", device);
  return ffi::Tensor::FromNDAllocStrided(CudaMalloc(), shape, strides, dtype,
                                         device);
}
//! [empty_strided]

//! [empty_async]
ffi::Tensor empty_async(ffi::Shape shape, DLDataType dtype, DLDevice device) {
  check_device("empty_async", device);
  void* current = TVMFFIEnvGetStream(device.device_type, device.device_id);
  CudaMallocAsync alloc{static_cast<cudaStream_t>(current)};
  return ffi::Tensor::FromNDAlloc(alloc, shape, dtype, device);
}
//! [empty_async]

int64_t bytes_in_use() { return in_use; }

// [export.begin]
TVM_FFI_DLL_EXPORT_TYPED_FUNC(empty, empty);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(empty_strided, empty_strided);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(empty_async, empty_async);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(bytes_in_use, bytes_in_use);
// [export.end]
