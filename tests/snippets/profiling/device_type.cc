// SPDX-License-Identifier: Apache-2.0
// The device type that a function sees, for a tensor on any device.
// [device.begin]
#include "tvm_ffi_utils.h"

namespace {

int64_t device_type(ffi::TensorView x) { return x.device().device_type; }

void needs_cuda(ffi::TensorView x) { CHECK_CUDA(x); }

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(device_type, device_type);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(needs_cuda, needs_cuda);
// [device.end]
