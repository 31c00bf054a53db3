// SPDX-License-Identifier: Apache-2.0
// Divides a vector by its sum in one launch: all blocks wait for each other between two passes.
#include <cooperative_groups.h>

#include <algorithm>

#include "tvm_ffi_utils.h"

namespace {

constexpr int kThreads = 256;

// [kernel.begin]
__global__ void __launch_bounds__(kThreads)
    divide_by_sum_kernel(const float* x, float* parts, float* y, int64_t n) {
  const int64_t first = int64_t{blockIdx.x} * kThreads + threadIdx.x;
  const int64_t step = int64_t{gridDim.x} * kThreads;
  const auto add = [](float a, float b) { return a + b; };
  float sum = 0;
  for (int64_t i = first; i < n; i += step) sum += x[i];
  sum = reduce_row(sum, add);
  if (threadIdx.x == 0) parts[blockIdx.x] = sum;

  cooperative_groups::this_grid().sync();  // Every part is written.

  sum = 0;
  for (unsigned i = threadIdx.x; i < gridDim.x; i += kThreads) sum += parts[i];
  sum = reduce_row(sum, add);
  for (int64_t i = first; i < n; i += step) y[i] = x[i] / sum;
}
// [kernel.end]

void divide_by_sum(ffi::TensorView x, ffi::TensorView parts, ffi::TensorView y) {
  CHECK_CUDA(x);
  CHECK_DTYPE(x, dl_float32);
  CHECK_CONTIGUOUS(x);
  CHECK_ALIGNED(x);
  CHECK_SAME_DEVICE(parts, x);
  CHECK_SAME_DTYPE(parts, x);
  CHECK_CONTIGUOUS(parts);
  CHECK_ALIGNED(parts);
  CHECK_OR_THROW(parts.numel() > 0, ValueError, parts, "of 1 element or more", "none");
  CHECK_SAME_DEVICE(y, x);
  CHECK_SAME_DTYPE(y, x);
  CHECK_SAME_SHAPE(y, x);
  CHECK_CONTIGUOUS(y);
  CHECK_ALIGNED(y);
  CHECK_NO_PARTIAL_OVERLAP(y, x);
  CHECK_APART(parts, x);
  CHECK_APART(parts, y);
  const int64_t n = x.numel();
  if (n == 0) return;

  // [launch.begin]
  const int device = x.device().device_id;
  ffi::CUDADeviceGuard guard(device);
  int can = 0, multiprocessors = 0, blocks = 0;
  TVM_FFI_CHECK_CUDA_ERROR(cudaDeviceGetAttribute(&can, cudaDevAttrCooperativeLaunch, device));
  CHECK_OR_THROW(can, ValueError, x, "on a device that has cooperative launches",
                 text_of(x.device()) << ", which has none");
  TVM_FFI_CHECK_CUDA_ERROR(
      cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  TVM_FFI_CHECK_CUDA_ERROR(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, divide_by_sum_kernel, kThreads, 0));
  const int64_t resident = int64_t{multiprocessors} * blocks;

  cudaLaunchAttribute cooperative{};
  cooperative.id = cudaLaunchAttributeCooperative;
  cooperative.val.cooperative = 1;
  cudaLaunchConfig_t config{};
  const int64_t most = std::min(resident, parts.numel());
  config.gridDim = static_cast<unsigned>(std::min<int64_t>(blocks_for(n, kThreads), most));
  config.blockDim = kThreads;
  config.stream = get_stream(x);
  config.attrs = &cooperative;
  config.numAttrs = 1;
  TVM_FFI_CHECK_CUDA_ERROR(cudaLaunchKernelEx(&config, divide_by_sum_kernel, data_of<float>(x),
                                              data_of<float>(parts), data_of<float>(y), n));
  // [launch.end]
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(divide_by_sum, divide_by_sum);
