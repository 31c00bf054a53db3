// SPDX-License-Identifier: Apache-2.0
// y = a + b for fifteen dtypes, on a GPU. Build with build_cuda.sh, run with
// load_dispatch.py.

#include "sum.h"

// [kernel.begin]
constexpr int kThreads = 256;
constexpr int kLoads = 2;        // of each input, before the first is used
constexpr int kBlocksPerSm = 4;  // so a thread has at most 64 registers

// Handles kItems elements at a time: 16 bytes where all addresses are aligned,
// otherwise one element. Near the end, a thread reloads the last vector instead
// of reading past it, and discards it: with a condition per load, the compiler
// keeps each byte of a vector in its own register.
template <typename T, int kItems>
__global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    add_kernel(const T* a, const T* b, T* y, int64_t n) {
  using V = Vector<T, kItems>;
  constexpr int kTile = kLoads * kThreads;  // vectors per block and iteration
  const int64_t count = n / kItems;
#pragma unroll 1  // Unrolling would add a division to compute the trip count.
  for (int64_t tile = static_cast<int64_t>(blockIdx.x) * kTile; tile < count;
       tile += static_cast<int64_t>(gridDim.x) * kTile) {
    V left[kLoads];
    V right[kLoads];
#pragma unroll
    for (int k = 0; k < kLoads; ++k) {
      const int64_t i = min(tile + k * kThreads + threadIdx.x, count - 1);
      left[k] = reinterpret_cast<const V*>(a)[i];
      right[k] = reinterpret_cast<const V*>(b)[i];
    }
#pragma unroll
    for (int k = 0; k < kLoads; ++k) {
      const int64_t i = tile + k * kThreads + threadIdx.x;
      if (i >= count) break;
#pragma unroll
      for (int item = 0; item < kItems; ++item) {
        left[k].items[item] = Sum{}(left[k].items[item], right[k].items[item]);
      }
      reinterpret_cast<V*>(y)[i] = left[k];
    }
  }
  // The tail: fewer elements than one vector holds.
  const int64_t i = count * kItems + threadIdx.x;
  if (blockIdx.x == 0 && i < n) y[i] = Sum{}(a[i], b[i]);
}
// [kernel.end]

// [function.begin]
void add(ffi::TensorView a, ffi::TensorView b, ffi::TensorView y) {
  CHECK_CUDA(a);
  CHECK_DTYPE_IN(a, Types);
  CHECK_CONTIGUOUS(a);
  CHECK_ALIGNED(a);
  CHECK_SAME_DEVICE(b, a);
  CHECK_SAME_DTYPE(b, a);
  CHECK_SAME_SHAPE(b, a);
  CHECK_CONTIGUOUS(b);
  CHECK_ALIGNED(b);
  CHECK_SAME_DEVICE(y, a);
  CHECK_SAME_DTYPE(y, a);
  CHECK_SAME_SHAPE(y, a);
  CHECK_CONTIGUOUS(y);
  CHECK_ALIGNED(y);
  CHECK_NO_PARTIAL_OVERLAP(y, a);
  CHECK_NO_PARTIAL_OVERLAP(y, b);
  ffi::CUDADeviceGuard guard(a.device().device_id);
  cudaStream_t stream = get_stream(a);
  const int64_t n = a.numel();
  if (n == 0) return;  // An empty grid is an error.
  dispatch<Types>(a.dtype(), [&](auto zero) {
    using T = decltype(computed_as<decltype(zero)>());
    const T* left = data_of<T>(a);
    const T* right = data_of<T>(b);
    T* to = data_of<T>(y);
    if (is_aligned(left) && is_aligned(right) && is_aligned(to)) {
      constexpr int kItems = Vector<T>::kSize;
      const unsigned blocks = blocks_for(n, kLoads * kThreads * kItems);
      add_kernel<T, kItems>
          <<<blocks, kThreads, 0, stream>>>(left, right, to, n);
    } else {
      const unsigned blocks = blocks_for(n, kLoads * kThreads);
      add_kernel<T, 1><<<blocks, kThreads, 0, stream>>>(left, right, to, n);
    }
    TVM_FFI_CHECK_CUDA_ERROR(cudaGetLastError());
  });
}
// [function.end]

TVM_FFI_DLL_EXPORT_TYPED_FUNC(add, add);
