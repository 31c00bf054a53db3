// SPDX-License-Identifier: Apache-2.0
// The squared ReLU, y = max(x, 0)^2, and its gradient, on a GPU. Build with
// build_cuda.sh, run with load_torch_op.py.

// [includes.begin]
#include <algorithm>

#include "../tvm_ffi_utils.h"
// [includes.end]

// [cuda_kernel.begin]
// The addresses of N inputs.
template <typename T, int N>
struct Inputs {
  const T* from[N];
};

constexpr int kThreads = 256;
constexpr int kAtOnce = 4;  // Loads of a thread that are in flight together.
constexpr int kBlocksPerSm = 4;  // So a thread has at most 64 registers.

// to[i] = formula(inputs[i]...): the first `vectors` vectors by 16-byte
// accesses, the rest one by one. Near the end, a thread loads the last vector
// again instead of one past it, and discards it. The outer loops are not
// unrolled: that would add a division to compute the trip count.
template <typename T, int N, typename Formula>
__global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    map_kernel(Inputs<T, N> in, T* to, Formula formula, int64_t vectors,
               int64_t n) {
  using C = typename Compute<T>::Type;
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  const int64_t first =
      static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
#pragma unroll 1
  for (int64_t i = first; i < vectors; i += kAtOnce * step) {
    Vector<T> loaded[kAtOnce][N];
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) {
      const int64_t at = min(i + k * step, vectors - 1);
#pragma unroll
      for (int j = 0; j < N; ++j)
        loaded[k][j] = reinterpret_cast<const Vector<T>*>(in.from[j])[at];
    }
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) {
      if (i + k * step >= vectors) break;
      Vector<T> result;
#pragma unroll
      for (int item = 0; item < Vector<T>::kSize; ++item) {
        C values[N];
#pragma unroll
        for (int j = 0; j < N; ++j)
          values[j] = static_cast<C>(loaded[k][j].items[item]);
        result.items[item] = static_cast<T>(formula(values));
      }
      reinterpret_cast<Vector<T>*>(to)[i + k * step] = result;
    }
  }
#pragma unroll 1
  for (int64_t i = vectors * Vector<T>::kSize + first; i < n; i += step) {
    C values[N];
#pragma unroll
    for (int j = 0; j < N; ++j) values[j] = static_cast<C>(in.from[j][i]);
    to[i] = static_cast<T>(formula(values));
  }
}
// [cuda_kernel.end]

// [formulas.begin]
struct Forward {
  template <typename C>
  __device__ C operator()(const C (&x)[1]) const {
    // NaN stays NaN, as in PyTorch.
    return x[0] <= C(0) ? C(0) : x[0] * x[0];
  }
};

// The inputs are dy, the gradient of the loss with respect to y, and x.
struct Backward {
  template <typename C>
  __device__ C operator()(const C (&dy_x)[2]) const {
    return dy_x[1] <= C(0) ? C(0) : dy_x[0] * (C(2) * dy_x[1]);
  }
};
// [formulas.end]

// [launch.begin]
template <typename T, int N, typename Formula>
void launch(Inputs<T, N> in, T* to, Formula formula, int64_t n,
            cudaStream_t stream) {
  if (n == 0) return;  // An empty grid is an error.
  bool aligned = is_aligned(to);
  for (const T* from : in.from) aligned = aligned && is_aligned(from);
  const int64_t vectors = aligned ? n / Vector<T>::kSize : 0;
  const int64_t steps = std::max((vectors + kAtOnce - 1) / kAtOnce,
                                 n - vectors * Vector<T>::kSize);
  map_kernel<<<blocks_for(steps, kThreads), kThreads, 0, stream>>>(
      in, to, formula, vectors, n);
  TVM_FFI_CHECK_CUDA_ERROR(cudaGetLastError());
}
// [launch.end]

// [function.begin]
void relu_squared(ffi::TensorView x, ffi::TensorView y) {
  CHECK_CUDA(x);
  CHECK_DTYPE_IN(x, FloatingTypes);
  CHECK_CONTIGUOUS(x);
  CHECK_ALIGNED(x);
  CHECK_SAME_DEVICE(y, x);
  CHECK_SAME_DTYPE(y, x);
  CHECK_SAME_SHAPE(y, x);
  CHECK_CONTIGUOUS(y);
  CHECK_ALIGNED(y);
  CHECK_NO_PARTIAL_OVERLAP(y, x);
  ffi::CUDADeviceGuard guard(x.device().device_id);
  dispatch<FloatingTypes>(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    launch(Inputs<T, 1>{{data_of<T>(x)}}, data_of<T>(y), Forward{}, x.numel(),
           get_stream(x));
  });
}
// [function.end]

// [backward.begin]
// dx = dy * 2x where x > 0, else 0; dy is the gradient of the loss w.r.t. y.
void relu_squared_backward(ffi::TensorView dy, ffi::TensorView x,
                           ffi::TensorView dx) {
  CHECK_CUDA(x);
  CHECK_DTYPE_IN(x, FloatingTypes);
  CHECK_CONTIGUOUS(x);
  CHECK_ALIGNED(x);
  CHECK_SAME_DEVICE(dy, x);
  CHECK_SAME_DTYPE(dy, x);
  CHECK_SAME_SHAPE(dy, x);
  CHECK_CONTIGUOUS(dy);
  CHECK_ALIGNED(dy);
  CHECK_SAME_DEVICE(dx, x);
  CHECK_SAME_DTYPE(dx, x);
  CHECK_SAME_SHAPE(dx, x);
  CHECK_CONTIGUOUS(dx);
  CHECK_ALIGNED(dx);
  CHECK_NO_PARTIAL_OVERLAP(dx, x);
  CHECK_NO_PARTIAL_OVERLAP(dx, dy);
  ffi::CUDADeviceGuard guard(x.device().device_id);
  dispatch<FloatingTypes>(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    launch(Inputs<T, 2>{{data_of<T>(dy), data_of<T>(x)}}, data_of<T>(dx),
           Backward{}, x.numel(), get_stream(x));
  });
}
// [backward.end]

// [export.begin]
TVM_FFI_DLL_EXPORT_TYPED_FUNC(relu_squared, relu_squared);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(relu_squared_backward, relu_squared_backward);
// [export.end]
