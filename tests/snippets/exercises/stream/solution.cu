// SPDX-License-Identifier: Apache-2.0
// The solution of the exercise; run: python grade.py stream --solution
#include "tvm_ffi_utils.h"

// count_nonzero(x, count) must set count, one int32, to the number of elements
// of x that are not 0. All of its work must be on the caller's stream.
__global__ void count_nonzero_kernel(const float* x, int* count, int64_t n) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  const int64_t first =
      static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  int own = 0;
  for (int64_t i = first; i < n; i += step) own += x[i] != 0;
  if (own != 0) atomicAdd(count, own);
}

void count_nonzero(ffi::TensorView x, ffi::TensorView count) {
  CHECK_CUDA(x);
  CHECK_DTYPE(x, dl_float32);
  CHECK_CONTIGUOUS(x);
  CHECK_SAME_DEVICE(count, x);
  CHECK_DTYPE(count, dl_int32);
  CHECK_OR_THROW(count.numel() == 1, ValueError, count, "of one element",
                 count.numel());
  CHECK_APART(count, x);
  ffi::CUDADeviceGuard guard(x.device().device_id);
  int* to = data_of<int>(count);
  // [solution.begin]
  cudaStream_t stream = get_stream(x);
  TVM_FFI_CHECK_CUDA_ERROR(cudaMemsetAsync(to, 0, sizeof(int), stream));
  count_nonzero_kernel<<<blocks_for(x.numel(), 256), 256, 0, stream>>>(
      data_of<float>(x), to, x.numel());
  // [solution.end]
  TVM_FFI_CHECK_CUDA_ERROR(cudaGetLastError());
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(count_nonzero, count_nonzero);
