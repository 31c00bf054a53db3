// SPDX-License-Identifier: Apache-2.0
// An exercise: repair it, then run: python grade.py dtype
#include "tvm_ffi_utils.h"

// [exercise.begin]
// square(x, y) must compute y = x * x for float32, float16 and bfloat16, and
// must raise a TypeError that names x for any other dtype.
template <typename T>
__global__ void square_kernel(const T* x, T* y, int64_t n) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  const int64_t first =
      static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (int64_t i = first; i < n; i += step) {
    const float value = static_cast<float>(x[i]);
    y[i] = static_cast<T>(value * value);
  }
}

template <typename T>
void launch_square(const ffi::TensorView& x, const ffi::TensorView& y) {
  square_kernel<<<blocks_for(x.numel(), 256), 256, 0, get_stream(x)>>>(
      data_of<T>(x), data_of<T>(y), x.numel());
  TVM_FFI_CHECK_CUDA_ERROR(cudaGetLastError());
}

void square(ffi::TensorView x, ffi::TensorView y) {
  CHECK_CUDA(x);
  CHECK_CONTIGUOUS(x);
  CHECK_SAME_DEVICE(y, x);
  CHECK_SAME_DTYPE(y, x);
  CHECK_SAME_SHAPE(y, x);
  CHECK_CONTIGUOUS(y);
  CHECK_NO_PARTIAL_OVERLAP(y, x);
  ffi::CUDADeviceGuard guard(x.device().device_id);
  switch (x.dtype().bits) {
    case 32:
      return launch_square<float>(x, y);
    case 16:
      return launch_square<float16>(x, y);
    default:
      TVM_FFI_THROW(TypeError) << "square: x must have 16 or 32 bits";
  }
}
// [exercise.end]

TVM_FFI_DLL_EXPORT_TYPED_FUNC(square, square);
