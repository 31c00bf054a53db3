// SPDX-License-Identifier: Apache-2.0
// A library with the CUBIN that TileLang makes of tilelang_axpy.py.

// [launcher.begin]
#include <limits>

#include "launch_axpy.h"

TVM_FFI_EMBED_CUBIN(axpy_cubin);

static void axpy(double a, ffi::TensorView x, ffi::TensorView y) {
  check_axpy(x, y);
  const DLDevice device = y.device();
  TVM_FFI_CHECK(y.size(0) <= std::numeric_limits<int>::max() - 255, ValueError)
      << "axpy: expected at most 2147483392 elements, got " << y.size(0);
  int n = static_cast<int>(y.size(0));
  if (n == 0) return;
  ffi::CUDADeviceGuard guard(device.device_id);
  static auto kernel = TVM_FFI_EMBED_CUBIN_GET_KERNEL(axpy_cubin, "axpy_kernel");
  auto stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(device.device_type, device.device_id));
  // TileLang's order: the tensors, the numbers, the symbolic extents.
  float factor = static_cast<float>(a);
  float *from = data_of(x), *to = data_of(y);
  void* arguments[] = {&from, &to, &factor, &n};
  const auto blocks = static_cast<unsigned>((n + 255) / 256);
  TVM_FFI_CHECK_CUBIN_LAUNCHER_CUDA_ERROR(
      kernel.Launch(arguments, ffi::dim3(blocks), ffi::dim3(256), stream));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(axpy, axpy);
// [launcher.end]
