// SPDX-License-Identifier: Apache-2.0
// The solution of the exercise; run: python grade.py optional --solution
#include <tvm/ffi/optional.h>

#include "tvm_ffi_utils.h"

// scale_columns(x, weight, y) must compute y[r, c] = x[r, c] * weight[c], or
// y = x where the weight is None. It must reject a weight that does not fit,
// with an error that names the weight.
__global__ void scale_columns_kernel(const float* x, const float* weight,
                                     float* y, int64_t rows, int64_t columns) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  const int64_t first =
      static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (int64_t i = first; i < rows * columns; i += step) {
    y[i] = weight == nullptr ? x[i] : x[i] * weight[i % columns];
  }
}

void scale_columns(ffi::TensorView x,
                   ffi::Optional<ffi::TensorView> maybe_weight,
                   ffi::TensorView y) {
  CHECK_CUDA(x);
  CHECK_DTYPE(x, dl_float32);
  CHECK_DIM(2, x);
  CHECK_CONTIGUOUS(x);
  CHECK_SAME_DEVICE(y, x);
  CHECK_SAME_DTYPE(y, x);
  CHECK_SAME_SHAPE(y, x);
  CHECK_CONTIGUOUS(y);
  CHECK_NO_PARTIAL_OVERLAP(y, x);
  // [solution.begin]
  const float* factors = nullptr;
  if (maybe_weight.has_value()) {
    const ffi::TensorView weight = *maybe_weight;
    CHECK_SAME_DEVICE(weight, x);
    CHECK_SAME_DTYPE(weight, x);
    CHECK_DIM(1, weight);
    CHECK_OR_THROW(weight.size(0) == x.size(1), ValueError, weight,
                   "as long as a row of x, " << x.size(1), weight.size(0));
    CHECK_CONTIGUOUS(weight);
    CHECK_APART(y, weight);
    factors = data_of<float>(weight);
  }
  // [solution.end]
  ffi::CUDADeviceGuard guard(x.device().device_id);
  scale_columns_kernel<<<blocks_for(x.numel(), 256), 256, 0, get_stream(x)>>>(
      data_of<float>(x), factors, data_of<float>(y), x.size(0), x.size(1));
  TVM_FFI_CHECK_CUDA_ERROR(cudaGetLastError());
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(scale_columns, scale_columns);
