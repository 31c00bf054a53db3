// SPDX-License-Identifier: Apache-2.0
// Rows: R5, R6
// TVM_FFI_STATIC_INIT_BLOCK of function.h: code run when a library is loaded, and its errors.
#include <dlfcn.h>
#include <tvm/ffi/tvm_ffi.h>

#include <string>

#include "expect.h"

namespace ffi = tvm::ffi;

namespace {

std::string order;

// [static_init.begin]
TVM_FFI_STATIC_INIT_BLOCK() {
  ffi::Function::SetGlobal("test_static_init.half",
                           ffi::Function::FromTyped([](double x) { return x / 2; }));
}
// [static_init.end]

TVM_FFI_STATIC_INIT_BLOCK() { order += "a"; }
TVM_FFI_STATIC_INIT_BLOCK() { order += "b"; }

std::string LibraryPath(const char* name) {
  Dl_info info;
  EXPECT(dladdr(&order, &info) != 0);
  const std::string path = info.dli_fname;
  return path.substr(0, path.rfind('/') + 1) + name;
}

}  // namespace

// Blocks run when the library is loaded, in file order.
void blocks_run() {
  EXPECT_EQ(ffi::Function::GetGlobalRequired("test_static_init.half")(3).cast<double>(), 1.5);
  EXPECT_EQ(order, std::string("ab"));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_blocks_run, blocks_run);

// The first error that escapes a block is the load error; the other blocks have run.
void a_block_that_throws() {
  EXPECT_THROWS("ValueError: static_init_library: not today",
                ffi::Module::LoadFromFile(LibraryPath("static_init_library.so")));
  EXPECT_EQ(ffi::Function::GetGlobalRequired("test_static_init.before")().cast<int>(), 1);
  EXPECT_EQ(ffi::Function::GetGlobalRequired("test_static_init.after")().cast<int>(), 2);
  // Registered functions stay callable: the library is not unloaded.
  EXPECT(ffi::Function::RemoveGlobal("test_static_init.before"));
  EXPECT(ffi::Function::RemoveGlobal("test_static_init.after"));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_a_block_that_throws, a_block_that_throws);
