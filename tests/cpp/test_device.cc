// SPDX-License-Identifier: Apache-2.0
// device.h: comparison and printing of devices, from code in any namespace.
#include <tvm/ffi/device.h>
#include <tvm/ffi/tvm_ffi.h>

#include <sstream>

#include "expect.h"

namespace ffi = tvm::ffi;

// A namespace whose own operators hide those of the enclosing ones.
namespace project {
namespace kernels {

struct Own {};
[[maybe_unused]] bool operator==(Own, Own) { return true; }
[[maybe_unused]] bool operator!=(Own, Own) { return false; }
[[maybe_unused]] std::ostream& operator<<(std::ostream& out, Own) { return out << "own"; }

// Devices compare and print from inside any namespace.
void operators_in_a_namespace() {
  const DLDevice a{kDLCUDA, 1};
  DLDevice b{kDLCUDA, 1};
  EXPECT(a == b);
  EXPECT(a == (DLDevice{kDLCUDA, 1}));
  b.device_id = 0;
  EXPECT(a != b && !(a == b));
  EXPECT(a != (DLDevice{kDLCPU, 1}));
  std::ostringstream text;
  text << "on " << a << " and " << Own();
  EXPECT_EQ(text.str(), std::string("on cuda:1 and own"));
  EXPECT_THROWS("ValueError: on cuda:1", TVM_FFI_THROW(ValueError) << "on " << a);
}

}  // namespace kernels
}  // namespace project
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_operators_in_a_namespace,
                              project::kernels::operators_in_a_namespace);

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

// Addresses allow arithmetic where the host and CUDA or ROCm share them, not where they are
// handles.
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
