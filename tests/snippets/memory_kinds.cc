// SPDX-License-Identifier: Apache-2.0
// Checks that accept pinned and managed memory, and a kernel for the CPU that
// uses one of them.
#include "tvm_ffi_utils.h"

namespace {

// [checks.begin]
bool cpu_can_access(DLDevice device) {
  return device.device_type == kDLCPU || device.device_type == kDLCUDAHost ||
         device.device_type == kDLCUDAManaged;
}

bool gpu_can_access(DLDevice device) {
  return device.device_type == kDLCUDA || device.device_type == kDLCUDAHost ||
         device.device_type == kDLCUDAManaged;
}

#define CHECK_CPU_ACCESS(x)                                                                        \
  CHECK_OR_THROW(cpu_can_access((x).device()), ValueError, x, "in memory that the CPU can access", \
                 text_of((x).device()))

#define CHECK_GPU_ACCESS(x)                                                                      \
  CHECK_OR_THROW(gpu_can_access((x).device()), ValueError, x, "in memory that a GPU can access", \
                 text_of((x).device()))
// [checks.end]

void add_one(ffi::TensorView x, ffi::TensorView y) {
  CHECK_CPU_ACCESS(x);
  CHECK_CPU_ACCESS(y);
  CHECK_DTYPE(x, dl_float32);
  CHECK_SAME_DTYPE(y, x);
  CHECK_CONTIGUOUS(x);
  CHECK_CONTIGUOUS(y);
  CHECK_SAME_SHAPE(y, x);
  for (int64_t i = 0; i < x.numel(); ++i) {
    data_of<float>(y)[i] = data_of<float>(x)[i] + 1;
  }
}

void check_gpu_access(ffi::TensorView x) { CHECK_GPU_ACCESS(x); }

void check_same_device(ffi::TensorView y, ffi::TensorView x) { CHECK_SAME_DEVICE(y, x); }

// What get_stream of the utility header asks, in a form that needs no CUDA.
int64_t stream_of(ffi::TensorView x) {
  return reinterpret_cast<intptr_t>(
      TVMFFIEnvGetStream(x.device().device_type, x.device().device_id));
}

ffi::Tensor like(ffi::TensorView x) { return alloc_tensor(x.shape(), x.dtype(), x.device()); }

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(add_one, add_one);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(check_gpu_access, check_gpu_access);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(check_same_device, check_same_device);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(stream_of, stream_of);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(like, like);
