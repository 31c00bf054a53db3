// SPDX-License-Identifier: Apache-2.0
// Shared by the elementwise CUDA kernels: y[i] = update(x[i], y[i]), 16 bytes
// at a time where both addresses allow it.
#ifndef VECTOR_KERNELS_ELEMENTWISE_CUH_
#define VECTOR_KERNELS_ELEMENTWISE_CUH_

#include "kernels.h"

namespace vector_kernels {
namespace cuda {
namespace {

// [update_kernel.begin]
// Each thread has the loads of two vectors of x and of y in flight before it
// uses the first; near the end, it loads the last vector again instead of one
// past it, and discards it. Four blocks per SM leave each thread 64 registers.
// The outer loops are not unrolled: that would add a division to compute the
// trip count. `vectors` is the number of whole vectors, 0 if an address is not
// aligned; the remaining elements are processed one by one.
template <typename T, typename Update>
__global__ void __launch_bounds__(256, 4)
    update_kernel(const T* x, T* y, int64_t vectors, int64_t n, Update update) {
  constexpr int kSize = Vector<T>::kSize;
  constexpr int kAhead = 2;
  const auto* x_vectors = reinterpret_cast<const Vector<T>*>(x);
  auto* y_vectors = reinterpret_cast<Vector<T>*>(y);
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  const int64_t first =
      static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
#pragma unroll 1
  for (int64_t i = first; i < vectors; i += kAhead * step) {
    Vector<T> a[kAhead], b[kAhead];
#pragma unroll
    for (int j = 0; j < kAhead; ++j) {
      const int64_t at = min(i + j * step, vectors - 1);
      a[j] = x_vectors[at];
      b[j] = y_vectors[at];
    }
#pragma unroll
    for (int j = 0; j < kAhead; ++j) {
      if (i + j * step >= vectors) break;
#pragma unroll
      for (int k = 0; k < kSize; ++k)
        b[j].items[k] = update(a[j].items[k], b[j].items[k]);
      y_vectors[i + j * step] = b[j];
    }
  }
#pragma unroll 1
  for (int64_t j = vectors * kSize + first; j < n; j += step)
    y[j] = update(x[j], y[j]);
}
// [update_kernel.end]

// Launches update_kernel on the tensors' GPU and the caller's stream.
template <typename T, typename Update>
void launch_update(const ffi::TensorView& x, const ffi::TensorView& y,
                   Update update) {
  const int64_t n = x.numel();
  if (n == 0) return;  // An empty grid is an error.
  ffi::CUDADeviceGuard guard(x.device().device_id);
  const T* from = data_of<T>(x);
  T* to = data_of<T>(y);
  const int64_t vectors =
      is_aligned(from) && is_aligned(to) ? n / Vector<T>::kSize : 0;
  const int threads = 256;
  const unsigned blocks =
      vectors > 0 ? blocks_for(vectors, 2 * threads) : blocks_for(n, threads);
  update_kernel<T>
      <<<blocks, threads, 0, get_stream(x)>>>(from, to, vectors, n, update);
  TVM_FFI_CHECK_CUDA_ERROR(cudaGetLastError());
}

}  // namespace
}  // namespace cuda
}  // namespace vector_kernels

#endif  // VECTOR_KERNELS_ELEMENTWISE_CUH_
