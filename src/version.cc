// SPDX-License-Identifier: Apache-2.0
// The version of the C ABI that this library implements: the published package's, not this one's.
#include <tvm/ffi/c_api.h>

extern "C" void TVMFFIGetVersion(TVMFFIVersion* out_version) {
  if (out_version == nullptr) return;
  *out_version = {TVM_FFI_VERSION_MAJOR, TVM_FFI_VERSION_MINOR, TVM_FFI_VERSION_PATCH};
}
