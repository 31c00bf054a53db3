// SPDX-License-Identifier: Apache-2.0
// An exercise: repair it, then run: python grade.py graph
#include "tvm_ffi_utils.h"

// [exercise.begin]
// to_shares(x, total, y) must compute y = x / sum(x). The sum goes into total,
// one float32. It must be possible to capture the call in a CUDA graph.
__global__ void total_kernel(const float* x, float* total, int64_t n) {
  float own = 0;
  for (int64_t i = threadIdx.x; i < n; i += blockDim.x) own += x[i];
  const auto add = [](float a, float b) { return a + b; };
  own = reduce_row(own, add);
  if (threadIdx.x == 0) *total = own;
}

__global__ void divide_kernel(const float* x, float total, float* y,
                              int64_t n) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  const int64_t first =
      static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (int64_t i = first; i < n; i += step) y[i] = x[i] / total;
}

void to_shares(ffi::TensorView x, ffi::TensorView total, ffi::TensorView y) {
  CHECK_CUDA(x);
  CHECK_DTYPE(x, dl_float32);
  CHECK_CONTIGUOUS(x);
  CHECK_SAME_DEVICE(total, x);
  CHECK_SAME_DTYPE(total, x);
  CHECK_OR_THROW(total.numel() == 1, ValueError, total, "of one element",
                 total.numel());
  CHECK_APART(total, x);
  CHECK_SAME_DEVICE(y, x);
  CHECK_SAME_DTYPE(y, x);
  CHECK_SAME_SHAPE(y, x);
  CHECK_CONTIGUOUS(y);
  CHECK_NO_PARTIAL_OVERLAP(y, x);
  CHECK_APART(y, total);
  ffi::CUDADeviceGuard guard(x.device().device_id);
  cudaStream_t stream = get_stream(x);
  const int64_t n = x.numel();
  auto* sum = data_of<float>(total);
  total_kernel<<<1, 256, 0, stream>>>(data_of<float>(x), sum, n);
  TVM_FFI_CHECK_CUDA_ERROR(cudaGetLastError());
  float divisor;
  TVM_FFI_CHECK_CUDA_ERROR(cudaMemcpyAsync(&divisor, sum, sizeof(float),
                                           cudaMemcpyDeviceToHost, stream));
  TVM_FFI_CHECK_CUDA_ERROR(cudaStreamSynchronize(stream));
  divide_kernel<<<blocks_for(n, 256), 256, 0, stream>>>(
      data_of<float>(x), divisor, data_of<float>(y), n);
  TVM_FFI_CHECK_CUDA_ERROR(cudaGetLastError());
}
// [exercise.end]

TVM_FFI_DLL_EXPORT_TYPED_FUNC(to_shares, to_shares);
