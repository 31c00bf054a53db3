// SPDX-License-Identifier: Apache-2.0
// Rows: R5
// extra/module.h: classes that derive from ModuleObj.
#include <tvm/ffi/tvm_ffi.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "expect.h"

namespace ffi = tvm::ffi;

namespace {

// A module with one function, which returns a number.
class NumberObj : public ffi::ModuleObj {
 public:
  explicit NumberObj(int64_t number) : number_(number) { ++living; }
  ~NumberObj() { --living; }
  const char* kind() const final { return "number"; }
  ffi::Optional<ffi::Function> GetFunction(const ffi::String& name) final {
    if (name == "raise") TVM_FFI_THROW(KeyError) << "raised by GetFunction";
    if (name != "number") return std::nullopt;
    return ffi::Function::FromTyped([number = number_] { return number; });
  }

  static inline int living = 0;

 private:
  int64_t number_;
};

class alignas(64) AlignedObj : public NumberObj {
 public:
  AlignedObj() : NumberObj(64) {}
};

class ThrowingObj : public NumberObj {
 public:
  ThrowingObj() : NumberObj(0) { throw std::runtime_error("made half"); }
};

ffi::Module MakeNumber(int64_t number) { return ffi::Module(ffi::make_object<NumberObj>(number)); }

ffi::Function Global(const char* name) { return ffi::Function::GetGlobalRequired(name); }

}  // namespace

// Its header follows the vtable pointer, and its C ABI handle points to the header.
void layout() {
  static_assert(sizeof(ffi::ModuleObj) == 48, "as in the published headers");
  static_assert(sizeof(ffi::Optional<ffi::Function>) == 8, "as in the published headers");
  static_assert(sizeof(ffi::Optional<ffi::String>) == 16, "as in the published headers");
  const ffi::Module module = MakeNumber(5);
  auto* object = reinterpret_cast<char*>(module.get());
  TVMFFIObject* head = ffi::ObjectUnsafe::Borrow(module);
  EXPECT(reinterpret_cast<char*>(head) == object + sizeof(void*));
  EXPECT_EQ(head->type_index, int32_t{kTVMFFIModule});
  EXPECT(ffi::Any(module).cast<ffi::Module>().get() == module.get());
  EXPECT(module.as<ffi::ModuleObj>() == module.get());
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_layout, layout);

// The last owner frees it, even if its constructor throws or it requires a larger alignment.
void lifetime() {
  EXPECT_EQ(NumberObj::living, 0);
  {
    ffi::Module module = MakeNumber(5);
    ffi::WeakObjectPtr<ffi::ModuleObj> watch(ffi::GetObjectPtr<ffi::ModuleObj>(module.get()));
    const ffi::Module aligned(ffi::make_object<AlignedObj>());
    EXPECT_EQ(reinterpret_cast<uintptr_t>(aligned.get()) % 64, uintptr_t{0});
    EXPECT_EQ(NumberObj::living, 2);
    module = ffi::Module();
    EXPECT(watch.expired() && watch.lock() == nullptr);
    EXPECT_EQ(NumberObj::living, 1);
  }
  try {
    ffi::make_object<ThrowingObj>();
    EXPECT(false);
  } catch (const std::runtime_error&) {
  }
  EXPECT_EQ(NumberObj::living, 0);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_lifetime, lifetime);

// Members that a class does not define have defaults, also for other languages.
void defaults() {
  const ffi::Module module = MakeNumber(5);
  EXPECT_EQ(module->GetPropertyMask(), 0);
  EXPECT(module->ImplementsFunction("number") && !module->ImplementsFunction("other"));
  EXPECT(!module->GetFunctionDoc("number").has_value());
  EXPECT(!module->GetFunctionMetadata("number").has_value());
  EXPECT_EQ(module->GetWriteFormats().size(), 0u);
  EXPECT_EQ(module->InspectSource(""), "");
  EXPECT_EQ(module->imports().size(), 0u);
  const std::string but = "expected a module that can be ";
  EXPECT_THROWS(
      "RuntimeError: ModuleObj::WriteToFile: " + but + "written, got one of kind \"number\"",
      Global("ffi.ModuleWriteToFile")(module, "file", "format"));
  EXPECT_THROWS(
      "RuntimeError: ModuleObj::SaveToBytes: " + but + "saved, got one of kind \"number\"",
      module->SaveToBytes());
  EXPECT_EQ(Global("ffi.ModuleGetKind")(module).cast<std::string>(), "number");
  EXPECT_EQ(Global("ffi.ModuleGetPropertyMask")(module).cast<int>(), 0);
  EXPECT(Global("ffi.ModuleGetFunctionDoc")(module, "number", true) == nullptr);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_defaults, defaults);

