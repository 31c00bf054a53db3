// SPDX-License-Identifier: Apache-2.0
// Loaded libraries, the modules that they import, and the symbols they get from their host.
#include <dlfcn.h>
#include <sys/stat.h>
#include <tvm/ffi/container/variant.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/module.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "arguments.h"
#include "library_pin.h"
#include "loading.h"
#include "locks.h"

namespace ffi = tvm::ffi;

thread_local Loading* Loading::current_ = nullptr;

namespace {

constexpr const char* kFunctionPrefix = "__tvm_ffi_";
constexpr const char* kLibraryContext = "__tvm_ffi__library_ctx";

// Names with addresses, registered by anybody at any time.
class SymbolTable {
 public:
  void Set(const char* name, void* symbol) {
    std::lock_guard<std::mutex> lock(Lock());
    symbols_[name] = symbol;
    changes_.fetch_add(1, std::memory_order_release);
  }
  void* Find(const std::string& name) {
    std::lock_guard<std::mutex> lock(Lock());
    auto found = symbols_.find(name);
    return found == symbols_.end() ? nullptr : found->second;
  }
  std::map<std::string, void*> All() {
    std::lock_guard<std::mutex> lock(Lock());
    return symbols_;
  }
  // How often a name was set.
  int64_t Changes() const { return changes_.load(std::memory_order_acquire); }

 private:
  static std::mutex& Lock() { return ffi::LockOf(ffi::Guarded::kSymbols); }

  std::map<std::string, void*> symbols_;
  std::atomic<int64_t> changes_{0};
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

// Guards the imports, lent functions and contexts of all modules: a check for a circle looks at
// many. Modules are freed without it.
std::mutex& ModulesLock() { return ffi::LockOf(ffi::Guarded::kModules); }

// Living modules of each library that has a context variable, the oldest first.
class LibraryObj;
std::unordered_map<void**, std::vector<LibraryObj*>>& ModulesByContext() {
  static auto* modules = new std::unordered_map<void**, std::vector<LibraryObj*>>();
  return *modules;
}

// An exported function; it keeps its library loaded.
class LibraryFunctionObj : public ffi::FunctionObj {
 public:
  LibraryFunctionObj(TVMFFISafeCallType symbol, ffi::ObjectPtr<ffi::ModuleObj> library,
                     std::string name)
      : library_(std::move(library)), name_(std::move(name)) {
    safe_call = symbol;
    cpp_call = nullptr;
  }
  const ffi::ObjectPtr<ffi::ModuleObj>& library() const { return library_; }
  const std::string& name() const { return name_; }

 private:
  ffi::ObjectPtr<ffi::ModuleObj> library_;
  std::string name_;
};

// What tells a file from one that is written to its place later.
class FileState {
 public:
  // Of no file if there is none at `path`.
  explicit FileState(const char* path) {
    struct stat found;
    if (stat(path, &found) != 0) return;
    device_ = found.st_dev;
    node_ = found.st_ino;
    size_ = found.st_size;
    seconds_ = found.st_mtim.tv_sec;
    nanoseconds_ = found.st_mtim.tv_nsec;
  }
  bool operator==(const FileState& other) const {
    return size_ >= 0 && size_ == other.size_ && device_ == other.device_ && node_ == other.node_ &&
           seconds_ == other.seconds_ && nanoseconds_ == other.nanoseconds_;
  }

 private:
  dev_t device_{};
  ino_t node_{};
  off_t size_ = -1;
  time_t seconds_{};
  long nanoseconds_{};  // NOLINT(runtime/int)
};

// A library behind a handle of dlopen; without one, the functions that the program itself
// registered.
class LibraryObj : public ffi::ModuleObj {
 public:
  LibraryObj(void* handle, const FileState& file)
      : library_(ffi::LibraryPin::OfModule(handle)), handle_(handle), file_(file) {}
  explicit LibraryObj(std::string prefix) : handle_(nullptr), prefix_(std::move(prefix)) {}
  // Another module of the same library, without imports.
  explicit LibraryObj(const LibraryObj* same)
      : library_(same->library_.Share()),
        handle_(same->handle_),
        prefix_(same->prefix_),
        file_(same->file_),
        context_(same->context_),
        context_changes_(same->context_changes_) {}
  ~LibraryObj() { LeaveContext(); }

  void FindContext() { context_ = static_cast<void**>(Symbol(kLibraryContext)); }

  // Gives the library what it learns from its loader: its module, and the context symbols.
  void SetUp() {
    EnterContext();
    if (handle_ == nullptr) return;
    // Read first: a symbol that is set meanwhile is set again for the next module.
    const int64_t changes = ContextSymbols().Changes();
    if (changes == context_changes_) return;
    for (const auto& [name, value] : ContextSymbols().All()) {
      if (void* variable = Symbol(name)) *static_cast<void**>(variable) = value;
    }
    context_changes_ = changes;
  }

