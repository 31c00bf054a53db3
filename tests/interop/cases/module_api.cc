// SPDX-License-Identifier: Apache-2.0
// Cases: the C++ class Module, which in the published headers needs C++ symbols of the runtime.
#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/function.h>

#include <string>

#include "case.h"

namespace ffi = tvm::ffi;

namespace {

// Loads a library and calls its function add_one.
int64_t LoadAndCall(ffi::String path, int64_t x) {
  ffi::Module module = ffi::Module::LoadFromFile(path);
  auto function = module->GetFunction("add_one");
  EXPECT(function.has_value());
  EXPECT(!module->GetFunction("no_such_function").has_value());
  return function.value()(x).cast<int64_t>();
}

// Calls a function of a module that came as an argument.
int64_t CallFunctionOf(ffi::Module module, ffi::String name, int64_t x) {
  return module->GetFunction(name).value()(x).cast<int64_t>();
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(load_and_call, LoadAndCall);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(call_function_of, CallFunctionOf);
