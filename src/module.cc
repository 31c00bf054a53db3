// SPDX-License-Identifier: Apache-2.0
// Loaded libraries, the modules that they import, and the symbols they get from their host.
#include <dlfcn.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/module.h>
#include <unistd.h>

#include <map>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace ffi = tvm::ffi;

namespace {

constexpr const char* kFunctionPrefix = "__tvm_ffi_";
constexpr const char* kLibraryContext = "__tvm_ffi__library_ctx";

// Names with addresses, registered by anybody at any time.
class SymbolTable {
 public:
  void Set(const char* name, void* symbol) {
    std::lock_guard<std::mutex> lock(mutex_);
    symbols_[name] = symbol;
  }
  void* Find(const std::string& name) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto found = symbols_.find(name);
    return found == symbols_.end() ? nullptr : found->second;
  }
  std::map<std::string, void*> All() {
    std::lock_guard<std::mutex> lock(mutex_);
    return symbols_;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, void*> symbols_;
};

// Leaked on purpose: libraries register and look up until the process ends.
SymbolTable& ContextSymbols() {
  static auto* table = new SymbolTable();
  return *table;
}
SymbolTable& SystemLibSymbols() {
  static auto* table = new SymbolTable();
  return *table;
}

class LibraryObj;

// An exported function; it keeps its library loaded.
class LibraryFunctionObj : public ffi::FunctionObj {
 public:
  LibraryFunctionObj(TVMFFISafeCallType symbol, ffi::ObjectPtr<ffi::ModuleObj> library)
      : library_(std::move(library)) {
    safe_call = symbol;
    cpp_call = nullptr;
  }

 private:
  ffi::ObjectPtr<ffi::ModuleObj> library_;
};

// A library behind a handle of dlopen; without one, the functions that the program itself
// registered.
class LibraryObj : public ffi::ModuleObj {
 public:
  LibraryObj(void* handle, std::string prefix) : handle_(handle), prefix_(std::move(prefix)) {}
  ~LibraryObj() {
    if (handle_ != nullptr) dlclose(handle_);
  }

  void* Symbol(const std::string& name) const {
    return handle_ == nullptr ? SystemLibSymbols().Find(name) : dlsym(handle_, name.c_str());
  }

  ffi::Optional<ffi::Function> Find(const std::string& name, bool query_imports) {
    if (void* symbol = Symbol(kFunctionPrefix + prefix_ + name)) {
      return ffi::Function(ffi::make_object<LibraryFunctionObj>(
          reinterpret_cast<TVMFFISafeCallType>(symbol),
          ffi::ObjectUnsafe::PtrFromBorrowed<ffi::ModuleObj>(static_cast<ffi::Object*>(this))));
    }
    if (query_imports) {
      for (const ffi::ObjectPtr<LibraryObj>& import : Imports()) {
        ffi::Optional<ffi::Function> found = import->Find(name, true);
        if (found.has_value()) return found;
      }
    }
    return std::nullopt;
  }

  // What an exported function `__tvm_ffi__<kind>_<name>` tells about the function `name`.
  ffi::Optional<ffi::Any> Describe(const std::string& kind, const std::string& name,
                                   bool query_imports) {
    ffi::Optional<ffi::Function> describe = Find("_" + kind + "_" + name, query_imports);
    if (!describe.has_value()) return std::nullopt;
    return (*describe)();
  }

  // Lent to the library that asked; kept here, because it asks once and keeps the pointer.
  TVMFFIObjectHandle FindInImports(const std::string& name) {
    std::lock_guard<std::mutex> lock(mutex_);
    ffi::Function& kept = looked_up_[name];
    for (size_t i = 0; i < imports_.size() && !kept.defined(); ++i) {
      ffi::Optional<ffi::Function> found = imports_[i]->Find(name, true);
      if (found.has_value()) kept = *std::move(found);
    }
    if (!kept.defined()) {
      if (std::optional<ffi::Function> global = ffi::Function::GetGlobal(name)) kept = *global;
    }
    TVM_FFI_CHECK(kept.defined(), AttributeError)
        << "TVMFFIEnvModLookupFromImports: func_name: expected a function of an imported module or "
        << "a global one, got \"" << name << "\"";
    return ffi::ObjectUnsafe::Borrow(kept);
  }

  void Import(ffi::ObjectPtr<LibraryObj> module) {
    // A circle would never be freed, and a search in it would never end.
    TVM_FFI_CHECK(!module->Reaches(this), ValueError)
        << "ffi.ModuleImportModule: other: expected a module that does not import this one, got "
           "one "
        << "that does";
    std::lock_guard<std::mutex> lock(mutex_);
    imports_.push_back(std::move(module));
  }
  void ClearImports() {
    // Freed after the lock: unloading a library runs its code.
    decltype(imports_) imports;
    decltype(looked_up_) looked_up;
    std::lock_guard<std::mutex> lock(mutex_);
    imports_.swap(imports);
    looked_up_.swap(looked_up);
  }

  const char* kind() const { return handle_ == nullptr ? "system_lib" : "library"; }