  // Names this module in the library's context variable, unless a living module of the same library
  // is there already.
  void EnterContext() {
    if (context_ == nullptr) return;
    std::lock_guard<std::mutex> lock(ModulesLock());
    std::vector<LibraryObj*>& modules = ModulesByContext()[context_];
    modules.push_back(this);
    *context_ = static_cast<ffi::Object*>(modules.front());
  }

  void* Symbol(const std::string& name) const {
    return handle_ == nullptr ? SystemLibSymbols().Find(name) : dlsym(handle_, name.c_str());
  }

  // Names that begin with an underscore are the library's own: context, metadata, documentation.
  ffi::Optional<ffi::Function> Find(const std::string& name, bool query_imports) {
    if (!name.empty() && name.front() == '_') return std::nullopt;
    return FindExported(name, query_imports);
  }

  // What an exported function `__tvm_ffi__<kind>_<name>` tells about the function `name`.
  ffi::Optional<ffi::Any> Describe(const std::string& kind, const std::string& name,
                                   bool query_imports) {
    ffi::Optional<ffi::Function> describe = FindExported("_" + kind + "_" + name, query_imports);
    if (!describe.has_value()) return std::nullopt;
    return (*describe)();
  }

  // Lent to the library that asked; kept here, because it asks once and keeps the pointer.
  TVMFFIObjectHandle FindInImports(const std::string& name) {
    {
      std::lock_guard<std::mutex> lock(ModulesLock());
      auto known = looked_up_.find(name);
      if (known != looked_up_.end()) return ffi::ObjectUnsafe::Borrow(known->second);
    }
    // Searched without the lock: the last reference to a module may go here, with code of its own.
    std::optional<ffi::Function> found;
    for (const ffi::ObjectPtr<LibraryObj>& import : Imports()) {
      if (!found.has_value()) found = import->Find(name, true);
    }
    if (!found.has_value()) found = ffi::Function::GetGlobal(name);
    TVM_FFI_CHECK(found.has_value(), AttributeError)
        << "TVMFFIEnvModLookupFromImports: func_name: expected a function of an imported module or "
        << "a global one, got \"" << name << "\"";
    std::lock_guard<std::mutex> lock(ModulesLock());
    return ffi::ObjectUnsafe::Borrow(looked_up_.try_emplace(name, *found).first->second);
  }

  void Import(ffi::ObjectPtr<LibraryObj> module) {
    // A circle would never be freed, and a search in it would never end.
    std::lock_guard<std::mutex> lock(ModulesLock());
    TVM_FFI_CHECK(!module->Reaches(this), ValueError)
        << "ffi.ModuleImportModule: other: expected a module that does not import this one, got "
           "one "
        << "that does";
    imports_.push_back(std::move(module));
  }
  void ClearImports() {
    // Freed after the lock: unloading a library runs its code.
    decltype(imports_) imports;
    std::lock_guard<std::mutex> lock(ModulesLock());
    imports_.swap(imports);
    // The library may still call what it was lent, but what it asks for from now on is searched
    // for.
    for (auto& [name, function] : looked_up_) outdated_.push_back(std::move(function));
    looked_up_.clear();
  }

  std::vector<ffi::ObjectPtr<LibraryObj>> Imports() {
    std::lock_guard<std::mutex> lock(ModulesLock());
    return imports_;
  }

  const std::optional<FileState>& file() const { return file_; }
  const char* kind() const { return handle_ == nullptr ? "system_lib" : "library"; }

 private:
  ffi::Optional<ffi::Function> FindExported(const std::string& name, bool query_imports) {
    void* symbol = Symbol(kFunctionPrefix + prefix_ + name);
    if (symbol == nullptr && !prefix_.empty()) symbol = Symbol(kFunctionPrefix + name);
    if (symbol != nullptr) {
      return ffi::Function(ffi::make_object<LibraryFunctionObj>(
          reinterpret_cast<TVMFFISafeCallType>(symbol),
          ffi::ObjectUnsafe::PtrFromBorrowed<ffi::ModuleObj>(static_cast<ffi::Object*>(this)),
          name));
    }
    if (query_imports) {
      for (const ffi::ObjectPtr<LibraryObj>& import : Imports()) {
        ffi::Optional<ffi::Function> found = import->FindExported(name, true);
        if (found.has_value()) return found;
      }
    }
    return std::nullopt;
  }

  // Called with the lock.
  bool Reaches(const LibraryObj* other) const {
    if (this == other) return true;
    for (const ffi::ObjectPtr<LibraryObj>& import : imports_) {
      if (import->Reaches(other)) return true;
    }
    return false;
  }

