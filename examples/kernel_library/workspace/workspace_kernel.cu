// SPDX-License-Identifier: Apache-2.0
// counts[v] = the number of elements of x equal to v, on a GPU, in a workspace
// from the caller. Build with build_cuda.sh, run with load_workspace.py.

// [includes.begin]
#include <algorithm>

#include "workspace_checks.h"
// [includes.end]

namespace {

constexpr int kThreads = 256;
constexpr int kMaxBlocks = 1024;
constexpr int kVectors = 4;      // 16-byte loads in a batch.
constexpr int kBlocksPerSm = 4;  // So a thread has at most 64 registers.

// [partial_kernel.begin]
// Each block counts its share of x in shared memory, where counting is fast,
// and writes its counts to its own row of partials, which is (blocks, bins).
// A block has fewer than 2^32 elements, or no memory could hold x.
// Vectors that do not fill a batch have their own loop: with a condition per
// load, nvcc 13.0 waits for each vector of 8-bit elements.
template <typename T>
__global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    partial_kernel(const T* x, int64_t n, bool aligned, int bins,
                   uint32_t* partials) {
  extern __shared__ uint32_t table[];  // bins, and one for values without a bin
  for (int b = threadIdx.x; b <= bins; b += kThreads) table[b] = 0;
  __syncthreads();

  auto count = [&](T value) {
    // As an unsigned integer, a negative number is a large one.
    const auto bin = static_cast<uint64_t>(static_cast<int64_t>(value));
    atomicAdd(&table[bin < static_cast<uint64_t>(bins) ? bin : bins], 1u);
  };
  constexpr int kLanes = Vector<T>::kSize;
  const auto* wide = reinterpret_cast<const Vector<T>*>(x);
  const int64_t vectors = aligned ? n / kLanes : 0;
  const int64_t first =
      static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  const int64_t step = static_cast<int64_t>(gridDim.x) * kThreads;
  int64_t i = first;
  for (; i + (kVectors - 1) * step < vectors; i += kVectors * step) {
    Vector<T> loaded[kVectors];
#pragma unroll
    for (int v = 0; v < kVectors; ++v) loaded[v] = wide[i + v * step];
#pragma unroll
    for (int v = 0; v < kVectors; ++v) {
#pragma unroll
      for (int k = 0; k < kLanes; ++k) count(loaded[v].items[k]);
    }
  }
#pragma unroll 1
  for (; i < vectors; i += step) {
    const Vector<T> loaded = wide[i];
#pragma unroll
    for (int k = 0; k < kLanes; ++k) count(loaded.items[k]);
  }
  for (i = vectors * kLanes + first; i < n; i += step) count(x[i]);

  __syncthreads();
  uint32_t* mine = partials + static_cast<int64_t>(blockIdx.x) * bins;
  for (int b = threadIdx.x; b < bins; b += kThreads) mine[b] = table[b];
}
// [partial_kernel.end]

// [sum_kernel.begin]
// Each block sums 32 bins. The order is always the same, so that sums of floats
// would be deterministic too.
__global__ void __launch_bounds__(1024)
    sum_kernel(const uint32_t* partials, int blocks, int bins,
               int64_t* counts) {
  __shared__ int64_t sums[32][33];
  const int bin = static_cast<int>(blockIdx.x * 32 + threadIdx.x);
  int64_t sum = 0;
  if (bin < bins) {
    for (int b = threadIdx.y; b < blocks; b += 32)
      sum += partials[static_cast<int64_t>(b) * bins + bin];
  }
  sums[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y != 0 || bin >= bins) return;
  for (int row = 1; row < 32; ++row) sum += sums[row][threadIdx.x];
  counts[bin] = sum;
}
// [sum_kernel.end]

// [blocks_of.begin]
// The number of blocks, and so of partial results, for an input.
int blocks_of(const ffi::TensorView& x) {
  constexpr int64_t kBytesOfBlock = 16 * kVectors * kThreads;
  const int64_t bytes = x.numel() * item_size(x);
  return static_cast<int>(std::min<int64_t>(
      (bytes + kBytesOfBlock - 1) / kBytesOfBlock, kMaxBlocks));
}

int64_t size_of_partials(const ffi::TensorView& x, int64_t bins) {
  return blocks_of(x) * bins * static_cast<int64_t>(sizeof(uint32_t));
}
// [blocks_of.end]

}  // namespace

// [workspace_size.begin]
int64_t histogram_workspace_size(ffi::TensorView x, ffi::TensorView counts) {
  CHECK_CUDA(x);
  CHECK_HISTOGRAM(x, counts);
  return size_of_partials(x, counts.numel());
}
// [workspace_size.end]

// [function.begin]
void histogram(ffi::TensorView x, ffi::TensorView counts,
               ffi::TensorView workspace) {
  CHECK_CUDA(x);
  CHECK_HISTOGRAM(x, counts);
  const auto bins = static_cast<int>(counts.numel());
  CHECK_WORKSPACE(workspace, size_of_partials(x, bins), x);
  CHECK_APART(workspace, counts);
  if (bins == 0) return;
  ffi::CUDADeviceGuard guard(x.device().device_id);
  cudaStream_t stream = get_stream(x);
  const int blocks = blocks_of(x);
  auto* partials = data_of<uint32_t>(workspace);
  if (blocks != 0) {  // An empty grid is an error.
    dispatch<BinTypes>(x.dtype(), [&](auto zero) {
      using T = decltype(zero);
      const T* data = data_of<T>(x);
      const size_t shared = sizeof(uint32_t) * (static_cast<size_t>(bins) + 1);
      partial_kernel<T>
          <<<static_cast<unsigned>(blocks), kThreads, shared, stream>>>(
              data, x.numel(), is_aligned(data), bins, partials);
      TVM_FFI_CHECK_CUDA_ERROR(cudaGetLastError());
    });
  }
  sum_kernel<<<static_cast<unsigned>((bins + 31) / 32), dim3(32, 32), 0,
               stream>>>(partials, blocks, bins, data_of<int64_t>(counts));
  TVM_FFI_CHECK_CUDA_ERROR(cudaGetLastError());
}
// [function.end]

// [export.begin]
TVM_FFI_DLL_EXPORT_TYPED_FUNC(histogram_workspace_size,
                              histogram_workspace_size);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(histogram, histogram);
// [export.end]
