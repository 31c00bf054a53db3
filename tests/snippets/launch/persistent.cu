// SPDX-License-Identifier: Apache-2.0
// Squares a vector tile by tile, with no more blocks than the GPU runs at once.
#include <algorithm>

#include "tvm_ffi_utils.h"

namespace {

// [kernel.begin]
constexpr int kTile = 1024;  // elements

__global__ void square_kernel(const float* x, float* y, int64_t n) {
  // Work that all tiles share, such as filling a table in shared memory, goes
  // here, once per block.
  const int64_t tiles = (n + kTile - 1) / kTile;
  for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    for (int64_t i = tile * kTile + threadIdx.x; i < n && i < (tile + 1) * kTile; i += blockDim.x)
      y[i] = x[i] * x[i];
  }
}
// [kernel.end]

// [blocks.begin]
// The number of blocks of a kernel that the current device can run at once.
template <typename Kernel>
int64_t resident_blocks(Kernel kernel, int device, int threads, size_t shared_bytes) {
  int multiprocessors = 0;
  TVM_FFI_CHECK_CUDA_ERROR(
      cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  int blocks = 0;
  TVM_FFI_CHECK_CUDA_ERROR(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared_bytes));
  return int64_t{multiprocessors} * blocks;
}
// [blocks.end]

void square(ffi::TensorView x, ffi::TensorView y) {
  CHECK_CUDA(x);
  CHECK_DTYPE(x, dl_float32);
  CHECK_CONTIGUOUS(x);
  CHECK_ALIGNED(x);
  CHECK_SAME_DEVICE(y, x);
  CHECK_SAME_DTYPE(y, x);
  CHECK_SAME_SHAPE(y, x);
  CHECK_CONTIGUOUS(y);
  CHECK_ALIGNED(y);
  CHECK_NO_PARTIAL_OVERLAP(y, x);
  const int64_t n = x.numel();
  if (n == 0) return;

  // [launch.begin]
  const int device = x.device().device_id;
  ffi::CUDADeviceGuard guard(device);
  constexpr int kThreads = 256;
  const int64_t tiles = (n + kTile - 1) / kTile;
  const int64_t blocks = std::min(tiles, resident_blocks(square_kernel, device, kThreads, 0));
  square_kernel<<<static_cast<unsigned>(blocks), kThreads, 0, get_stream(x)>>>(
      data_of<float>(x), data_of<float>(y), n);
  TVM_FFI_CHECK_CUDA_ERROR(cudaGetLastError());
  // [launch.end]
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(square, square);