// An error thrown by a virtual function reaches the caller.
void errors() {
  const ffi::Module module = MakeNumber(5);
  EXPECT_THROWS("KeyError: raised by GetFunction", module->GetFunction("raise"));
  EXPECT_THROWS("KeyError: raised by GetFunction", module->GetFunction("raise", true));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_errors, errors);

// The nearest import that has a function provides it; null and cyclic imports are rejected.
void imports() {
  const ffi::Module outer = MakeNumber(1), middle = MakeNumber(2), inner = MakeNumber(3);
  outer->ImportModule(middle);
  middle->ImportModule(inner);
  EXPECT_EQ(outer->imports().size(), 1u);
  EXPECT(Global("ffi.ModuleGetImport")(outer, 0).cast<ffi::Module>().same_as(middle));
  EXPECT_EQ(outer->GetFunction("number", true).value()().cast<int>(), 1);
  const std::string what = "ValueError: ModuleObj::ImportModule: other: expected a module";
  EXPECT_THROWS(what + " that does not import this one, got one that does",
                inner->ImportModule(outer));
  EXPECT_THROWS(what + ", got none", inner->ImportModule(ffi::Module()));
  outer->ClearImports();
  EXPECT_EQ(outer->imports().size(), 0u);
  inner->ImportModule(outer);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_imports, imports);

// Code of the module looks up a function in the imports, then among the global ones; a function
// lent once is the same the next time.
void lookup() {
  const ffi::Module module = MakeNumber(1);
  TVMFFIObjectHandle code = module.get(), first = nullptr, second = nullptr;
  EXPECT_THROWS(
      "AttributeError: TVMFFIEnvModLookupFromImports: func_name: expected a function of an "
      "imported module or a global one, got \"number\"",
      TVM_FFI_CHECK_SAFE_CALL(TVMFFIEnvModLookupFromImports(code, "number", &first)));
  module->ImportModule(MakeNumber(2));
  TVM_FFI_CHECK_SAFE_CALL(TVMFFIEnvModLookupFromImports(code, "number", &first));
  TVM_FFI_CHECK_SAFE_CALL(TVMFFIEnvModLookupFromImports(code, "number", &second));
  EXPECT(first == second);
  // A handle works too.
  TVMFFIObjectHandle handle = ffi::ObjectUnsafe::Borrow(module);
  TVM_FFI_CHECK_SAFE_CALL(TVMFFIEnvModLookupFromImports(handle, "number", &second));
  EXPECT(first == second);
  const ffi::Function lent(ffi::ObjectUnsafe::PtrFromBorrowed<ffi::FunctionObj>(first));
  EXPECT_EQ(lent().cast<int>(), 2);
  TVM_FFI_CHECK_SAFE_CALL(TVMFFIEnvModLookupFromImports(code, "ffi.ModuleGetKind", &second));
  EXPECT(first != second);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_lookup, lookup);

// The context symbols registered by the program are listed.
void context_symbols() {
  int value = 0;
  TVM_FFI_CHECK_SAFE_CALL(TVMFFIEnvModRegisterContextSymbol("test_module_classes.value", &value));
  int found = 0;
  ffi::Module::VisitContextSymbols([&](const ffi::String& name, void* symbol) {
    if (name == "test_module_classes.value") found += symbol == &value ? 1 : 100;
  });
  EXPECT_EQ(found, 1);
  TVM_FFI_CHECK_SAFE_CALL(TVMFFIEnvModRegisterContextSymbol("test_module_classes.value", nullptr));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_context_symbols, context_symbols);

// A global function named after the extension loads such files; without it, the loader does.
void loader_of_an_extension() {
  std::vector<std::string> got;
  ffi::Function::SetGlobal(
      "ffi.Module.load_from_file.number",
      ffi::Function::FromTyped([&](const std::string& path, const std::string& extension) {
        got = {path, extension};
        return MakeNumber(9);
      }));
  const ffi::Module module = ffi::Module::LoadFromFile("no/such.file.number");
  Global("ffi.FunctionRemoveGlobal")("ffi.Module.load_from_file.number");
  EXPECT_EQ(module->GetFunction("number").value()().cast<int>(), 9);
  EXPECT(got == (std::vector<std::string>{"no/such.file.number", "number"}));
  EXPECT_THROWS_WITH("RuntimeError: ffi.ModuleLoadFromFile: path: expected a library that loads",
                     ffi::Module::LoadFromFile("no/such.file.number"));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_loader_of_an_extension, loader_of_an_extension);
