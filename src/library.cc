// SPDX-License-Identifier: Apache-2.0
// The module of a loaded library, or of the functions registered by the program itself.
#include "library.h"

#include <dlfcn.h>
#include <sys/stat.h>
#include <tvm/ffi/error.h>

#include <algorithm>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "symbol_table.h"

namespace ffi = tvm::ffi;

namespace {

// The live modules of each library with a context variable, oldest first.
std::unordered_map<void**, std::vector<ffi::LibraryObj*>>& ModulesByContext() {
  static auto* modules = new std::unordered_map<void**, std::vector<ffi::LibraryObj*>>();
  return *modules;
}

// Created while this library loads; see locks.h.
const bool made = (ModulesByContext(), true);

// An exported function; it keeps its library loaded.
class LibraryFunctionObj : public ffi::FunctionObj {
 public:
  LibraryFunctionObj(TVMFFISafeCallType symbol, ffi::ObjectPtr<ffi::LibraryObj> library,
                     std::string name)
      : library_(std::move(library)), name_(std::move(name)) {
    safe_call = symbol;
    cpp_call = nullptr;
  }
  ffi::LibraryObj* library() const { return library_.get(); }
  const std::string& name() const { return name_; }

 private:
  ffi::ObjectPtr<ffi::LibraryObj> library_;
  std::string name_;
};

// Like detail::ModuleUnsafe::Reaches, but creates no objects: the lock is held, and an allocator
// is user code.
bool Reaches(ffi::ModuleObj* module, const ffi::ModuleObj* other) {
  std::vector<ffi::ModuleObj*> left{module};
  std::unordered_set<const ffi::ModuleObj*> seen;
  while (!left.empty()) {
    ffi::ModuleObj* next = left.back();
    left.pop_back();
    if (next == other) return true;
    if (!seen.insert(next).second) continue;
    for (const ffi::Any& import : ffi::detail::ModuleUnsafe::Imports(next)) {
      left.push_back(const_cast<ffi::ModuleObj*>(import.as<ffi::ModuleObj>()));
    }
  }
  return false;
}

}  // namespace

ffi::FileState::FileState(const char* path) {
  struct stat found;
  if (stat(path, &found) != 0) return;
  device_ = found.st_dev;
  node_ = found.st_ino;
  size_ = found.st_size;
  seconds_ = found.st_mtim.tv_sec;
  nanoseconds_ = found.st_mtim.tv_nsec;
}

bool ffi::FileState::operator==(const FileState& other) const {
  return size_ >= 0 && size_ == other.size_ && device_ == other.device_ && node_ == other.node_ &&
         seconds_ == other.seconds_ && nanoseconds_ == other.nanoseconds_;
}

ffi::LibraryObj::LibraryObj(const LibraryObj* same)
    : library_(same->library_.Share()),
      handle_(same->handle_),
      prefix_(same->prefix_),
      file_(same->file_),
      context_(same->context_),
      binary_(same->binary_),
      context_changes_(same->context_changes_) {}

ffi::LibraryObj::~LibraryObj() {
  LeaveContext();
  // Released before the library, whose code an import may need.
  imports_ = Array<Any>(UnsafeInit());
}

ffi::Optional<ffi::Function> ffi::LibraryObj::GetFunction(const String& name) {
  if (!name.empty() && name[0] == '_') return std::nullopt;
  return FindExported(name);
}

void ffi::LibraryObj::ImportModule(const Module& other) {
  TVM_FFI_CHECK(other.defined(), ValueError)
      << "ffi.ModuleImportModule: other: expected a module, got none";
  for (;;) {
    // Created without the lock: an allocator is user code.
    const Array<Any> before = ImportsOf(this);
    Array<Any> after = before;
    after.push_back(other);
    bool circular;
    {
      std::lock_guard<std::mutex> lock(ModulesLock());
      if (!imports_.same_as(before)) continue;
      // A cycle would never be freed, and a search in it would never end.
      circular = Reaches(other.get(), this);
      if (!circular) std::swap(imports_, after);
    }
    TVM_FFI_CHECK(!circular, ValueError)
        << "ffi.ModuleImportModule: other: expected a module that does not import this one, got "
           "one "
        << "that does";
    return;
  }
}

void ffi::LibraryObj::ClearImports() {
  // Freed after unlocking: unloading a library runs its code.
  Array<Any> imports;
  std::lock_guard<std::mutex> lock(ModulesLock());
  std::swap(imports_, imports);
  // The library may still call the functions lent to it, but later requests search again.
  for (auto& [name, function] : looked_up_) outdated_.push_back(std::move(function));
  looked_up_.clear();
}

