// SPDX-License-Identifier: Apache-2.0
// The library that test_shown_functions.cc loads.
#include <tvm/ffi/tvm_ffi.h>

int answer() { return 42; }
TVM_FFI_DLL_EXPORT_TYPED_FUNC(answer, answer);
