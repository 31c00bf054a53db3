# SPDX-License-Identifier: Apache-2.0
"""Builds a CUDA kernel from text, and launches it where there is a GPU: inline_cuda.py DEVICE."""

import sys

# [build.begin]
import tvm_ffi.cpp

kernel = """
#include <tvm/ffi/extra/cuda/device_guard.h>

__global__ void AddOne(const float* x, float* y, int64_t n) {
  int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] + 1;
}

void LaunchAddOne(const float* x, float* y, int64_t n, DLDevice device) {
  if (n == 0) return;
  tvm::ffi::CUDADeviceGuard guard(device.device_id);
  auto stream =
      static_cast<cudaStream_t>(TVMFFIEnvGetStream(device.device_type, device.device_id));
  AddOne<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(x, y, n);
  TVM_FFI_CHECK_CUDA_ERROR(cudaGetLastError());
}
"""
binding = """
void LaunchAddOne(const float* x, float* y, int64_t n, DLDevice device);

void add_one(tvm::ffi::TensorView x, tvm::ffi::TensorView y) {
  constexpr DLDataType kFloat32{kDLFloat, 32, 1};
  TVM_FFI_CHECK(x.device().device_type == kDLCUDA && x.device() == y.device(), ValueError)
      << "add_one: expected tensors on one CUDA device, got " << x.device() << " and "
      << y.device();
  TVM_FFI_CHECK(x.dtype() == kFloat32 && y.dtype() == kFloat32, TypeError)
      << "add_one: expected float32, got " << x.dtype() << " and " << y.dtype();
  TVM_FFI_CHECK(x.IsContiguous() && y.IsContiguous() && x.numel() == y.numel(), ValueError)
      << "add_one: expected contiguous tensors of one size";
  LaunchAddOne(static_cast<const float*>(x.data_ptr()), static_cast<float*>(y.data_ptr()),
               x.numel(), x.device());
}
"""
mod = tvm_ffi.cpp.load_inline(
    "add_one_cuda", cpp_sources=binding, cuda_sources=kernel, functions="add_one"
)
# [build.end]

if sys.argv[1] == "cuda":
    import torch

    x = torch.arange(1000, dtype=torch.float32, device="cuda")
    y = torch.empty_like(x)
    mod.add_one(x, y)
    torch.testing.assert_close(y, x + 1)
else:
    import numpy

    x = numpy.zeros(3, dtype="float32")
    message = "no error"
    try:
        mod.add_one(x, x)
    except ValueError as error:
        message = str(error)
    expected = "add_one: expected tensors on one CUDA device, got cpu:0 and cpu:0"
    assert message == expected, message
