// SPDX-License-Identifier: Apache-2.0
// An exercise: repair it, then run: python grade.py device
#include "tvm_ffi_utils.h"

// [exercise.begin]
// plus_one(x, y) must compute y = x + 1 on the GPU of x. After the call, even
// after an error, the caller's GPU must be the current one.
__global__ void plus_one_kernel(const float* x, float* y, int64_t n) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  const int64_t first =
      static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (int64_t i = first; i < n; i += step) y[i] = x[i] + 1;
}

void plus_one(ffi::TensorView x, ffi::TensorView y) {
  CHECK_CUDA(x);
  CHECK_DTYPE(x, dl_float32);
  CHECK_CONTIGUOUS(x);
  CHECK_SAME_DEVICE(y, x);
  CHECK_SAME_DTYPE(y, x);
  CHECK_SAME_SHAPE(y, x);
  CHECK_CONTIGUOUS(y);
  CHECK_NO_PARTIAL_OVERLAP(y, x);
  TVM_FFI_CHECK_CUDA_ERROR(cudaSetDevice(x.device().device_id));
  plus_one_kernel<<<blocks_for(x.numel(), 256), 256, 0, get_stream(x)>>>(
      data_of<float>(x), data_of<float>(y), x.numel());
  TVM_FFI_CHECK_CUDA_ERROR(cudaGetLastError());
}
// [exercise.end]

TVM_FFI_DLL_EXPORT_TYPED_FUNC(plus_one, plus_one);
