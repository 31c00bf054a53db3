// SPDX-License-Identifier: Apache-2.0
// y = factor * x + bias with two kernels, the second of which starts before the first has ended.
#include "tvm_ffi_utils.h"

namespace {

constexpr int kThreads = 256;

// [kernels.begin]
// On older devices, stream order replaces both.
__device__ void let_next_kernel_begin() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}
__device__ void wait_for_previous_kernel() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

__global__ void multiply_kernel(const float* x, float factor, float* y, int64_t n) {
  let_next_kernel_begin();
  const int64_t step = int64_t{gridDim.x} * kThreads;
  for (int64_t i = int64_t{blockIdx.x} * kThreads + threadIdx.x; i < n; i += step)
    y[i] = factor * x[i];
}

__global__ void add_kernel(const float* bias, float* y, int64_t n) {
  const float addend = *bias;  // No earlier kernel writes it.
  wait_for_previous_kernel();
  const int64_t step = int64_t{gridDim.x} * kThreads;
  for (int64_t i = int64_t{blockIdx.x} * kThreads + threadIdx.x; i < n; i += step) y[i] += addend;
}
// [kernels.end]

// [can_wait.begin]
// Whether the code that runs on this device was compiled for an architecture that can wait.
bool can_wait_for_previous_kernel() {
  cudaFuncAttributes attributes{};
  TVM_FFI_CHECK_CUDA_ERROR(cudaFuncGetAttributes(&attributes, add_kernel));
  return attributes.ptxVersion >= 90;
}
// [can_wait.end]

void multiply_add(ffi::TensorView x, double factor, ffi::TensorView bias, ffi::TensorView y) {
  CHECK_CUDA(x);
  CHECK_DTYPE(x, dl_float32);
  CHECK_CONTIGUOUS(x);
  CHECK_ALIGNED(x);
  CHECK_SAME_DEVICE(bias, x);
  CHECK_SAME_DTYPE(bias, x);
  CHECK_OR_THROW(bias.numel() == 1, ValueError, bias, "of 1 element",
                 "shape " << text_of(bias.shape()));
  CHECK_ALIGNED(bias);
  CHECK_SAME_DEVICE(y, x);
  CHECK_SAME_DTYPE(y, x);
  CHECK_SAME_SHAPE(y, x);
  CHECK_CONTIGUOUS(y);
  CHECK_ALIGNED(y);
  CHECK_NO_PARTIAL_OVERLAP(y, x);
  CHECK_APART(y, bias);
  const int64_t n = x.numel();
  if (n == 0) return;

  // [launch.begin]
  ffi::CUDADeviceGuard guard(x.device().device_id);
  cudaLaunchAttribute overlap{};
  overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  overlap.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = blocks_for(n, kThreads);
  config.blockDim = kThreads;
  config.stream = get_stream(x);
  TVM_FFI_CHECK_CUDA_ERROR(cudaLaunchKernelEx(&config, multiply_kernel, data_of<float>(x),
                                              static_cast<float>(factor), data_of<float>(y), n));
  if (can_wait_for_previous_kernel()) {
    config.attrs = &overlap;
    config.numAttrs = 1;
  }
  TVM_FFI_CHECK_CUDA_ERROR(
      cudaLaunchKernelEx(&config, add_kernel, data_of<float>(bias), data_of<float>(y), n));
  // [launch.end]
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(multiply_add, multiply_add);
