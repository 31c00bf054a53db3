// SPDX-License-Identifier: Apache-2.0
// The minimal CUDA file: one kernel, one check that throws, one export.
#include <cuda_runtime.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

namespace ffi = tvm::ffi;

namespace {

__global__ void AddOne(const float* x, float* y, int64_t n) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] + 1;
}

void add_one(ffi::TensorView x, ffi::TensorView y) {
  const int64_t n = x.numel();
  if (n != y.numel()) {
    TVM_FFI_THROW(ValueError) << "add_one: y must have " << n << " elements, got " << y.numel();
  }
  if (n == 0) return;
  const DLDevice device = x.device();
  auto stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(device.device_type, device.device_id));
  AddOne<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(
      static_cast<const float*>(x.data_ptr()), static_cast<float*>(y.data_ptr()), n);
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(add_one, add_one);
