// SPDX-License-Identifier: Apache-2.0
// A separate library whose C++ functions test_error.cc calls directly.
#include <tvm/ffi/error.h>

extern "C" __attribute__((visibility("default"))) void throw_error(int n) {
  TVM_FFI_THROW(IndexError) << "thrown by another library: " << n;
}
