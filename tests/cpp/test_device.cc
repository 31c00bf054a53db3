// SPDX-License-Identifier: Apache-2.0
// Rows: R1
// device.h: the names of devices and what their addresses allow.
#include <tvm/ffi/device.h>
#include <tvm/ffi/tvm_ffi.h>

#include "expect.h"

namespace ffi = tvm::ffi;

// Every device type has a name; an unknown one shows its number.
void names() {
  struct Case {
    DLDeviceType type;
    const char* name;
  };
  for (Case c :
       {Case{kDLCPU, "cpu"}, Case{kDLCUDA, "cuda"}, Case{kDLCUDAHost, "cuda_host"},
        Case{kDLOpenCL, "opencl"}, Case{kDLVulkan, "vulkan"}, Case{kDLMetal, "metal"},
        Case{kDLVPI, "vpi"}, Case{kDLROCM, "rocm"}, Case{kDLROCMHost, "rocm_host"},
        Case{kDLExtDev, "ext_dev"}, Case{kDLCUDAManaged, "cuda_managed"}, Case{kDLOneAPI, "oneapi"},
        Case{kDLWebGPU, "webgpu"}, Case{kDLHexagon, "hexagon"}, Case{kDLMAIA, "maia"},
        Case{kDLTrn, "trn"}, Case{static_cast<DLDeviceType>(5), "device_type(5)"},
        Case{static_cast<DLDeviceType>(99), "device_type(99)"},
        Case{static_cast<DLDeviceType>(-1), "device_type(-1)"}}) {
    EXPECT_EQ(ffi::DLDeviceToString({c.type, 3}), std::string(c.name) + ":3");
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_names, names);

// Address arithmetic is allowed where the host and CUDA or ROCm share addresses, not where they
// are opaque handles.
void plain_addresses() {
  for (DLDeviceType type :
       {kDLCPU, kDLCUDA, kDLCUDAHost, kDLCUDAManaged, kDLROCM, kDLROCMHost, kDLOneAPI}) {
    EXPECT(ffi::HasPlainAddresses({type, 0})) << type;
  }
  for (DLDeviceType type : {kDLOpenCL, kDLVulkan, kDLMetal, kDLWebGPU}) {
    EXPECT(!ffi::HasPlainAddresses({type, 0})) << type;
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_plain_addresses, plain_addresses);
