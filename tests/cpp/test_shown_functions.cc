// SPDX-License-Identifier: Apache-2.0
// Rows: R8
// Shown by func_module.rst: functions, the global table, modules, and moved arguments.
#include <dlfcn.h>
#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/rvalue_ref.h>
#include <tvm/ffi/tvm_ffi.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "expect.h"

namespace ffi = tvm::ffi;

int plain(int x) { return x + 1; }
TVM_FFI_DLL_EXPORT_TYPED_FUNC(plain, plain);

// A typed function is called with its types, and passed like any function.
void typed_function() {
  // [typed_function.begin]
  ffi::TypedFunction<int(int, const std::string&)> repeat(
      [](int n, const std::string& text) { return n * static_cast<int>(text.size()); }, "repeat");
  EXPECT_EQ(repeat(3, "ab"), 6);
  ffi::Function untyped = repeat;
  EXPECT_EQ(untyped(3, "ab").cast<int>(), 6);
  // [typed_function.end]
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_typed_function, typed_function);

// A packed function takes any number of arguments.
void packed_function() {
  // [packed_function.begin]
  ffi::Function sum = ffi::Function::FromPacked([](ffi::PackedArgs args, ffi::Any* result) {
    int64_t total = 0;
    for (int32_t i = 0; i < args.size(); ++i) total += args[i].cast<int64_t>();
    *result = total;
  });
  EXPECT_EQ(sum(1, 2, 3).cast<int64_t>(), 6);
  // [packed_function.end]
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_packed_function, packed_function);

// Functions are registered under names, listed, and removed.
void global_functions() {
  // [global_functions.begin]
  ffi::Function::SetGlobal("my_library.add_one", ffi::Function::FromTyped(plain));
  EXPECT_EQ(ffi::Function::GetGlobalRequired("my_library.add_one")(1).cast<int>(), 2);
  std::vector<ffi::String> names = ffi::Function::ListGlobalNames();
  EXPECT(std::find(names.begin(), names.end(), "my_library.add_one") != names.end());
  ffi::Function::RemoveGlobal("my_library.add_one");
  EXPECT(!ffi::Function::GetGlobal("my_library.add_one").has_value());
  // [global_functions.end]
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_global_functions, global_functions);

// A module returns its functions.
void load() {
  Dl_info info;
  EXPECT(dladdr(reinterpret_cast<void*>(&__tvm_ffi_plain), &info) != 0);
  const std::string here = info.dli_fname;
  const std::string path = here.substr(0, here.rfind('/')) + "/shown_functions_library.so";
  // [load.begin]
  ffi::Module module = ffi::Module::LoadFromFile(path);
  ffi::Function answer = module->GetFunction("answer").value();
  EXPECT_EQ(answer().cast<int>(), 42);
  // [load.end]
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_load, load);

// The callee holds the only reference to an object that the caller moved.
void rvalue_ref() {
  // [rvalue_ref.begin]
  ffi::Function owners = ffi::Function::FromTyped([](ffi::RValueRef<ffi::Shape> given) {
    ffi::Shape shape = *std::move(given);
    return shape.use_count();
  });
  ffi::Shape shape{2, 3};
  EXPECT_EQ(owners(shape).cast<int>(), 2);
  EXPECT_EQ(owners(ffi::RValueRef<ffi::Shape>(std::move(shape))).cast<int>(), 1);
  // [rvalue_ref.end]
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_rvalue_ref, rvalue_ref);
