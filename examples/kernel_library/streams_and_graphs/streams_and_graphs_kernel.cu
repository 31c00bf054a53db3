// SPDX-License-Identifier: Apache-2.0
// y = x / sum(x) in two steps with a workspace between them, on a GPU. Build
// with build_cuda.sh, run with load_streams_and_graphs.py.

// [includes.begin]
#include <algorithm>

#include "normalize_checks.h"
// [includes.end]

// [sum.begin]
constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;
constexpr int kAtOnce = 4;  // Loads of a thread that are in flight together.
using Vec = Vector<float>;

// The sum over a block's threads, returned to all of them. The order of
// additions is always the same.
__device__ float sum_over_block(float value) {
  __shared__ float of_warp[kWarps];
  for (int offset = 16; offset > 0; offset /= 2)
    value += __shfl_xor_sync(0xffffffffu, value, offset);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
  __syncthreads();
  float sum = 0;
  for (int warp = 0; warp < kWarps; ++warp) sum += of_warp[warp];
  return sum;
}

// Block p of kParts: workspace[p] = the sum of the elements its threads read.
__global__ void partial_sums_kernel(const float* x, float* workspace,
                                    int64_t vectors, int64_t n) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  const int64_t first =
      static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  float sums[Vec::kSize] = {};
  for (int64_t i = first; i < vectors; i += kAtOnce * step) {
    Vec loaded[kAtOnce] = {};
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k)
      if (i + k * step < vectors)
        loaded[k] = reinterpret_cast<const Vec*>(x)[i + k * step];
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k)
#pragma unroll
      for (int item = 0; item < Vec::kSize; ++item)
        sums[item] += loaded[k].items[item];
  }
  for (int64_t i = vectors * Vec::kSize + first; i < n; i += step)
    sums[0] += x[i];
  const float sum = sum_over_block(sums[0] + sums[1] + sums[2] + sums[3]);
  if (threadIdx.x == 0) workspace[blockIdx.x] = sum;
}
// [sum.end]

// [divide.begin]
__global__ void divide_by_sum_kernel(const float* x, const float* workspace,
                                     float* y, int64_t vectors, int64_t n) {
  float parts = 0;
  for (int64_t p = threadIdx.x; p < kParts; p += kThreads)
    parts += workspace[p];
  const float sum = sum_over_block(parts);
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  const int64_t first =
      static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (int64_t i = first; i < vectors; i += kAtOnce * step) {
    Vec loaded[kAtOnce];
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k)
      if (i + k * step < vectors)
        loaded[k] = reinterpret_cast<const Vec*>(x)[i + k * step];
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) {
      if (i + k * step >= vectors) break;
#pragma unroll
      for (int item = 0; item < Vec::kSize; ++item)
        loaded[k].items[item] /= sum;
      reinterpret_cast<Vec*>(y)[i + k * step] = loaded[k];
    }
  }
  for (int64_t i = vectors * Vec::kSize + first; i < n; i += step)
    y[i] = x[i] / sum;
}
// [divide.end]

// [functions.begin]
// The number of vectors that can be accessed at both addresses.
int64_t vectors_of(const ffi::TensorView& x, const ffi::TensorView& y) {
  const bool aligned =
      is_aligned(data_of<float>(x)) && is_aligned(data_of<float>(y));
  return aligned ? x.numel() / Vec::kSize : 0;
}

// workspace[p] = the sum of the p-th part of x.
void partial_sums(ffi::TensorView x, ffi::TensorView workspace) {
  CHECK_CUDA(x);
  CHECK_INPUTS(x, workspace);
  ffi::CUDADeviceGuard guard(x.device().device_id);
  // Always kParts blocks, so that each element of the workspace is written.
  partial_sums_kernel<<<kParts, kThreads, 0, get_stream(x)>>>(
      data_of<float>(x), data_of<float>(workspace), vectors_of(x, x),
      x.numel());
  TVM_FFI_CHECK_CUDA_ERROR(cudaGetLastError());
}

// y = x / the sum of the workspace's parts.
void divide_by_sum(ffi::TensorView x, ffi::TensorView workspace,
                   ffi::TensorView y) {
  CHECK_CUDA(x);
  CHECK_INPUTS(x, workspace);
  CHECK_OUTPUT(y, x, workspace);
  const int64_t n = x.numel();
  if (n == 0) return;  // An empty grid is an error.
  ffi::CUDADeviceGuard guard(x.device().device_id);
  const int64_t vectors = vectors_of(x, y);
  const int64_t steps =
      std::max((vectors + kAtOnce - 1) / kAtOnce, n - vectors * Vec::kSize);
  // Each block first sums the workspace, so there must not be too many.
  const int64_t blocks =
      std::min<int64_t>((steps + kThreads - 1) / kThreads, 4096);
  divide_by_sum_kernel<<<static_cast<unsigned>(blocks), kThreads, 0,
                         get_stream(x)>>>(data_of<float>(x),
                                          data_of<float>(workspace),
                                          data_of<float>(y), vectors, n);
  TVM_FFI_CHECK_CUDA_ERROR(cudaGetLastError());
}

// Two kernels on one stream run in order.
void normalize(ffi::TensorView x, ffi::TensorView workspace,
               ffi::TensorView y) {
  CHECK_CUDA(x);
  CHECK_INPUTS(x, workspace);
  CHECK_OUTPUT(y, x, workspace);
  partial_sums(x, workspace);
  divide_by_sum(x, workspace, y);
}

int64_t workspace_size() { return kParts; }
// [functions.end]

// [export.begin]
TVM_FFI_DLL_EXPORT_TYPED_FUNC(partial_sums, partial_sums);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(divide_by_sum, divide_by_sum);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(normalize, normalize);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(workspace_size, workspace_size);
// [export.end]
