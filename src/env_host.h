// SPDX-License-Identifier: Apache-2.0
// Information from the host language about the framework tensors that it lends.
#ifndef TVM_FFI_SRC_ENV_HOST_H_
#define TVM_FFI_SRC_ENV_HOST_H_

#include <tvm/ffi/c_api.h>

#include <cstdint>

namespace tvm {
namespace ffi {

// The DLPack flags of a Tensor object created by the host; 0 for any other. The host registers the
// function that returns them as "TensorFlags", with TVMFFIEnvRegisterCAPI.
uint64_t HostTensorFlags(TVMFFIObjectHandle tensor);

}  // namespace ffi
}  // namespace tvm

#endif  // TVM_FFI_SRC_ENV_HOST_H_
