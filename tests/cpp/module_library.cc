// SPDX-License-Identifier: Apache-2.0
// The library that test_module.cc loads.
#define TVM_FFI_DLL_EXPORT_INCLUDE_METADATA 1
#include <tvm/ffi/tvm_ffi.h>

namespace ffi = tvm::ffi;

extern "C" {
// Set by the loader: the module itself, and a symbol registered by the host.
TVM_FFI_DLL_EXPORT void* __tvm_ffi__library_ctx = nullptr;
TVM_FFI_DLL_EXPORT void* test_module_context_symbol = nullptr;
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(answer, [] { return 42; });
TVM_FFI_DLL_EXPORT_TYPED_FUNC_DOC(answer, "The answer.");
TVM_FFI_DLL_EXPORT_TYPED_FUNC_ARG_NAMES(answer, "x", "y");

TVM_FFI_DLL_EXPORT_TYPED_FUNC(fail, [](int64_t x) {
  TVM_FFI_THROW(ValueError) << "fail: x must be 0, got " << x;
});

TVM_FFI_DLL_EXPORT_TYPED_FUNC(library_context, [] { return __tvm_ffi__library_ctx; });

TVM_FFI_DLL_EXPORT_TYPED_FUNC(context_symbol, [] { return test_module_context_symbol; });

// Calls a function of an imported module, as generated code does.
TVM_FFI_DLL_EXPORT_TYPED_FUNC(call_import, [](const std::string& name) {
  TVMFFIObjectHandle lent = nullptr;
  TVM_FFI_CHECK_SAFE_CALL(
      TVMFFIEnvModLookupFromImports(__tvm_ffi__library_ctx, name.c_str(), &lent));
  return ffi::Function(ffi::ObjectUnsafe::PtrFromBorrowed<ffi::FunctionObj>(lent))();
});

// A function that holds an array. The code of both is in this library, which the function keeps
// loaded and the array does not.
TVM_FFI_DLL_EXPORT_TYPED_FUNC(function_with_array, [] {
  return ffi::Function::FromExternC(
      new ffi::Array<int>{1}, [](void*, const TVMFFIAny*, int32_t, TVMFFIAny*) { return 0; },
      [](void* held) { delete static_cast<ffi::Array<int>*>(held); });
});

namespace {
TVMFFIObjectHandle remembered = nullptr;
}

// Looks up an imported function once and caches the pointer, as generated code does.
TVM_FFI_DLL_EXPORT_TYPED_FUNC(remember_import, [](const std::string& name) {
  TVM_FFI_CHECK_SAFE_CALL(
      TVMFFIEnvModLookupFromImports(__tvm_ffi__library_ctx, name.c_str(), &remembered));
});

TVM_FFI_DLL_EXPORT_TYPED_FUNC(call_remembered, [] {
  return ffi::Function(ffi::ObjectUnsafe::PtrFromBorrowed<ffi::FunctionObj>(remembered))();
});
