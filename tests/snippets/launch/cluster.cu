// SPDX-License-Identifier: Apache-2.0
// Sums each row of a matrix with a cluster of blocks, which read each other's shared memory.
#include <cooperative_groups.h>

#include <algorithm>

#include "tvm_ffi_utils.h"

namespace {

constexpr int kThreads = 256;
constexpr int kBlocks = 4;  // per cluster

// [kernel.begin]
__global__ void __launch_bounds__(kThreads)
    sum_rows_kernel(const float* x, float* y, int64_t rows, int64_t length) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  __shared__ float part;
  const auto cluster = cooperative_groups::this_cluster();
  const unsigned rank = cluster.block_rank();
  for (int64_t row = blockIdx.x / kBlocks; row < rows; row += gridDim.x / kBlocks) {
    float sum = 0;
    for (int64_t i = int64_t{rank} * kThreads + threadIdx.x; i < length; i += kBlocks * kThreads)
      sum += x[row * length + i];
    sum = reduce_row(sum, [](float a, float b) { return a + b; });
    if (threadIdx.x == 0) part = sum;
    cluster.sync();  // Every part is written.
    if (rank == 0 && threadIdx.x == 0) {
      sum = 0;
      for (unsigned other = 0; other < kBlocks; ++other)
        sum += *cluster.map_shared_rank(&part, other);
      y[row] = sum;
    }
    cluster.sync();  // A block that continues or exits invalidates its part.
  }
#endif
}
// [kernel.end]

void sum_rows(ffi::TensorView x, ffi::TensorView y) {
  CHECK_CUDA(x);
  CHECK_DIM(2, x);
  CHECK_DTYPE(x, dl_float32);
  CHECK_CONTIGUOUS(x);
  CHECK_ALIGNED(x);
  CHECK_SAME_DEVICE(y, x);
  CHECK_SAME_DTYPE(y, x);
  CHECK_DIM(1, y);
  CHECK_OR_THROW(y.size(0) == x.size(0), ValueError, y, "of shape (" << x.size(0) << ",)",
                 text_of(y.shape()));
  CHECK_CONTIGUOUS(y);
  CHECK_ALIGNED(y);
  CHECK_APART(y, x);
  const int64_t rows = x.size(0);
  if (rows == 0) return;

  // [launch.begin]
  const int device = x.device().device_id;
  ffi::CUDADeviceGuard guard(device);
  int major = 0, minor = 0, can = 0;
  TVM_FFI_CHECK_CUDA_ERROR(cudaDeviceGetAttribute(&can, cudaDevAttrClusterLaunch, device));
  TVM_FFI_CHECK_CUDA_ERROR(
      cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  TVM_FFI_CHECK_CUDA_ERROR(
      cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
  CHECK_OR_THROW(can, ValueError, x,
                 "on a device that has clusters, of compute capability 9.0 or newer",
                 text_of(x.device()) << " of compute capability " << major << "." << minor);
  // A new device may run code for an older architecture, in which the kernel is empty.
  cudaFuncAttributes code{};
  TVM_FFI_CHECK_CUDA_ERROR(cudaFuncGetAttributes(&code, sum_rows_kernel));
  CHECK_OR_THROW(code.ptxVersion >= 90, ValueError, x,
                 "on a device for which this library has code of compute capability 9.0 or newer",
                 text_of(x.device()) << ", which runs code of " << code.ptxVersion / 10 << "."
                                     << code.ptxVersion % 10);

  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = kBlocks;
  cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = kBlocks;
  config.blockDim = kThreads;
  config.stream = get_stream(x);
  config.attrs = &cluster;
  config.numAttrs = 1;
  int clusters = 0;  // that can run at once
  TVM_FFI_CHECK_CUDA_ERROR(cudaOccupancyMaxActiveClusters(&clusters, sum_rows_kernel, &config));
  CHECK_OR_THROW(clusters > 0, ValueError, x,
                 "on a device with room for a cluster of " << kBlocks << " blocks",
                 text_of(x.device()) << ", which has none");
  config.gridDim = static_cast<unsigned>(std::min<int64_t>(rows, clusters)) * kBlocks;
  TVM_FFI_CHECK_CUDA_ERROR(cudaLaunchKernelEx(&config, sum_rows_kernel, data_of<float>(x),
                                              data_of<float>(y), rows, x.size(1)));
  // [launch.end]
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(sum_rows, sum_rows);
