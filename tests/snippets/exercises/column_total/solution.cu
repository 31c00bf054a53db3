// SPDX-License-Identifier: Apache-2.0
// The solution of the exercise; run: python grade.py column_total --solution
#include "tvm_ffi_utils.h"

// column_total(x, y) must add up each column of the float16 matrix x, and round
// the total to float16. Each thread adds up one column.
__global__ void column_total_kernel(const float16* x, float16* y, int64_t rows,
                                    int64_t columns) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  const int64_t first =
      static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (int64_t c = first; c < columns; c += step) {
    // [solution.begin]
    float total = 0;
    for (int64_t r = 0; r < rows; ++r)
      total += static_cast<float>(x[r * columns + c]);
    y[c] = static_cast<float16>(total);
    // [solution.end]
  }
}

void column_total(ffi::TensorView x, ffi::TensorView y) {
  CHECK_CUDA(x);
  CHECK_DTYPE(x, dl_float16);
  CHECK_DIM(2, x);
  CHECK_CONTIGUOUS(x);
  CHECK_SAME_DEVICE(y, x);
  CHECK_SAME_DTYPE(y, x);
  CHECK_DIM(1, y);
  CHECK_OR_THROW(y.size(0) == x.size(1), ValueError, y, "as long as a row of x",
                 y.size(0));
  CHECK_CONTIGUOUS(y);
  CHECK_APART(y, x);
  ffi::CUDADeviceGuard guard(x.device().device_id);
  column_total_kernel<<<blocks_for(x.size(1), 256), 256, 0, get_stream(x)>>>(
      data_of<float16>(x), data_of<float16>(y), x.size(0), x.size(1));
  TVM_FFI_CHECK_CUDA_ERROR(cudaGetLastError());
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(column_total, column_total);
