// SPDX-License-Identifier: Apache-2.0
// Rotates pairs of numbers (x, y) by an angle, on a GPU. Build with
// build_cuda.sh, run with load_jax_call.py.

// [includes.begin]
#include <algorithm>
#include <cmath>

#include "rotate_checks.h"
// [includes.end]

// [cuda_kernel.begin]
constexpr int kThreads = 256;
constexpr int kAtOnce = 2;  // Loads of a thread from each input, in flight.
constexpr int kBlocksPerSm = 4;  // So a thread has at most 64 registers.

template <typename T, typename C>
__device__ void rotate_one(const T& x, const T& y, T& x_out, T& y_out, C cosine,
                           C sine) {
  const C a = static_cast<C>(x);
  const C b = static_cast<C>(y);
  x_out = static_cast<T>(a * cosine + b * sine);
  y_out = static_cast<T>(b * cosine - a * sine);
}

// The first `vectors` groups of elements by 16-byte accesses, the rest one by
// one. A thread reads its elements before it writes any, so that an output may
// be an input. Near the end, it loads the last vector again instead of one past
// it, and discards it. The outer loops are not unrolled: that would add a
// division to compute the trip count.
template <typename T, typename C>
__global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    rotate_kernel(const T* x, const T* y, T* x_out, T* y_out, C cosine, C sine,
                  int64_t vectors, int64_t n) {
  using V = Vector<T>;
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  const int64_t first =
      static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
#pragma unroll 1
  for (int64_t i = first; i < vectors; i += kAtOnce * step) {
    V a[kAtOnce], b[kAtOnce];
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) {
      const int64_t at = min(i + k * step, vectors - 1);
      a[k] = reinterpret_cast<const V*>(x)[at];
      b[k] = reinterpret_cast<const V*>(y)[at];
    }
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) {
      if (i + k * step >= vectors) break;
      V a_out, b_out;
#pragma unroll
      for (int item = 0; item < V::kSize; ++item) {
        rotate_one(a[k].items[item], b[k].items[item], a_out.items[item],
                   b_out.items[item], cosine, sine);
      }
      reinterpret_cast<V*>(x_out)[i + k * step] = a_out;
      reinterpret_cast<V*>(y_out)[i + k * step] = b_out;
    }
  }
#pragma unroll 1
  for (int64_t i = vectors * V::kSize + first; i < n; i += step) {
    const T a = x[i];
    const T b = y[i];
    rotate_one(a, b, x_out[i], y_out[i], cosine, sine);
  }
}
// [cuda_kernel.end]

// [function.begin]
void rotate(ffi::TensorView x, ffi::TensorView y, ffi::TensorView x_out,
            ffi::TensorView y_out, double angle) {
  CHECK_CUDA(x);
  CHECK_ROTATE(x, y, x_out, y_out);
  ffi::CUDADeviceGuard guard(x.device().device_id);
  cudaStream_t stream = get_stream(x);
  dispatch<FloatingTypes>(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    using C = typename Compute<T>::Type;
    const int64_t n = x.numel();
    if (n == 0) return;  // An empty grid is an error.
    bool aligned = true;
    for (const ffi::TensorView& each : {x, y, x_out, y_out})
      aligned = aligned && is_aligned(data_of<T>(each));
    const int64_t vectors = aligned ? n / Vector<T>::kSize : 0;
    const int64_t steps = std::max((vectors + kAtOnce - 1) / kAtOnce,
                                   n - vectors * Vector<T>::kSize);
    rotate_kernel<<<blocks_for(steps, kThreads), kThreads, 0, stream>>>(
        data_of<T>(x), data_of<T>(y), data_of<T>(x_out), data_of<T>(y_out),
        static_cast<C>(std::cos(angle)), static_cast<C>(std::sin(angle)),
        vectors, n);
    TVM_FFI_CHECK_CUDA_ERROR(cudaGetLastError());
  });
}
// [function.end]

// [export.begin]
TVM_FFI_DLL_EXPORT_TYPED_FUNC(rotate, rotate);
// [export.end]
