// SPDX-License-Identifier: Apache-2.0
// Reverses each row of a matrix in shared memory; a row may take more than 48 KB.
#include <atomic>

#include "tvm_ffi_utils.h"

namespace {

__global__ void reverse_kernel(const float* x, float* y, int64_t rows, int64_t length) {
  extern __shared__ float items[];
  for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
    for (int64_t i = threadIdx.x; i < length; i += blockDim.x) items[i] = x[row * length + i];
    __syncthreads();
    for (int64_t i = threadIdx.x; i < length; i += blockDim.x)
      y[row * length + i] = items[length - 1 - i];
    __syncthreads();  // The next row may overwrite this one.
  }
}

// [limit.begin]
// Raises a kernel's limit to the most that a block may have on this device, the
// current one, and returns it. Later calls look it up in a table.
template <auto kKernel>
int64_t raise_shared_memory_limit(int device) {
  constexpr int kDevices = 64;
  static std::atomic<int> limits[kDevices];  // 0: not known yet
  if (device < kDevices && limits[device] != 0) return limits[device];
  int most = 0;
  TVM_FFI_CHECK_CUDA_ERROR(
      cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  cudaFuncAttributes kernel{};
  TVM_FFI_CHECK_CUDA_ERROR(cudaFuncGetAttributes(&kernel, kKernel));
  const int limit = most - static_cast<int>(kernel.sharedSizeBytes);
  TVM_FFI_CHECK_CUDA_ERROR(
      cudaFuncSetAttribute(kKernel, cudaFuncAttributeMaxDynamicSharedMemorySize, limit));
  if (device < kDevices) limits[device] = limit;
  return limit;
}
// [limit.end]

void reverse_rows(ffi::TensorView x, ffi::TensorView y) {
  CHECK_CUDA(x);
  CHECK_DIM(2, x);
  CHECK_DTYPE(x, dl_float32);
  CHECK_CONTIGUOUS(x);
  CHECK_ALIGNED(x);
  CHECK_SAME_DEVICE(y, x);
  CHECK_SAME_DTYPE(y, x);
  CHECK_SAME_SHAPE(y, x);
  CHECK_CONTIGUOUS(y);
  CHECK_ALIGNED(y);
  CHECK_NO_PARTIAL_OVERLAP(y, x);
  if (x.numel() == 0) return;

  // [launch.begin]
  const int device = x.device().device_id;
  ffi::CUDADeviceGuard guard(device);
  const int64_t limit = raise_shared_memory_limit<reverse_kernel>(device);
  const int64_t length = x.size(1);
  CHECK_OR_THROW(length <= limit / int64_t{sizeof(float)}, ValueError, x,
                 "of rows of at most " << limit << " bytes, the shared memory of a block on "
                                       << text_of(x.device()),
                 "shape " << text_of(x.shape()) << " of " << text_of(x.dtype()));
  const size_t bytes = static_cast<size_t>(length) * sizeof(float);
  reverse_kernel<<<blocks_for(x.size(0), 1), 256, bytes, get_stream(x)>>>(
      data_of<float>(x), data_of<float>(y), x.size(0), length);
  TVM_FFI_CHECK_CUDA_ERROR(cudaGetLastError());
  // [launch.end]
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(reverse_rows, reverse_rows);
