// SPDX-License-Identifier: Apache-2.0
// A library that makes a function from a lambda.
#include <tvm/ffi/function.h>

#include <cstdint>

static tvm::ffi::Function adder(int64_t n) {
  return tvm::ffi::Function::FromTyped([n](int64_t x) { return x + n; });
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(adder, adder);
