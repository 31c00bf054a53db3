// SPDX-License-Identifier: Apache-2.0
// y = x * factor on a GPU. Build with build_cuda.sh, run with load_scale.py.

// [includes.begin]
#include <algorithm>

#include "../tvm_ffi_utils.h"
// [includes.end]

// [cuda_kernel.begin]
template <typename T>
__global__ void scale_kernel(const T* x, T* y, StridedLayout layout,
                             typename Compute<T>::Type factor, int64_t n) {
  using C = typename Compute<T>::Type;
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
       i < n; i += step) {
    y[i] = static_cast<T>(static_cast<C>(x[layout.offset(i)]) * factor);
  }
}
// [cuda_kernel.end]

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
  // 2. Guard: the tensors' GPU is the current one in this function.
  ffi::CUDADeviceGuard guard(x.device().device_id);
  // 3. Stream: the one that the caller's framework works on.
  cudaStream_t stream = get_stream(x);
  // 4. Dispatch on dtype.
  dispatch<FloatingTypes>(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const int64_t n = x.numel();
    if (n == 0) return;  // A grid of no blocks is an error.
    // 5. Launch.
    const int threads = 256;
    const int64_t blocks =
        std::min<int64_t>((n + threads - 1) / threads, 1 << 20);
    scale_kernel<T><<<static_cast<unsigned>(blocks), threads, 0, stream>>>(
        data_of<T>(x), data_of<T>(y), StridedLayout("scale", x),
        static_cast<typename Compute<T>::Type>(factor), n);
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
