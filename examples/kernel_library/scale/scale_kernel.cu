// SPDX-License-Identifier: Apache-2.0
// y = x * factor on a GPU. Build with build_cuda.sh, run with load_scale.py.

// [includes.begin]
#include "../tvm_ffi_utils.h"
// [includes.end]

// [cuda_kernel.begin]
constexpr int kThreads = 256;

// For contiguous tensors. Each thread loads kLoads vectors before it uses any,
// so that enough loads are in flight: 16-byte vectors where both tensors are
// aligned, and more single elements where they are not. Near the end, it loads
// the last vector again rather than read past it, and discards it: with a
// condition per load, nvcc 13.0 waits for a float16 vector
// sooner.
template <int kItems>
constexpr int kLoads = kItems > 1 ? 4 : 8;

template <typename T, int kItems>
__global__ void scale_vectors(const T* x, T* y,
                              typename Compute<T>::Type factor, int64_t n) {
  using C = typename Compute<T>::Type;
  using Items = Vector<T, kItems>;
  constexpr int kTile = kLoads<kItems> * kThreads;  // vectors per block
  const int64_t count = n / kItems;
  const auto* from = reinterpret_cast<const Items*>(x);
  auto* to = reinterpret_cast<Items*>(y);
#pragma unroll 1  // Unrolling would add a division to compute the trip count.
  for (int64_t tile = static_cast<int64_t>(blockIdx.x) * kTile; tile < count;
       tile += static_cast<int64_t>(gridDim.x) * kTile) {
    const int64_t first = tile + threadIdx.x;
    Items loaded[kLoads<kItems>];
#pragma unroll
    for (int k = 0; k < kLoads<kItems>; ++k)
      loaded[k] = from[min(first + k * kThreads, count - 1)];
#pragma unroll
    for (int k = 0; k < kLoads<kItems>; ++k) {
      const int64_t i = first + k * kThreads;
      if (i >= count) break;
      for (T& item : loaded[k].items) {
        item = static_cast<T>(static_cast<C>(item) * factor);
      }
      to[i] = loaded[k];
    }
  }
  // The tail: fewer elements than one vector holds.
  const int64_t i = count * kItems + threadIdx.x;
  if (blockIdx.x == 0 && i < n) {
    y[i] = static_cast<T>(static_cast<C>(x[i]) * factor);
  }
}
// [cuda_kernel.end]

// [cuda_strided_kernel.begin]
// Any strides: one element at a time.
template <typename T>
__global__ void scale_elements(const T* x, T* y, StridedLayout layout,
                               typename Compute<T>::Type factor, int64_t n) {
  using C = typename Compute<T>::Type;
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
#pragma unroll 1  // Unrolling would add a division to compute the trip count.
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
       i < n; i += step) {
    y[i] = static_cast<T>(static_cast<C>(x[layout.offset(i)]) * factor);
  }
}
// [cuda_strided_kernel.end]

// [function.begin]
void scale(ffi::TensorView x, ffi::TensorView y, double factor) {
  // 1. Validate: device, dtype, shape, memory layout.
  CHECK_CUDA(x);
  CHECK_DTYPE_IN(x, FloatingTypes);
  CHECK_ALIGNED(x);
  CHECK_SAME_DEVICE(y, x);
  CHECK_SAME_DTYPE(y, x);
  CHECK_SAME_SHAPE(y, x);
  CHECK_CONTIGUOUS(y);
  CHECK_ALIGNED(y);
  CHECK_NO_PARTIAL_OVERLAP(y, x);
  // 2. Guard: make the tensors' GPU current within this function.
  ffi::CUDADeviceGuard guard(x.device().device_id);
  // 3. Stream: the current one of the caller's framework.
  cudaStream_t stream = get_stream(x);
  // 4. Dispatch on dtype.
  dispatch<FloatingTypes>(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* from = data_of<T>(x);
    T* to = data_of<T>(y);
    const auto by = static_cast<typename Compute<T>::Type>(factor);
    const int64_t n = x.numel();
    if (n == 0) return;  // An empty grid is an error.
    // 5. Launch.
    const auto in_vectors = [&](auto items) {
      constexpr int kItems = decltype(items)::value;
      const unsigned blocks = blocks_for(n, kLoads<kItems> * kThreads * kItems);
      scale_vectors<T, kItems>
          <<<blocks, kThreads, 0, stream>>>(from, to, by, n);
    };
    if (x.IsContiguous() && is_aligned(from) && is_aligned(to)) {
      in_vectors(std::integral_constant<int, Vector<T>::kSize>{});
    } else if (x.IsContiguous()) {
      in_vectors(std::integral_constant<int, 1>{});
    } else {
      const unsigned blocks = blocks_for(n, kThreads);
      const StridedLayout layout("scale", x);
      scale_elements<T>
          <<<blocks, kThreads, 0, stream>>>(from, to, layout, by, n);
    }
    // 6. Check the launch.
    TVM_FFI_CHECK_CUDA_ERROR(cudaGetLastError());
  });
}
// [function.end]

// [returning.begin]
ffi::Tensor scaled(ffi::TensorView x, double factor) {
  CHECK_CUDA(x);
  CHECK_DTYPE_IN(x, FloatingTypes);
  CHECK_ALIGNED(x);
  ffi::Tensor y = alloc_tensor(x.shape(), x.dtype(), x.device());
  scale(x, y, factor);
  return y;
}
// [returning.end]

// [export.begin]
TVM_FFI_DLL_EXPORT_TYPED_FUNC(scale, scale);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(scaled, scaled);
// [export.end]