void ffi::LibraryObj::FindContext() {
  context_ = static_cast<void**>(Symbol(symbol::tvm_ffi_library_ctx));
}

void ffi::LibraryObj::SetUp() {
  EnterContext();
  if (handle_ == nullptr) return;
  // Read first: a symbol changed meanwhile is set again for the next module.
  const int64_t changes = ContextSymbols().Changes();
  if (changes == context_changes_) return;
  for (const auto& [name, value] : ContextSymbols().All()) {
    if (void* variable = Symbol(name)) *static_cast<void**>(variable) = value;
  }
  context_changes_ = changes;
}

const char* ffi::LibraryObj::Binary() {
  if (binary_.has_value()) return *binary_;
  void* found = nullptr;
  if (!prefix_.empty()) found = Symbol(prefix_ + symbol::tvm_ffi_library_bin);
  if (found == nullptr) found = Symbol(symbol::tvm_ffi_library_bin);
  binary_ = static_cast<const char*>(found);
  return *binary_;
}

std::optional<ffi::Any> ffi::LibraryObj::Describe(const std::string& kind,
                                                  const std::string& name) {
  std::optional<Function> describe = FindExported("_" + kind + "_" + name);
  if (!describe.has_value()) return std::nullopt;
  return (*describe)();
}

TVMFFIObjectHandle ffi::LibraryObj::Lent(const std::string& name) {
  std::lock_guard<std::mutex> lock(ModulesLock());
  auto known = looked_up_.find(name);
  return known == looked_up_.end() ? nullptr : ObjectUnsafe::Borrow(known->second);
}

TVMFFIObjectHandle ffi::LibraryObj::Lend(const std::string& name, Function function) {
  std::lock_guard<std::mutex> lock(ModulesLock());
  return ObjectUnsafe::Borrow(looked_up_.try_emplace(name, std::move(function)).first->second);
}

void* ffi::LibraryObj::Symbol(const std::string& name) const {
  return handle_ == nullptr ? SystemLibSymbols().Find(name) : dlsym(handle_, name.c_str());
}

std::optional<ffi::Function> ffi::LibraryObj::FindExported(const std::string& name) {
  void* found = Symbol(symbol::tvm_ffi_symbol_prefix + prefix_ + name);
  if (found == nullptr && !prefix_.empty()) found = Symbol(symbol::tvm_ffi_symbol_prefix + name);
  if (found == nullptr) return std::nullopt;
  return Function(make_object<LibraryFunctionObj>(
      reinterpret_cast<TVMFFISafeCallType>(found),
      ObjectUnsafe::PtrFromBorrowed<LibraryObj>(static_cast<Object*>(this)), name));
}

ffi::Optional<ffi::String> ffi::LibraryObj::DescribeAs(const char* kind, const String& name) {
  const std::optional<Any> told = Describe(kind, name);
  if (!told.has_value() || *told == nullptr) return std::nullopt;
  return told->cast<String>();
}

void ffi::LibraryObj::EnterContext() {
  if (context_ == nullptr) return;
  std::lock_guard<std::mutex> lock(ModulesLock());
  std::vector<LibraryObj*>& modules = ModulesByContext()[context_];
  modules.push_back(this);
  *context_ = static_cast<ModuleObj*>(modules.front());
}

void ffi::LibraryObj::LeaveContext() {
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
  *context_ = static_cast<ModuleObj*>(heir);
  const auto keep = [heir](Function& function) {
    try {
      heir->outdated_.push_back(std::move(function));
    } catch (const std::bad_alloc&) {
      ObjectUnsafe::MoveToOwned(std::move(function));  // never freed: the library may call it
    }
  };
  for (auto& [name, function] : looked_up_) keep(function);
  for (Function& function : outdated_) keep(function);
}

ffi::LibraryObj* ffi::AsLibrary(ModuleObj* module) {
  if (module == nullptr || !detail::IsMadeAs<LibraryObj>(ObjectUnsafe::Header(module))) {
    return nullptr;
  }
  return static_cast<LibraryObj*>(module);
}

ffi::Optional<ffi::Any> ffi::DescribeFunction(const Function& function, const std::string& kind) {
  const TVMFFIObject* object = ObjectUnsafe::Borrow(function);
  if (object == nullptr || !detail::IsMadeAs<LibraryFunctionObj>(object)) return std::nullopt;
  const auto* exported = static_cast<const LibraryFunctionObj*>(function.get());
  return exported->library()->Describe(kind, exported->name());
}