  // Another module of the same library, which stays loaded, takes this one's place: it becomes the
  // context, and it keeps what the library was lent.
  void LeaveContext() {
    if (context_ == nullptr) return;
    std::lock_guard<std::mutex> lock(ModulesLock());
    auto entry = ModulesByContext().find(context_);
    std::vector<LibraryObj*>& modules = entry->second;
    modules.erase(std::find(modules.begin(), modules.end(), this));
    if (modules.empty()) {
      ModulesByContext().erase(entry);
      *context_ = nullptr;
      return;
    }
    LibraryObj* heir = modules.front();
    *context_ = static_cast<ffi::Object*>(heir);
    for (auto& [name, function] : looked_up_) heir->outdated_.push_back(std::move(function));
    for (ffi::Function& function : outdated_) heir->outdated_.push_back(std::move(function));
  }

  ffi::LibraryPin library_;  // dropped last: members below may need the library's code
  void* handle_;
  std::string prefix_;
  std::optional<FileState> file_;  // when it was loaded
  void** context_ = nullptr;       // the library's variable
  int64_t context_changes_ = -1;   // of the context symbols, when the library got them
  std::vector<ffi::ObjectPtr<LibraryObj>> imports_;
  std::unordered_map<std::string, ffi::Function> looked_up_;
  std::vector<ffi::Function> outdated_;  // lent to the library, and found no more
};

// Any other object, one of a type derived from Module too, lacks what the functions here use.
bool IsLibrary(const TVMFFIObject* object) {
  return object != nullptr && ffi::detail::IsMadeAs<LibraryObj>(object);
}

LibraryObj* Library(const ffi::Module& module) {
  const TVMFFIObject* object = ffi::ObjectUnsafe::Borrow(module);
  TVM_FFI_CHECK(IsLibrary(object), TypeError)
      << "ffi.Module: expected a library that this runtime loaded, got "
      << (object == nullptr ? "None" : "another object of type Module");
  return const_cast<LibraryObj*>(static_cast<const LibraryObj*>(module.get()));
}

// Called by a static init block that threw.
void StaticInitFailed(const ffi::ObjectRef& error) {
  const auto* cell = error.as<ffi::ErrorObj>();
  if (Loading* loading = Loading::Current()) {
    if (!loading->failed && cell != nullptr) loading->error = error.as<ffi::Error>();
    loading->failed = true;
  } else if (cell != nullptr) {
    std::fprintf(stderr, "TVM_FFI_STATIC_INIT_BLOCK: %s: %s\n", cell->kind.data,
                 cell->message.data);
  }
}

ffi::Module AsModule(ffi::ObjectPtr<LibraryObj> library) { return ffi::Module(std::move(library)); }

// By their prefixes.
std::unordered_map<std::string, ffi::Module>& SystemLibs() {
  static auto* modules = new std::unordered_map<std::string, ffi::Module>();
  return *modules;
}

// The same module for the same prefix, so that it keeps its imports.
ffi::Module SystemLib(const std::string& prefix) {
  // Made before the lock: an allocator is code of others.
  ffi::Module made = AsModule(ffi::make_object<LibraryObj>(prefix));
  std::lock_guard<std::mutex> lock(ModulesLock());
  return SystemLibs().try_emplace(prefix, std::move(made)).first->second;
}

// What the library of an exported function tells about it; nothing of any other function.
ffi::Optional<ffi::Any> DescribeFunction(const ffi::Function& function, const std::string& kind) {
  const TVMFFIObject* object = ffi::ObjectUnsafe::Borrow(function);
  if (object == nullptr || !ffi::detail::IsMadeAs<LibraryFunctionObj>(object)) {
    return std::nullopt;
  }
  const auto* exported = static_cast<const LibraryFunctionObj*>(function.get());
  auto* library =
      const_cast<LibraryObj*>(static_cast<const LibraryObj*>(exported->library().get()));
  return library->Describe(kind, exported->name(), false);
}

// With a slash at its end; empty if there is none.
std::string WorkingFolder() {
  char* folder = getcwd(nullptr, 0);
  if (folder == nullptr) return "";
  std::string text = folder;
  std::free(folder);
  return text + "/";
}

// The module of a library, or in the loader's words why it refuses the file. Bytes, because names
// of files may be no UTF-8.
ffi::Variant<ffi::Module, ffi::Bytes> LoadOrReason(const std::string& path) {
  std::string found = path;
  // The loader looks for a bare name in its own folders only; a file that is here comes first.
  if (path.find('/') == std::string::npos && access(path.c_str(), F_OK) == 0) found = "./" + path;
  // It takes equal names for the same library, in whichever folder the process was at the time.
  if (found.find('/') != std::string::npos && found.front() != '/') found = WorkingFolder() + found;
  const FileState file(found.c_str());
  Loading loading;
  // All symbols are bound now: a missing one is an error here, not the end of the process later.
  void* handle = dlopen(found.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* why = dlerror();
    return ffi::Bytes(std::string(why == nullptr ? "unknown error" : why));
  }
  // The tables never forget a type, nor hold a library: its code must stay.
  if (loading.keep_library) dlopen(found.c_str(), RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
  auto library = ffi::make_object<LibraryObj>(handle, file);
  if (loading.failed) {
    if (!loading.error.has_value()) throw ffi::EnvErrorAlreadySet();
    throw *loading.error;
  }
  library->FindContext();
  library->SetUp();
  return AsModule(std::move(library));
}

// Another module of a library that is loaded already, without asking the loader; none if the file
// at `path` is not the one that was loaded.
ffi::Optional<ffi::Module> Another(const ffi::Module& module, const std::string& path) {
  const LibraryObj* same = Library(module);
  if (!same->file().has_value() || !(*same->file() == FileState(path.c_str()))) return std::nullopt;
  auto library = ffi::make_object<LibraryObj>(same);
  library->SetUp();
  return AsModule(std::move(library));
}

ffi::Module LoadFromFile(const std::string& path) {
  const ffi::Variant<ffi::Module, ffi::Bytes> loaded = LoadOrReason(path);
  if (const auto reason = loaded.as<ffi::Bytes>()) {
    TVM_FFI_THROW(RuntimeError)
        << "ffi.ModuleLoadFromFile: path: expected a library that loads, got \"" << path
        << "\": " << std::string_view(reason->data(), reason->size());
  }
  return loaded.get<ffi::Module>();
}

// The functions that other languages reach modules by.
const bool registered = [] {
  ContextSymbols(), SystemLibSymbols(), SystemLibs(), ModulesByContext();  // see locks.h
  auto set = [](const char* name, auto function) {
    ffi::Function::SetGlobal(name, ffi::Function::FromTyped(function, name));
  };
  set("ffi.ModuleLoadFromFile", LoadFromFile);
  set("ffi.ModuleLoadOrReason", LoadOrReason);
  set("ffi.ModuleAnother", Another);
  set("ffi.StaticInitFailed", StaticInitFailed);
  set("ffi.SystemLib", SystemLib);
  set("ffi.FunctionDescribe", DescribeFunction);
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
  // A module for an index into the imports; their number for -1.
  set("ffi.ModuleGetImport", [](const ffi::Module& module, int64_t i) -> ffi::Any {
    std::vector<ffi::ObjectPtr<LibraryObj>> imports = Library(module)->Imports();
    if (i == -1) return static_cast<int64_t>(imports.size());
    TVM_FFI_CHECK(i >= 0 && i < static_cast<int64_t>(imports.size()), IndexError)
        << "ffi.ModuleGetImport: expected an index below " << imports.size() << ", got " << i;
    return AsModule(std::move(imports[static_cast<size_t>(i)]));
  });
  set("ffi.ModuleClearImports", [](const ffi::Module& module) { Library(module)->ClearImports(); });
  return true;
}();

}  // namespace

extern "C" {

int TVMFFIEnvModLookupFromImports(TVMFFIObjectHandle library_ctx, const char* func_name,
                                  TVMFFIObjectHandle* out) {
  TVM_FFI_SAFE_CALL_BEGIN();
  auto* object = static_cast<ffi::Object*>(library_ctx);
  TVM_FFI_CHECK(object != nullptr, ValueError)
      << "TVMFFIEnvModLookupFromImports: library_ctx: expected a module, got NULL";
  TVM_FFI_CHECK(IsLibrary(static_cast<const TVMFFIObject*>(library_ctx)), TypeError)
      << "TVMFFIEnvModLookupFromImports: library_ctx: expected a library that this runtime loaded, "
         "got an object of type "
      << object->GetTypeKey();
  auto* library = static_cast<LibraryObj*>(object);
  TVMFFIObjectHandle& result = ffi::Given("TVMFFIEnvModLookupFromImports: out", out);
  result =
      library->FindInImports(ffi::GivenText("TVMFFIEnvModLookupFromImports: func_name", func_name));
  TVM_FFI_SAFE_CALL_END();
}

int TVMFFIEnvModRegisterContextSymbol(const char* name, void* symbol) {
  TVM_FFI_SAFE_CALL_BEGIN();
  ContextSymbols().Set(ffi::GivenText("TVMFFIEnvModRegisterContextSymbol: name", name), symbol);
  TVM_FFI_SAFE_CALL_END();
}

int TVMFFIEnvModRegisterSystemLibSymbol(const char* name, void* symbol) {
  TVM_FFI_SAFE_CALL_BEGIN();
  SystemLibSymbols().Set(ffi::GivenText("TVMFFIEnvModRegisterSystemLibSymbol: name", name), symbol);
  TVM_FFI_SAFE_CALL_END();
}
}
