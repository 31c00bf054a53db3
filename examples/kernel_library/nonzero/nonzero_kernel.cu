// SPDX-License-Identifier: Apache-2.0
// The indices of the nonzero elements, on a GPU. Build with
// build_cuda.sh, run with load_nonzero.py.

// [includes.begin]
#include <algorithm>

#include "value_bits.h"
// [includes.end]

namespace {

// [tile.begin]
constexpr int kThreads = 256;
constexpr int kVectors = 4;       // 16-byte loads that a thread has in flight.
constexpr int kMaxBlocks = 2048;  // Two per thread of the scan.
constexpr int kBlocksPerSm = 4;   // So a thread has at most 64 registers.

template <typename T>
constexpr int kLanes = 16 / sizeof(T);  // Elements in 16 bytes.

template <typename T>
constexpr int64_t kTile = int64_t{kThreads} * kVectors * kLanes<T>;

// x has n elements in row-major order; if `dense`, they are contiguous and
// begin at a multiple of 16 bytes.
template <typename T>
struct Input {
  const T* x;
  T bits;
  int64_t n;
  bool dense;
  StridedLayout layout;
};

// The first element of a tile that a thread reads in a round. The order within
// the tile is warp, then round, then lane.
template <typename T>
__device__ int64_t first_of(int64_t tile, int round) {
  const int vector = (threadIdx.x / 32 * kVectors + round) * 32 +
                     static_cast<int>(threadIdx.x % 32);
  return tile * kTile<T> + int64_t{vector} * kLanes<T>;
}

// A bit mask of which of kLanes elements are nonzero; past the end, none is.
template <typename T>
__device__ __noinline__ uint32_t load_one_by_one(const Input<T>& in,
                                                 int64_t first) {
  uint32_t flags = 0;
  for (int k = 0; k < kLanes<T> && first + k < in.n; ++k) {
    if (is_nonzero(in.x[in.layout.offset(first + k)], in.bits))
      flags |= 1u << k;
  }
  return flags;
}

// Loads the masks of all rounds.
template <typename T>
__device__ void load_tile(const Input<T>& in, int64_t tile,
                          uint32_t (&flags)[kVectors]) {
  if (in.dense && (tile + 1) * kTile<T> <= in.n) {
    Vector<T> vectors[kVectors];
#pragma unroll
    for (int r = 0; r < kVectors; ++r) {
      vectors[r] =
          *reinterpret_cast<const Vector<T>*>(in.x + first_of<T>(tile, r));
    }
#pragma unroll
    for (int r = 0; r < kVectors; ++r) {
      flags[r] = 0;
#pragma unroll
      for (int k = 0; k < kLanes<T>; ++k)
        flags[r] |= uint32_t{is_nonzero(vectors[r].items[k], in.bits)} << k;
    }
    return;
  }
#pragma unroll
  for (int r = 0; r < kVectors; ++r)
    flags[r] = load_one_by_one(in, first_of<T>(tile, r));
}
// [tile.end]

// [exclusive_scan.begin]
// Replaces each count by the sum of those before it in the block, in the order
// warp, round, lane. Returns the total.
template <typename Count, int kRounds>
__device__ Count exclusive_scan(Count (&counts)[kRounds]) {
  __shared__ Count of_warps[32];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  Count before = 0;  // In this warp.
#pragma unroll
  for (int r = 0; r < kRounds; ++r) {
    Count sum = counts[r];
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
      const Count left = __shfl_up_sync(~0u, sum, step);
      if (lane >= step) sum += left;
    }
    counts[r] = before + sum - counts[r];
    before += __shfl_sync(~0u, sum, 31);
  }
  __syncthreads();  // All threads have read the previous scan.
  if (lane == 0) of_warps[warp] = before;
  __syncthreads();
  Count all = 0;
  Count of_this = 0;
  for (int w = 0; w < static_cast<int>(blockDim.x / 32); ++w) {
    if (w == warp) of_this = all;
    all += of_warps[w];
  }
#pragma unroll
  for (int r = 0; r < kRounds; ++r) counts[r] += of_this;
  return all;
}
// [exclusive_scan.end]

// [count_kernel.begin]
// Each block processes its share of the tiles, in order, and writes how many
// elements of it are nonzero. `__grid_constant__` avoids a local copy of the
// parameter, although a function takes it by reference.
template <typename T>
__global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    count_kernel(const __grid_constant__ Input<T> in, int64_t tiles_of_block,
                 int64_t* counts) {
  const int64_t begin = blockIdx.x * tiles_of_block;
  const int64_t tiles = (in.n + kTile<T> - 1) / kTile<T>;
  const int64_t end = min(begin + tiles_of_block, tiles);
  int64_t count[1] = {0};
  for (int64_t tile = begin; tile < end; ++tile) {
    uint32_t flags[kVectors];
    load_tile(in, tile, flags);
#pragma unroll
    for (int r = 0; r < kVectors; ++r) count[0] += __popc(flags[r]);
  }
  const int64_t all = exclusive_scan(count);
  if (threadIdx.x == 0) counts[blockIdx.x] = all;
}

// Replaces the counts of all blocks by the offsets of their results, and
// writes the total after them.
__global__ void __launch_bounds__(kMaxBlocks / 2)
    scan_kernel(int64_t* counts, int blocks) {
  const int first = static_cast<int>(threadIdx.x / 32 * 64 + threadIdx.x % 32);
  int64_t mine[2];
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    const int i = first + 32 * r;
    mine[r] = i < blocks ? counts[i] : 0;
  }
  const int64_t all = exclusive_scan(mine);
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    if (first + 32 * r < blocks) counts[first + 32 * r] = mine[r];
  }
  if (threadIdx.x == 0) counts[blocks] = all;
}
// [count_kernel.end]

