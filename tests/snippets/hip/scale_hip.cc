// SPDX-License-Identifier: Apache-2.0
// y = x * factor on an AMD GPU.
// [kernel.begin]
// hipcc -shared -fPIC -O3 --offload-arch=gfx90a $(tvm-ffi-config --cxxflags) scale_hip.cc
//   -o scale_hip.so $(tvm-ffi-config --ldflags --libs)
#include <hip/hip_runtime.h>

#include <algorithm>

#include "tvm_ffi_utils.h"

namespace {

constexpr int64_t kThreads = 256, kMostBlocks = 65535;

__global__ void scale_elements(const float* x, float* y, float factor, int64_t n) {
  const int64_t step = int64_t{gridDim.x} * blockDim.x;
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) {
    y[i] = x[i] * factor;
  }
}

void check_hip(hipError_t error) {
  if (error != hipSuccess) TVM_FFI_THROW(RuntimeError) << "scale: " << hipGetErrorString(error);
}

// Makes a GPU current within a scope.
struct DeviceGuard {
  explicit DeviceGuard(int device) {
    check_hip(hipGetDevice(&before));
    check_hip(hipSetDevice(device));
  }
  ~DeviceGuard() { static_cast<void>(hipSetDevice(before)); }
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;
  int before = 0;
};

void scale(ffi::TensorView x, ffi::TensorView y, double factor) {
  CHECK_OR_THROW(x.device().device_type == kDLROCM, ValueError, x, "on a ROCm device",
                 text_of(x.device()));
  CHECK_DTYPE(x, dl_float32);
  CHECK_CONTIGUOUS(x);
  CHECK_ALIGNED(x);
  CHECK_SAME_DEVICE(y, x);
  CHECK_SAME_DTYPE(y, x);
  CHECK_SAME_SHAPE(y, x);
  CHECK_CONTIGUOUS(y);
  CHECK_ALIGNED(y);
  CHECK_NO_PARTIAL_OVERLAP(y, x);
  const int64_t n = x.numel();
  if (n == 0) return;  // An empty grid is an error.
  DeviceGuard guard(x.device().device_id);
  auto stream = static_cast<hipStream_t>(TVMFFIEnvGetStream(kDLROCM, x.device().device_id));
  const int64_t blocks = std::min((n - 1) / kThreads + 1, kMostBlocks);
  hipLaunchKernelGGL(scale_elements, dim3(static_cast<unsigned>(blocks)), dim3(kThreads), 0, stream,
                     data_of<float>(x), data_of<float>(y), static_cast<float>(factor), n);
  check_hip(hipGetLastError());
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(scale, scale);
// [kernel.end]
