// SPDX-License-Identifier: Apache-2.0
// An exercise: repair it, then run: python grade.py fp8
#include "tvm_ffi_utils.h"

// [exercise.begin]
// to_fp8(x, y, scale) must divide x by the scale and round it to float8_e4m3fn.
// Numbers too large for that dtype must become its largest number, 448.
__global__ void to_fp8_kernel(const float* x, float8_e4m3fn* y, float scale,
                              int64_t n) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  const int64_t first =
      static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (int64_t i = first; i < n; i += step) {
    y[i].__x = __nv_cvt_float_to_fp8(x[i] / scale, __NV_NOSAT, __NV_E4M3);
  }
}

void to_fp8(ffi::TensorView x, ffi::TensorView y, double scale) {
  CHECK_CUDA(x);
  CHECK_DTYPE(x, dl_float32);
  CHECK_CONTIGUOUS(x);
  CHECK_SAME_DEVICE(y, x);
  CHECK_DTYPE(y, dl_float8_e4m3fn);
  CHECK_SAME_SHAPE(y, x);
  CHECK_CONTIGUOUS(y);
  CHECK_APART(y, x);
  ffi::CUDADeviceGuard guard(x.device().device_id);
  to_fp8_kernel<<<blocks_for(x.numel(), 256), 256, 0, get_stream(x)>>>(
      data_of<float>(x), data_of<float8_e4m3fn>(y), static_cast<float>(scale),
      x.numel());
  TVM_FFI_CHECK_CUDA_ERROR(cudaGetLastError());
}
// [exercise.end]

TVM_FFI_DLL_EXPORT_TYPED_FUNC(to_fp8, to_fp8);
