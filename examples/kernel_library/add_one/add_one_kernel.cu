// SPDX-License-Identifier: Apache-2.0
// y = x + 1 for float32 vectors on a GPU. Build with build_cuda.sh, run with
// load_add_one.py.

// [kernel.begin]
#include "../tvm_ffi_utils.h"

// Each thread loads four elements before it stores any, so that more loads are
// in flight. The outer loop is not unrolled: that would add a division to
// compute the trip count.
__global__ void add_one_kernel(const float* x, float* y, int64_t n) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
#pragma unroll 1
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
       i < n; i += 4 * step) {
    float loaded[4];
    for (int k = 0; k < 4; ++k) {
      if (i + k * step < n) loaded[k] = x[i + k * step];
    }
    for (int k = 0; k < 4; ++k) {
      if (i + k * step < n) y[i + k * step] = loaded[k] + 1.0f;
    }
  }
}

// [function.begin]
void add_one(ffi::TensorView x, ffi::TensorView y) {
  CHECK_CUDA(x);
  CHECK_DIM(1, x);
  CHECK_DTYPE(x, dl_float32);
  CHECK_CONTIGUOUS(x);
  CHECK_ALIGNED(x);
  CHECK_SAME_DEVICE(y, x);
  CHECK_SAME_DTYPE(y, x);
  CHECK_SAME_SHAPE(y, x);
  CHECK_CONTIGUOUS(y);
  CHECK_ALIGNED(y);
  CHECK_NO_PARTIAL_OVERLAP(y, x);
  ffi::CUDADeviceGuard guard(x.device().device_id);
  cudaStream_t stream = get_stream(x);
  const int64_t n = x.numel();
  if (n == 0) return;  // An empty grid is an error.
  const int threads = 256;
  add_one_kernel<<<blocks_for(n, 4 * threads), threads, 0, stream>>>(
      data_of<float>(x), data_of<float>(y), n);
  TVM_FFI_CHECK_CUDA_ERROR(cudaGetLastError());
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(add_one, add_one);
// [function.end]
// [kernel.end]