// [write_kernel.begin]
struct Extents {
  int ndim;
  int64_t of[StridedLayout::kMaxDims];
};

// Writes the index of element i in each dimension. A 64-bit division takes many
// times as long as a 32-bit one, which suffices for most tensors.
__device__ inline void write_index(const Extents& extents, int64_t i,
                                   int64_t* out) {
  for (int d = extents.ndim - 1; d > 0; --d) {
    const int64_t extent = extents.of[d];
    int64_t rest = 0;
    if (i >= extent) {
      rest = i >> 32 == 0
                 ? static_cast<uint32_t>(i) / static_cast<uint32_t>(extent)
                 : i / extent;
    }
    out[d] = i - rest * extent;
    i = rest;
  }
  out[0] = i;
}

// Each block processes its share again and writes after the results of the
// blocks before it. out has room for `count` indices: if x has changed since it
// was counted, there may be more, and none may be written past the end.
template <typename T>
__global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    write_kernel(const __grid_constant__ Input<T> in, int64_t tiles_of_block,
                 const int64_t* offsets,
                 const __grid_constant__ Extents extents, int64_t* out,
                 int64_t count) {
  const int64_t begin = blockIdx.x * tiles_of_block;
  const int64_t tiles = (in.n + kTile<T> - 1) / kTile<T>;
  const int64_t end = min(begin + tiles_of_block, tiles);
  int64_t offset = offsets[blockIdx.x];
  for (int64_t tile = begin; tile < end; ++tile) {
    uint32_t flags[kVectors];
    load_tile(in, tile, flags);
    int places[kVectors];
#pragma unroll
    for (int r = 0; r < kVectors; ++r) places[r] = __popc(flags[r]);
    const int all = exclusive_scan(places);
#pragma unroll
    for (int r = 0; r < kVectors; ++r) {
      int64_t row = offset + places[r];
      for (uint32_t rest = flags[r]; rest != 0 && row < count;
           rest &= rest - 1) {
        write_index(extents, first_of<T>(tile, r) + __ffs(rest) - 1,
                    out + row * extents.ndim);
        ++row;
      }
    }
    offset += all;
  }
}
// [write_kernel.end]

}  // namespace

// [function.begin]
ffi::Tensor nonzero(ffi::TensorView x) {
  CHECK_CUDA(x);
  CHECK_HAS_ZERO(x);
  CHECK_ALIGNED(x);
  const StridedLayout layout("nonzero", x);
  ffi::CUDADeviceGuard guard(x.device().device_id);
  cudaStream_t stream = get_stream(x);
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  TVM_FFI_CHECK_CUDA_ERROR(cudaStreamIsCapturing(stream, &capture));
  if (capture != cudaStreamCaptureStatusNone) {
    TVM_FFI_THROW(RuntimeError)
        << "nonzero: expected a stream that is not being captured, got one "
           "that is: the shape of the result is known only when the GPU has "
           "counted";
  }

  const int64_t ndim = x.ndim();
  ffi::Tensor out;
  if (x.numel() == 0) return alloc_tensor({0, ndim}, dl_int64, x.device());
  dispatch_size(x.dtype(), [&](auto bits) {
    using T = decltype(bits);
    const T* data = data_of<T>(x);
    const bool dense = x.IsContiguous() && is_aligned(data);
    const Input<T> in{data, bits, x.numel(), dense, layout};
    const int64_t tiles = (in.n + kTile<T> - 1) / kTile<T>;
    const int64_t tiles_of_block = (tiles + kMaxBlocks - 1) / kMaxBlocks;
    const auto blocks =
        static_cast<int>((tiles + tiles_of_block - 1) / tiles_of_block);

    // 1. Count. This memory goes back to the framework when the function
    // returns; whatever reuses it runs after these kernels, on the same
    // stream.
    ffi::Tensor counts = alloc_tensor({blocks + 1}, dl_int64, x.device());
    auto* offsets = static_cast<int64_t*>(counts.data_ptr());
    count_kernel<T>
        <<<blocks, kThreads, 0, stream>>>(in, tiles_of_block, offsets);
    TVM_FFI_CHECK_CUDA_ERROR(cudaGetLastError());
    scan_kernel<<<1, kMaxBlocks / 2, 0, stream>>>(offsets, blocks);
    TVM_FFI_CHECK_CUDA_ERROR(cudaGetLastError());

    // 2. Wait on the host for the count: the shape depends on it.
    int64_t count = 0;
    TVM_FFI_CHECK_CUDA_ERROR(cudaMemcpyAsync(&count, offsets + blocks,
                                             sizeof(count),
                                             cudaMemcpyDeviceToHost, stream));
    TVM_FFI_CHECK_CUDA_ERROR(cudaStreamSynchronize(stream));

    // 3. Allocate and write.
    out = alloc_tensor({count, ndim}, dl_int64, x.device());
    if (count == 0 || ndim == 0) return;
    Extents extents{static_cast<int>(ndim), {}};
    std::copy(x.shape().begin(), x.shape().end(), extents.of);
    write_kernel<T><<<blocks, kThreads, 0, stream>>>(
        in, tiles_of_block, offsets, extents,
        static_cast<int64_t*>(out.data_ptr()), count);
    TVM_FFI_CHECK_CUDA_ERROR(cudaGetLastError());
  });
  return out;
}
// [function.end]

// [export.begin]
TVM_FFI_DLL_EXPORT_TYPED_FUNC(nonzero, nonzero);
// [export.end]
