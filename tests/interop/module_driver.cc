// SPDX-License-Identifier: Apache-2.0
// Calls what a module can do, by the virtual functions of the headers that this was built with.
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/tvm_ffi.h>

#include <string>

namespace ffi = tvm::ffi;

namespace {

std::string ErrorOf(const ffi::Module& module, const ffi::Module& other) {
  try {
    module->ImportModule(other);
  } catch (const ffi::Error& error) {
    return error.kind();
  }
  return "none";
}

// In the order of the virtual functions.
ffi::Array<ffi::Any> ask(ffi::Module module, ffi::String file_name) {
  module->WriteToFile(file_name, "any");
  return {ffi::String(module->kind()),
          module->GetPropertyMask(),
          module->GetFunction("scale").value()(2.0),
          module->GetFunction("shift").has_value(),
          module->ImplementsFunction("scale"),
          module->ImplementsFunction("shift"),
          module->GetFunctionDoc("scale").value(),
          module->GetFunctionDoc("shift").has_value(),
          module->GetFunctionMetadata("scale").value(),
          module->GetWriteFormats(),
          module->SaveToBytes(),
          module->InspectSource("")};
}

// What is found in `other` while it is imported, and after.
ffi::Array<ffi::Any> import(ffi::Module module, ffi::Module other, ffi::String name) {
  ffi::Array<ffi::Any> found{module->GetFunction(name, true).has_value()};
  module->ImportModule(other);
  const ffi::Array<ffi::Any>& imports = module->imports();
  found.push_back(static_cast<int64_t>(imports.size()));
  found.push_back(imports[0].cast<ffi::Module>().same_as(other));
  found.push_back(module->GetFunction(name, true).has_value());
  found.push_back(module->ImplementsFunction(name, true));
  found.push_back(module->GetFunctionDoc(name, true).has_value());
  found.push_back(module->GetFunctionMetadata(name, true).has_value());
  found.push_back(ffi::String(ErrorOf(other, module)));
  module->ClearImports();
  found.push_back(static_cast<int64_t>(module->imports().size()));
  found.push_back(module->GetFunction(name, true).has_value());
  return found;
}

// Looks a function up in the imports of a module, as its code would.
double lend(ffi::Module module, ffi::Module other) {
  module->ImportModule(other);
  // As the loader writes it into the context variable of a library.
  void* code = const_cast<ffi::ModuleObj*>(static_cast<const ffi::ModuleObj*>(module.get()));
  double sum = 0;
  for (int i = 0; i < 2; ++i) {
    TVMFFIObjectHandle lent = nullptr;
    TVM_FFI_CHECK_SAFE_CALL(TVMFFIEnvModLookupFromImports(code, "scale", &lent));
    TVMFFIAny argument{}, result{};
    argument.type_index = kTVMFFIFloat;
    argument.v_float64 = 5;
    TVM_FFI_CHECK_SAFE_CALL(TVMFFIFunctionCall(lent, &argument, 1, &result));
    sum += result.v_float64;
  }
  return sum;
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(ask, ask);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(import, import);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(lend, lend);
