// SPDX-License-Identifier: Apache-2.0
// Kernels for the test of the emulation: one that is right, and mistakes that it must find.
#include "tvm_ffi_utils.h"

namespace {

__device__ float warp_sum(float x) {
  for (int step = 16; step > 0; step /= 2) x += __shfl_down_sync(~0u, x, step);
  return x;
}

// The sum of n numbers by one block, through dynamic shared memory.
template <bool barrier>
__global__ void sum_kernel(const float* x, float* y, int64_t n) {
  extern __shared__ float partial[];
  float sum = 0;
  for (int64_t i = threadIdx.x; i < n; i += blockDim.x) sum += x[i];
  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
  if (barrier) __syncthreads();
  if (threadIdx.x < 32) {
    sum = warp_sum(threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : 0.0f);
    if (threadIdx.x == 0) *y = sum;
  }
}

__global__ void beyond_kernel(const float* x, float* y, int64_t n) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i <= n) y[i] = x[i];
}

__global__ void returns_kernel(float* y) {
  if (threadIdx.x >= 16) return;
  __syncthreads();
  *y = 1;
}

__global__ void half_warp_kernel(float* y) {
  if (threadIdx.x < 16) *y = __shfl_xor_sync(~0u, 1.0f, 1);
}

__global__ void left_out_kernel(float* y) {
  const float value = __shfl_xor_sync(threadIdx.x < 16 ? 0xffffu : 0xffff0000u, 1.0f, 16);
  if (threadIdx.x == 0) *y = value;
}

cudaStream_t stream_of(ffi::TensorView x) { return get_stream(x); }

void sum(ffi::TensorView x, ffi::TensorView y) {
  sum_kernel<true><<<1, 256, 8 * sizeof(float), stream_of(x)>>>(data_of<float>(x),
                                                                data_of<float>(y), x.numel());
}
void sum_without_barrier(ffi::TensorView x, ffi::TensorView y) {
  sum_kernel<false><<<1, 256, 8 * sizeof(float), stream_of(x)>>>(data_of<float>(x),
                                                                 data_of<float>(y), x.numel());
}
void beyond(ffi::TensorView x, ffi::TensorView y) {
  beyond_kernel<<<dim3(static_cast<unsigned>(x.numel() / 32 + 1)), 32>>>(
      data_of<float>(x), data_of<float>(y), x.numel());
}
void no_blocks(ffi::TensorView, ffi::TensorView y) { returns_kernel<<<0, 32>>>(data_of<float>(y)); }
void returns(ffi::TensorView, ffi::TensorView y) { returns_kernel<<<1, 32>>>(data_of<float>(y)); }
void half_warp(ffi::TensorView, ffi::TensorView y) {
  half_warp_kernel<<<1, 32>>>(data_of<float>(y));
}
void left_out(ffi::TensorView, ffi::TensorView y) { left_out_kernel<<<1, 32>>>(data_of<float>(y)); }

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(sum, sum);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(sum_without_barrier, sum_without_barrier);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(beyond, beyond);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(no_blocks, no_blocks);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(returns, returns);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(half_warp, half_warp);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(left_out, left_out);
