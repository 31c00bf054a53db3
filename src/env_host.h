// SPDX-License-Identifier: Apache-2.0
// What the host language, which lends tensors of its frameworks, knows about them.
#ifndef TVM_FFI_SRC_ENV_HOST_H_
#define TVM_FFI_SRC_ENV_HOST_H_

#include <tvm/ffi/c_api.h>

#include <cstdint>

namespace tvm {
namespace ffi {

// The DLPack flags of a Tensor object that the host made; 0 for any other. The host registers the
// function that is asked as "TensorFlags", by TVMFFIEnvRegisterCAPI.
uint64_t HostTensorFlags(TVMFFIObjectHandle tensor);

}  // namespace ffi
}  // namespace tvm

#endif  // TVM_FFI_SRC_ENV_HOST_H_
