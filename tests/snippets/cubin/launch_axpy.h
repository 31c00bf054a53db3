// SPDX-License-Identifier: Apache-2.0
// The launch of the kernel axpy, wherever its CUBIN comes from.
#ifndef LAUNCH_AXPY_H_
#define LAUNCH_AXPY_H_

// [launch.begin]
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/cuda/cubin_launcher.h>
#include <tvm/ffi/extra/cuda/device_guard.h>
#include <tvm/ffi/tvm_ffi.h>

#include <algorithm>

namespace ffi = tvm::ffi;

// The offset is 0 if the runtime has already added it to the address.
inline float* data_of(const ffi::TensorView& x) {
  return reinterpret_cast<float*>(static_cast<char*>(x.data_ptr()) + x.byte_offset());
}

inline void check_vector(const char* name, const ffi::TensorView& x) {
  const DLDataType dtype = x.dtype();
  TVM_FFI_CHECK(x.device().device_type == kDLCUDA, ValueError)
      << "axpy: " << name << ": expected a CUDA tensor";
  TVM_FFI_CHECK(dtype.code == kDLFloat && dtype.bits == 32 && dtype.lanes == 1, TypeError)
      << "axpy: " << name << ": expected float32";
  TVM_FFI_CHECK(x.ndim() == 1 && x.IsContiguous(), ValueError)
      << "axpy: " << name << ": expected a contiguous vector";
  TVM_FFI_CHECK(reinterpret_cast<uintptr_t>(data_of(x)) % sizeof(float) == 0, ValueError)
      << "axpy: " << name << ": expected an address that is a multiple of " << sizeof(float);
}

inline void launch_axpy(ffi::CubinKernel& kernel, double a, ffi::TensorView x, ffi::TensorView y) {
  const DLDevice device = y.device();
  int64_t n = y.size(0);
  if (n == 0) return;
  // The stream and the device of the launch are those of the tensors.
  ffi::CUDADeviceGuard guard(device.device_id);
  auto stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(device.device_type, device.device_id));
  // The address of each argument, in the order and of the types of the kernel's parameters.
  float factor = static_cast<float>(a);
  float *from = data_of(x), *to = data_of(y);
  void* arguments[] = {&factor, &from, &to, &n};
  const auto blocks = static_cast<unsigned>(std::min<int64_t>((n + 255) / 256, 65535));
  TVM_FFI_CHECK_CUBIN_LAUNCHER_CUDA_ERROR(
      kernel.Launch(arguments, ffi::dim3(blocks), ffi::dim3(256), stream));
}

inline void check_axpy(const ffi::TensorView& x, const ffi::TensorView& y) {
  check_vector("x", x);
  check_vector("y", y);
  TVM_FFI_CHECK(x.size(0) == y.size(0), ValueError)
      << "axpy: expected vectors of one length, got " << x.size(0) << " and " << y.size(0);
  TVM_FFI_CHECK(x.device().device_id == y.device().device_id, ValueError)
      << "axpy: expected both tensors on one device";
  const float *from = data_of(x), *to = data_of(y);
  TVM_FFI_CHECK(from == to || from + x.size(0) <= to || to + y.size(0) <= from, ValueError)
      << "axpy: expected x and y apart from each other, or one vector";
}
// [launch.end]

#endif  // LAUNCH_AXPY_H_