 private:
  bool Reaches(const LibraryObj* other) {
    if (this == other) return true;
    for (const ffi::ObjectPtr<LibraryObj>& import : Imports()) {
      if (import->Reaches(other)) return true;
    }
    return false;
  }

  std::vector<ffi::ObjectPtr<LibraryObj>> Imports() {
    std::lock_guard<std::mutex> lock(mutex_);
    return imports_;
  }

  void* handle_;
  std::string prefix_;
  std::mutex mutex_;
  std::vector<ffi::ObjectPtr<LibraryObj>> imports_;
  std::unordered_map<std::string, ffi::Function> looked_up_;
};

LibraryObj* Library(const ffi::Module& module) {
  const TVMFFIObject* object = ffi::ObjectUnsafe::Borrow(module);
  TVM_FFI_CHECK(object != nullptr && object->deleter == ffi::detail::DeleteObject<LibraryObj>,
                TypeError)
      << "ffi.Module: expected a library that this runtime loaded, got "
      << (object == nullptr ? "None" : "another object of type Module");
  return const_cast<LibraryObj*>(static_cast<const LibraryObj*>(module.get()));
}

ffi::Module AsModule(ffi::ObjectPtr<LibraryObj> library) {
  return ffi::Module(ffi::ObjectPtr<ffi::Object>(std::move(library)));
}

ffi::Module LoadFromFile(const std::string& path) {
  std::string found = path;
  // The loader looks for a bare name in its own folders only; a file that is here comes first.
  if (path.find('/') == std::string::npos && access(path.c_str(), F_OK) == 0) found = "./" + path;
  // All symbols are bound now: a missing one is an error here, not the end of the process later.
  void* handle = dlopen(found.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* why = dlerror();
    TVM_FFI_THROW(RuntimeError)
        << "ffi.ModuleLoadFromFile: path: expected a library that loads, got \"" << path
        << "\": " << (why == nullptr ? "unknown error" : why);
  }
  auto library = ffi::make_object<LibraryObj>(handle, "");
  if (void* context = library->Symbol(kLibraryContext)) {
    *static_cast<void**>(context) = static_cast<ffi::Object*>(library.get());
  }
  for (const auto& [name, value] : ContextSymbols().All()) {
    if (void* variable = library->Symbol(name)) *static_cast<void**>(variable) = value;
  }
  return AsModule(std::move(library));
}

// The functions that other languages reach modules by.
const bool registered = [] {
  auto set = [](const char* name, auto function) {
    ffi::Function::SetGlobal(name, ffi::Function::FromTyped(function, name));
  };
  set("ffi.ModuleLoadFromFile", LoadFromFile);
  set("ffi.SystemLib", [](const std::string& prefix) {
    return AsModule(ffi::make_object<LibraryObj>(nullptr, prefix));
  });
  set("ffi.ModuleGetFunction",
      [](const ffi::Module& module, const std::string& name, bool query_imports) {
        return Library(module)->Find(name, query_imports);
      });
  set("ffi.ModuleImplementsFunction",
      [](const ffi::Module& module, const std::string& name, bool query_imports) {
        return Library(module)->Find(name, query_imports).has_value();
      });
  set("ffi.ModuleGetFunctionMetadata",
      [](const ffi::Module& module, const std::string& name, bool query_imports) {
        return Library(module)->Describe("metadata", name, query_imports);
      });
  set("ffi.ModuleGetFunctionDoc",
      [](const ffi::Module& module, const std::string& name, bool query_imports) {
        return Library(module)->Describe("doc", name, query_imports);
      });
  set("ffi.ModuleGetKind",
      [](const ffi::Module& module) { return std::string(Library(module)->kind()); });
  set("ffi.ModuleImportModule", [](const ffi::Module& module, const ffi::Module& other) {
    Library(module)->Import(
        ffi::ObjectUnsafe::PtrFromBorrowed<LibraryObj>(static_cast<ffi::Object*>(Library(other))));
  });
  set("ffi.ModuleClearImports", [](const ffi::Module& module) { Library(module)->ClearImports(); });
  return true;
}();

}  // namespace

extern "C" {

int TVMFFIEnvModLookupFromImports(TVMFFIObjectHandle library_ctx, const char* func_name,
                                  TVMFFIObjectHandle* out) {
  TVM_FFI_SAFE_CALL_BEGIN();
  auto* library = static_cast<LibraryObj*>(static_cast<ffi::Object*>(library_ctx));
  TVM_FFI_CHECK(library != nullptr, ValueError)
      << "TVMFFIEnvModLookupFromImports: library_ctx: expected a module, got NULL";
  *out = library->FindInImports(func_name);
  TVM_FFI_SAFE_CALL_END();
}

int TVMFFIEnvModRegisterContextSymbol(const char* name, void* symbol) {
  TVM_FFI_SAFE_CALL_BEGIN();
  ContextSymbols().Set(name, symbol);
  TVM_FFI_SAFE_CALL_END();
}

int TVMFFIEnvModRegisterSystemLibSymbol(const char* name, void* symbol) {
  TVM_FFI_SAFE_CALL_BEGIN();
  SystemLibSymbols().Set(name, symbol);
  TVM_FFI_SAFE_CALL_END();
}
}
