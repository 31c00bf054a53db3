// SPDX-License-Identifier: Apache-2.0
// The stream table, for tvm_ffi.stream.
#ifndef TVM_FFI_PYTHON_CORE_STREAM_H_
#define TVM_FFI_PYTHON_CORE_STREAM_H_

#include "base/common.h"

namespace tvm_ffi_core {

// Whether streams order the work on such a device.
inline bool has_streams(DLDeviceType type) {
  return type != kDLCPU && type != kDLCUDAHost && type != kDLROCMHost;
}

void bind_stream(nb::module_& module);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_STREAM_H_
