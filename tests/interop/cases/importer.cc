// SPDX-License-Identifier: Apache-2.0
// Cases: a library that calls functions of the modules that it imports.
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/function.h>

#include <string>

#include "case.h"

namespace ffi = tvm::ffi;

// The loader leaves the module here; code that calls imported functions asks it for them.
extern "C" TVM_FFI_DLL_EXPORT void* __tvm_ffi__library_ctx;
void* __tvm_ffi__library_ctx = nullptr;

namespace {

ffi::Any CallImported(std::string name, ffi::AnyView argument) {
  TVMFFIObjectHandle borrowed = nullptr;
  TVM_FFI_CHECK_SAFE_CALL(
      TVMFFIEnvModLookupFromImports(__tvm_ffi__library_ctx, name.c_str(), &borrowed));
  EXPECT(borrowed != nullptr);
  TVMFFIAny function{};
  function.type_index = kTVMFFIFunction;
  function.v_obj = static_cast<TVMFFIObject*>(borrowed);
  return ffi::AnyView::CopyFromTVMFFIAny(function).cast<ffi::Function>()(argument);
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(call_imported, CallImported);
