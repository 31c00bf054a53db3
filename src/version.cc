// SPDX-License-Identifier: Apache-2.0
// The version of the C ABI that this library speaks.
#include <tvm/ffi/c_api.h>

extern "C" void TVMFFIGetVersion(TVMFFIVersion* out_version) { *out_version = {0, 1, 16}; }
