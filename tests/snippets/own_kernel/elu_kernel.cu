// SPDX-License-Identifier: Apache-2.0
// ELU with an alpha for each column, on a GPU.

// [kernel.begin]
#include "elu.h"

template <typename T>
__global__ void elu_kernel(const T* x, const T* alphas, T* y, int64_t n,
                           int64_t columns) {
  using C = typename Compute<T>::Type;  // float for the 16-bit types
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
       i < n; i += step) {
    y[i] = static_cast<T>(
        elu_of(static_cast<C>(x[i]), static_cast<C>(alphas[i % columns])));
  }
}

void elu(ffi::TensorView x, ffi::TensorView alpha, ffi::TensorView y) {
  CHECK_CUDA(x);
  CHECK_ELU(x, alpha, y);
  ffi::CUDADeviceGuard guard(x.device().device_id);
  cudaStream_t stream = get_stream(x);
  dispatch<FloatingTypes>(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const int64_t n = x.numel();
    if (n == 0) return;  // An empty grid is an error.
    const int threads = 256;
    elu_kernel<T><<<blocks_for(n, threads), threads, 0, stream>>>(
        data_of<T>(x), data_of<T>(alpha), data_of<T>(y), n, alpha.numel());
    TVM_FFI_CHECK_CUDA_ERROR(cudaGetLastError());
  });
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(elu, elu);
// [kernel.end]
