// SPDX-License-Identifier: Apache-2.0
// The version of the C ABI that this library implements: the published package's, not this one's.
// CMakeLists.txt reads it from here.
#include <tvm/ffi/c_api.h>

extern "C" void TVMFFIGetVersion(TVMFFIVersion* out_version) {
  if (out_version != nullptr) *out_version = {0, 1, 16};
}
