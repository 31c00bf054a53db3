// SPDX-License-Identifier: Apache-2.0
// The solution of the exercise; run: python grade.py tail --solution
#include "tvm_ffi_utils.h"

// times(x, y, factor) must compute y = x * factor, for any number of elements.
__global__ void times_kernel(const float* x, float* y, float factor,
                             int64_t n) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  const int64_t first =
      static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const auto* from = reinterpret_cast<const float4*>(x);
  auto* to = reinterpret_cast<float4*>(y);
  // [solution.begin]
  for (int64_t i = first; i < n / 4; i += step) {
    const float4 v = from[i];
    to[i] = {v.x * factor, v.y * factor, v.z * factor, v.w * factor};
  }
  // The tail: at most three elements.
  const int64_t rest = n / 4 * 4 + first;
  if (rest < n) y[rest] = x[rest] * factor;
  // [solution.end]
}

void times(ffi::TensorView x, ffi::TensorView y, double factor) {
  CHECK_CUDA(x);
  CHECK_DTYPE(x, dl_float32);
  CHECK_CONTIGUOUS(x);
  CHECK_SAME_DEVICE(y, x);
  CHECK_SAME_DTYPE(y, x);
  CHECK_SAME_SHAPE(y, x);
  CHECK_CONTIGUOUS(y);
  CHECK_NO_PARTIAL_OVERLAP(y, x);
  const auto* from = data_of<float>(x);
  auto* to = data_of<float>(y);
  CHECK_OR_THROW(is_aligned(from), ValueError, x, "aligned to 16 bytes",
                 "another address");
  CHECK_OR_THROW(is_aligned(to), ValueError, y, "aligned to 16 bytes",
                 "another address");
  ffi::CUDADeviceGuard guard(x.device().device_id);
  times_kernel<<<blocks_for(x.numel(), 1024), 256, 0, get_stream(x)>>>(
      from, to, static_cast<float>(factor), x.numel());
  TVM_FFI_CHECK_CUDA_ERROR(cudaGetLastError());
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(times, times);
