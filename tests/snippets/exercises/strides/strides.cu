// SPDX-License-Identifier: Apache-2.0
// An exercise: repair it, then run: python grade.py strides
#include "tvm_ffi_utils.h"

// [exercise.begin]
// add_bias(x, bias, y) must compute y[r, c] = x[r, c] + bias[c]. The matrix x
// may have any strides: it may be transposed, or a slice of a larger matrix.
__global__ void add_bias_kernel(const float* x, const float* bias, float* y,
                                int64_t rows, int64_t columns) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  const int64_t first =
      static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (int64_t i = first; i < rows * columns; i += step) {
    y[i] = x[i] + bias[i % columns];
  }
}

void add_bias(ffi::TensorView x, ffi::TensorView bias, ffi::TensorView y) {
  CHECK_CUDA(x);
  CHECK_DTYPE(x, dl_float32);
  CHECK_DIM(2, x);
  CHECK_SAME_DEVICE(bias, x);
  CHECK_SAME_DTYPE(bias, x);
  CHECK_DIM(1, bias);
  CHECK_OR_THROW(bias.size(0) == x.size(1), ValueError, bias,
                 "as long as a row of x", bias.size(0));
  CHECK_CONTIGUOUS(bias);
  CHECK_SAME_DEVICE(y, x);
  CHECK_SAME_DTYPE(y, x);
  CHECK_SAME_SHAPE(y, x);
  CHECK_CONTIGUOUS(y);
  CHECK_APART(y, x);
  ffi::CUDADeviceGuard guard(x.device().device_id);
  add_bias_kernel<<<blocks_for(x.numel(), 256), 256, 0, get_stream(x)>>>(
      data_of<float>(x), data_of<float>(bias), data_of<float>(y), x.size(0),
      x.size(1));
  TVM_FFI_CHECK_CUDA_ERROR(cudaGetLastError());
}
// [exercise.end]

TVM_FFI_DLL_EXPORT_TYPED_FUNC(add_bias, add_bias);
