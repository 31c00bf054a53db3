// SPDX-License-Identifier: Apache-2.0
// The library that test_static_init.cc loads: one of its static init blocks throws.
#include <tvm/ffi/tvm_ffi.h>

namespace ffi = tvm::ffi;

TVM_FFI_STATIC_INIT_BLOCK() {
  ffi::Function::SetGlobal("test_static_init.before", ffi::Function::FromTyped([] { return 1; }));
}

TVM_FFI_STATIC_INIT_BLOCK() { TVM_FFI_THROW(ValueError) << "static_init_library: not today"; }

TVM_FFI_STATIC_INIT_BLOCK() { TVM_FFI_THROW(TypeError) << "static_init_library: nor tomorrow"; }

TVM_FFI_STATIC_INIT_BLOCK() {
  ffi::Function::SetGlobal("test_static_init.after", ffi::Function::FromTyped([] { return 2; }));
}
