// SPDX-License-Identifier: Apache-2.0
// Gives other languages access to modules of any kind, and a module's code access to its imports.
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/module.h>

#include <mutex>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "arguments.h"
#include "library.h"
#include "opaque.h"
#include "symbol_table.h"

namespace ffi = tvm::ffi;

namespace {

// The object of a handle passed by another language, which may be null.
ffi::ModuleObj* Given(const ffi::Module& module, const char* where = "ffi.Module") {
  const TVMFFIObject* object = ffi::ObjectUnsafe::Borrow(module);
  TVM_FFI_CHECK(object != nullptr && !ffi::IsOpaque(object), TypeError)
      << where << ": expected a module, got "
      << (object == nullptr ? "None" : "an opaque object that is marked as one");
  return module.get();
}

// The result of `ask` for a module, or for the first of its imports, at any depth, that has one.
// Each module is asked once, however many others import it.
template <typename Ask>
auto Search(ffi::ModuleObj* module, bool query_imports, const Ask& ask) -> decltype(ask(module)) {
  auto found = ask(module);
  if (found.has_value() || !query_imports) return found;
  std::unordered_set<const ffi::ModuleObj*> seen{module};
  std::vector<ffi::Module> left;  // the next one last
  const auto add_imports = [&left](ffi::ModuleObj* of) {
    const ffi::Array<ffi::Any> imports = ffi::ImportsOf(of);
    for (auto i = static_cast<int64_t>(imports.size()); i-- > 0;)
      left.push_back(imports[i].cast<ffi::Module>());
  };
  add_imports(module);
  while (!left.empty()) {
    const ffi::Module next = std::move(left.back());
    left.pop_back();
    if (!seen.insert(next.get()).second) continue;
    found = ask(next.get());
    if (found.has_value()) return found;
    add_imports(next.get());
  }
  return std::nullopt;
}

ffi::Optional<ffi::Function> Find(ffi::ModuleObj* module, const ffi::String& name,
                                  bool query_imports) {
  return Search(module, query_imports, [&](auto* asked) { return asked->GetFunction(name); });
}

// A function of the imports, or a global one, for a module's code, which asks once and caches the
// pointer.
ffi::Function FindForCode(ffi::ModuleObj* module, const ffi::String& name) {
  const ffi::Optional<ffi::Function> found = Search(module, true, [&](auto* asked) {
    return asked == module ? ffi::Optional<ffi::Function>() : asked->GetFunction(name);
  });
  if (found.has_value()) return *found;
  std::optional<ffi::Function> global = ffi::Function::GetGlobal(name);
  TVM_FFI_CHECK(global.has_value(), AttributeError)
      << "TVMFFIEnvModLookupFromImports: func_name: expected a function of an imported module or "
      << "a global one, got \"" << name << "\"";
  return *global;
}

// Lends a function to the code of a user-defined module, for the lifetime of the module.
TVMFFIObjectHandle Lend(ffi::ModuleObj* module, const ffi::String& name) {
  for (;;) {
    ffi::Map<ffi::String, ffi::Function> before(ffi::UnsafeInit{});
    {
      std::lock_guard<std::mutex> lock(ffi::ModulesLock());
      before = ffi::detail::ModuleUnsafe::Lent(module);
    }
    const ffi::Optional<ffi::Function> known = before.Get(name);
    if (known.has_value()) return ffi::ObjectUnsafe::Borrow(*known);
    const ffi::Function found = FindForCode(module, name);
    // Created without the lock: an allocator is user code.
    ffi::Map<ffi::String, ffi::Function> after = before;
    after.Set(name, found);
    std::lock_guard<std::mutex> lock(ffi::ModulesLock());
    auto& lent = ffi::detail::ModuleUnsafe::Lent(module);
    if (!lent.same_as(before)) continue;
    std::swap(lent, after);
    return ffi::ObjectUnsafe::Borrow(found);
  }
}

bool IsModule(const ffi::Object* object) {
  const int32_t index = object->type_index();
  if (index == kTVMFFIModule) return true;
  // If no object starts at this address, the index must not be looked up.
  return index >= kTVMFFIDynObjectBegin && index < 1 << 20 && object->IsInstance<ffi::ModuleObj>();
}

// The module in a library's context variable, given by its start address, which precedes the object
// header; its handle is accepted too. It is not owned: while the last reference to a module is
// released, its code may still look up functions.
ffi::ModuleObj* ModuleOfContext(void* context) {
  TVM_FFI_CHECK(context != nullptr, ValueError)
      << "TVMFFIEnvModLookupFromImports: library_ctx: expected a module, got NULL";
  auto* module = static_cast<ffi::ModuleObj*>(context);
  // Any other object has part of its deleter's address at the offset of the type index.
  if (IsModule(module)) return module;
  auto* object = static_cast<ffi::Object*>(context);
  TVM_FFI_CHECK(object->IsInstance<ffi::ModuleObj>() &&
                    !ffi::IsOpaque(static_cast<const TVMFFIObject*>(context)),
                TypeError)
      << "TVMFFIEnvModLookupFromImports: library_ctx: expected a module, got an object of type "
      << object->GetTypeKey();
  return static_cast<ffi::ModuleObj*>(object);
}

// Modules that another language keeps loaded. Never destroyed: a library may be in use at exit.
auto& kept = *new std::unordered_set<ffi::Module, ffi::ObjectPtrHash, ffi::ObjectPtrEqual>;

// The functions through which other languages access modules.
const bool registered = [] {
  auto set = [](const char* name, auto function) {
    ffi::Function::SetGlobal(name, ffi::Function::FromTyped(function, name));
  };
  set("ffi.ModuleGetFunction",
      [](const ffi::Module& module, const ffi::String& name, bool query_imports) {
        return Find(Given(module), name, query_imports);
      });
  set("ffi.ModuleImplementsFunction",
      [](const ffi::Module& module, const ffi::String& name, bool query_imports) {
        auto ask = [&](ffi::ModuleObj* asked) {
          return asked->ImplementsFunction(name) ? std::optional<bool>(true) : std::nullopt;
        };
        return Search(Given(module), query_imports, ask).has_value();
      });
  set("ffi.ModuleGetFunctionMetadata",
      [](const ffi::Module& module, const ffi::String& name, bool query_imports) {
        return Search(Given(module), query_imports,
                      [&](auto* asked) { return asked->GetFunctionMetadata(name); });
      });
  set("ffi.ModuleGetFunctionDoc",
      [](const ffi::Module& module, const ffi::String& name, bool query_imports) {
        return Search(Given(module), query_imports,
                      [&](auto* asked) { return asked->GetFunctionDoc(name); });
      });
  set("ffi.ModuleGetKind", [](const ffi::Module& module) {
    const char* kind = Given(module)->kind();
    TVM_FFI_CHECK(kind != nullptr, TypeError)
        << "ffi.ModuleGetKind: expected ModuleObj::kind() to return a string, got NULL";
    return ffi::String(kind);
  });
  set("ffi.ModuleGetPropertyMask",
      [](const ffi::Module& module) { return Given(module)->GetPropertyMask(); });
  set("ffi.ModuleInspectSource", [](const ffi::Module& module, const ffi::String& format) {
    return Given(module)->InspectSource(format);
  });
  set("ffi.ModuleGetWriteFormats",
      [](const ffi::Module& module) { return Given(module)->GetWriteFormats(); });
  set("ffi.ModuleWriteToFile",
      [](const ffi::Module& module, const ffi::String& file_name, const ffi::String& format) {
        Given(module)->WriteToFile(file_name, format);
      });
  set("ffi.ModuleSaveToBytes",
      [](const ffi::Module& module) { return Given(module)->SaveToBytes(); });
  set("ffi.ModuleImportModule", [](const ffi::Module& module, const ffi::Module& other) {
    Given(other, "ffi.ModuleImportModule: other");
    Given(module)->ImportModule(other);
  });
  // Returns the import at an index, or the number of imports for -1.
  set("ffi.ModuleGetImport", [](const ffi::Module& module, int64_t i) -> ffi::Any {
    const ffi::Array<ffi::Any> imports = ffi::ImportsOf(Given(module));
    const auto count = static_cast<int64_t>(imports.size());
    if (i == -1) return count;
    TVM_FFI_CHECK(i >= 0 && i < count, IndexError)
        << "ffi.ModuleGetImport: expected an index below " << count << ", got " << i;
    return imports[i];
  });
  set("ffi.ModuleClearImports", [](const ffi::Module& module) { Given(module)->ClearImports(); });
  set("ffi.ModuleGlobalsAdd", [](const ffi::Module& module) {
    Given(module, "ffi.ModuleGlobalsAdd: module");
    const std::lock_guard<std::mutex> lock(ffi::ModulesLock());
    kept.insert(module);
  });
  set("ffi.ModuleGlobalsRemove", [](ffi::Module module) {
    Given(module, "ffi.ModuleGlobalsRemove: module");
    // `module` is destroyed after unlocking, because that may unload a library, which runs its
    // code.
    const std::lock_guard<std::mutex> lock(ffi::ModulesLock());
    kept.erase(module);
  });
  set("ffi.ModuleVisitContextSymbols",
      [](const ffi::TypedFunction<void(ffi::String, void*)>& callback) {
        for (const auto& [name, symbol] : ffi::ContextSymbols().All()) callback(name, symbol);
      });
  set("ffi.FunctionDescribe", ffi::DescribeFunction);
  return true;
}();

}  // namespace

extern "C" {

int TVMFFIEnvModLookupFromImports(TVMFFIObjectHandle library_ctx, const char* func_name,
                                  TVMFFIObjectHandle* out) {
  TVM_FFI_SAFE_CALL_BEGIN();
  ffi::ModuleObj* module = ModuleOfContext(library_ctx);
  TVMFFIObjectHandle& result = ffi::Given("TVMFFIEnvModLookupFromImports: out", out);
  const char* name = ffi::GivenText("TVMFFIEnvModLookupFromImports: func_name", func_name);
  ffi::LibraryObj* library = ffi::AsLibrary(module);
  if (library == nullptr) {
    result = Lend(module, name);
  } else {
    // `*out` is left unchanged unless a function is found.
    TVMFFIObjectHandle lent = library->Lent(name);
    result = lent != nullptr ? lent : library->Lend(name, FindForCode(module, name));
  }
  TVM_FFI_SAFE_CALL_END();
}
}
