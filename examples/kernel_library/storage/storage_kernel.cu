// SPDX-License-Identifier: Apache-2.0
// counts[v] = the number of elements of x equal to v, on a GPU, in a workspace
// kept between calls. Build with build_cuda.sh, run with load_storage.py.

// [includes.begin]
#include <algorithm>

#include "histogram_checks.h"
// [includes.end]

namespace {

constexpr int kThreads = 256;
constexpr int kMaxBlocks = 1024;
constexpr int kVectors = 4;      // 16-byte loads in a batch.
constexpr int kBlocksPerSm = 4;  // So a thread has at most 64 registers.

using Counter = unsigned long long;  // The type that atomicAdd takes.
static_assert(sizeof(Counter) == sizeof(int64_t), "counts are int64");

// [kernel.begin]
// Each block counts its share of x in shared memory and adds it to `totals`.
// The last one to do so moves the totals to `counts`, and leaves totals and
// `ticket` zeroed, as it found them.
// Vectors that do not fill a batch have their own loop: with a condition per
// load, nvcc 13.0 waits for each vector of 8-bit elements.
template <typename T>
__global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    histogram_kernel(const T* x, int64_t n, bool aligned, int bins,
                     Counter* ticket, Counter* totals, int64_t* counts) {
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
  for (int b = threadIdx.x; b < bins; b += kThreads) {
    if (table[b] != 0) atomicAdd(&totals[b], Counter{table[b]});
  }
  __threadfence();  // Totals before the ticket, for the last block.
  __syncthreads();
  __shared__ bool last;
  if (threadIdx.x == 0) last = atomicAdd(ticket, 1) == gridDim.x - 1;
  __syncthreads();
  if (!last) return;
  __threadfence();
  for (int b = threadIdx.x; b < bins; b += kThreads)
    counts[b] = static_cast<int64_t>(atomicExch(&totals[b], 0));
  if (threadIdx.x == 0) *ticket = 0;
}
// [kernel.end]

// [zeroed.begin]
// New counters, zeroed on the stream before any work that is queued later.
ffi::Tensor zeroed(int64_t counters, DLDevice device, cudaStream_t stream) {
  ffi::Tensor made = alloc_tensor({counters}, dl_int64, device);
  TVM_FFI_CHECK_CUDA_ERROR(
      cudaMemsetAsync(made.data_ptr(), 0,
                      static_cast<size_t>(counters) * sizeof(Counter), stream));
  return made;
}
// [zeroed.end]

// [get_workspace.begin]
// At least `counters` zeroed counters that outlive the call: work on one stream
// runs in order, so one workspace per stream is enough.
ffi::Tensor get_workspace(int64_t counters, DLDevice device,
                          cudaStream_t stream) {
  // A graph keeps the address, so it gets its own memory, which is zeroed each
  // time the graph is launched.
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  TVM_FFI_CHECK_CUDA_ERROR(cudaStreamIsCapturing(stream, &capture));
  if (capture != cudaStreamCaptureStatusNone)
    return zeroed(counters, device, stream);

  // This handle denotes a different stream in each thread.
  thread_local char here;
  void* of_thread = stream == cudaStreamPerThread ? &here : nullptr;
  const ffi::String key = ffi::storage::Key(
      kWorkspace, device, of_thread != nullptr ? of_thread : stream);
  auto create = [&] { return zeroed(counters, device, stream); };
  auto workspace = ffi::storage::GetOrCreate<ffi::Tensor>(key, create);
  if (workspace.numel() >= counters) return workspace;
  workspace = create();
  ffi::storage::Set(key, workspace);
  return workspace;
}
// [get_workspace.end]

}  // namespace

// [function.begin]
void histogram(ffi::TensorView x, ffi::TensorView counts) {
  CHECK_CUDA(x);
  CHECK_HISTOGRAM(x, counts);
  const auto bins = static_cast<int>(counts.numel());
  if (bins == 0) return;
  ffi::CUDADeviceGuard guard(x.device().device_id);
  cudaStream_t stream = get_stream(x);
  // The framework's allocator reuses this memory in stream order, so it may be
  // released while the kernel runs.
  ffi::Tensor workspace = get_workspace(1 + bins, x.device(), stream);
  auto* ticket = static_cast<Counter*>(workspace.data_ptr());
  constexpr int64_t kBytesOfBlock = 16 * kVectors * kThreads;
  const int64_t bytes = x.numel() * item_size(x);
  // At least one block, which writes the counts even if x is empty.
  const int64_t blocks = std::clamp<int64_t>(
      (bytes + kBytesOfBlock - 1) / kBytesOfBlock, 1, kMaxBlocks);
  const size_t shared = sizeof(uint32_t) * (static_cast<size_t>(bins) + 1);
  dispatch<BinTypes>(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* data = data_of<T>(x);
    histogram_kernel<T>
        <<<static_cast<unsigned>(blocks), kThreads, shared, stream>>>(
            data, x.numel(), is_aligned(data), bins, ticket, ticket + 1,
            data_of<int64_t>(counts));
    TVM_FFI_CHECK_CUDA_ERROR(cudaGetLastError());
  });
}
// [function.end]

// [export.begin]
TVM_FFI_DLL_EXPORT_TYPED_FUNC(histogram, histogram);
// [export.end]
