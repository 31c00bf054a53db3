// SPDX-License-Identifier: Apache-2.0
// Loads files as modules, and provides the module of the functions registered by the program.
#include <dlfcn.h>
#include <tvm/ffi/container/variant.h>
#include <tvm/ffi/extra/module.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "elf_file.h"
#include "library.h"
#include "library_binary.h"
#include "library_pin.h"
#include "loading.h"

namespace ffi = tvm::ffi;

thread_local Loading* Loading::current_ = nullptr;

namespace {

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

// Loads the modules embedded in a library; returns the root, which may be one of them.
ffi::Module WithItsModules(const ffi::ObjectPtr<ffi::LibraryObj>& library) {
  return ffi::WithItsModules(ffi::Module(library), library->Binary());
}

// Keyed by prefix.
std::unordered_map<std::string, ffi::Module>& SystemLibs() {
  static auto* modules = new std::unordered_map<std::string, ffi::Module>();
  return *modules;
}

// Returns the same module for the same prefix, so that it keeps its imports.
ffi::Module SystemLib(const std::string& prefix) {
  {
    std::lock_guard<std::mutex> lock(ffi::ModulesLock());
    auto known = SystemLibs().find(prefix);
    if (known != SystemLibs().end()) return known->second;
  }
  // Created without the lock: allocators, and loaders of modules from bytes, are user code.
  ffi::Module made = WithItsModules(ffi::make_object<ffi::LibraryObj>(prefix));
  std::lock_guard<std::mutex> lock(ffi::ModulesLock());
  return SystemLibs().try_emplace(prefix, std::move(made)).first->second;
}

// With a trailing slash; empty if there is none.
std::string WorkingFolder() {
  const std::unique_ptr<char, void (*)(void*)> folder(getcwd(nullptr, 0), std::free);
  return folder == nullptr ? std::string() : std::string(folder.get()) + "/";
}

// A library's module, or why it cannot be loaded: the path, and the loader's message or a fault
// that would crash it. Bytes, because file names may not be UTF-8.
ffi::Variant<ffi::Module, ffi::Bytes> LoadOrReason(const std::string& path) {
  // The loader would take it for the program itself.
  if (path.empty()) return ffi::Bytes("an empty path names no file");
  std::string found = path;
  // The loader searches only its own folders for a bare name; a file in the working folder wins.
  if (path.find('/') == std::string::npos && access(path.c_str(), F_OK) == 0) found = "./" + path;
  // It takes equal names for the same library, whatever the working folder was at the time.
  if (found.find('/') != std::string::npos && found.front() != '/') found = WorkingFolder() + found;
  const std::string damage = ffi::WhyNotLoadable(found);
  if (!damage.empty()) return ffi::Bytes(found + ": " + damage);
  const ffi::FileState file(found.c_str());
  ffi::ObjectPtr<ffi::LibraryObj> library;
  {
    Loading loading;
    // Bind all symbols now: a missing one is an error here rather than a crash later.
    void* handle = dlopen(found.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
      const char* why = dlerror();
      return ffi::Bytes(std::string(why == nullptr ? "unknown error" : why));
    }
    ffi::LibraryPin pin = ffi::LibraryPin::OfModule(handle);
    // The tables never drop a type and hold no library: its code must stay loaded.
    if (loading.keep_library) dlopen(found.c_str(), RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
    library = ffi::make_object<ffi::LibraryObj>(std::move(pin), handle, file);
    if (loading.failed) {
      if (!loading.error.has_value()) throw ffi::EnvErrorAlreadySet();
      throw *loading.error;
    }
  }
  library->FindContext();
  library->SetUp();
  return WithItsModules(library);
}

// Another module of a library that is already loaded, without calling the loader; nullopt if the
// file at `path` is not the one that was loaded, or `module` is not a library.
ffi::Optional<ffi::Module> Another(const ffi::Module& module, const std::string& path) {
  const ffi::LibraryObj* same = ffi::AsLibrary(module.get());
  if (same == nullptr || !same->file().has_value()) return std::nullopt;
  if (!(*same->file() == ffi::FileState(path.c_str()))) return std::nullopt;
  auto library = ffi::make_object<ffi::LibraryObj>(same);
  library->SetUp();
  return WithItsModules(library);
}

ffi::Module LoadLibrary(const std::string& path) {
  const ffi::Variant<ffi::Module, ffi::Bytes> loaded = LoadOrReason(path);
  if (const auto reason = loaded.as<ffi::Bytes>()) {
    TVM_FFI_THROW(RuntimeError)
        << "ffi.ModuleLoadFromFile: path: expected a library that loads, got \"" << path
        << "\": " << std::string_view(reason->data(), reason->size());
  }
  return loaded.get<ffi::Module>();
}

// The text after the last dot in the last component of a path; empty if there is none.
std::string ExtensionOf(const std::string& path) {
  const size_t point = path.rfind('.');
  if (point == std::string::npos || path.find('/', point) != std::string::npos) return "";
  return path.substr(point + 1);
}

// The function that loads files with that extension, if one is registered.
std::optional<ffi::Function> LoaderOf(const std::string& path) {
  const std::string extension = ExtensionOf(path);
  if (extension.empty() || extension == "so") return std::nullopt;
  return ffi::Function::GetGlobal("ffi.Module.load_from_file." + extension);
}

ffi::Module LoadFromFile(const std::string& path) {
  const std::optional<ffi::Function> loader = LoaderOf(path);
  if (!loader.has_value()) return LoadLibrary(path);
  return (*loader)(path, ExtensionOf(path)).cast<ffi::Module>();
}

const bool registered = [] {
  SystemLibs();  // see locks.h
  auto set = [](const char* name, auto function) {
    ffi::Function::SetGlobal(name, ffi::Function::FromTyped(function, name));
  };
  set("ffi.ModuleLoadFromFile", LoadFromFile);
  set("ffi.Module.load_from_file.so",
      [](const std::string& path, const std::string&) { return LoadLibrary(path); });
  set("ffi.ModuleHasLoader", [](const std::string& path) { return LoaderOf(path).has_value(); });
  set("ffi.ModuleLoadOrReason", LoadOrReason);
  set("ffi.ModuleAnother", Another);
  set("ffi.StaticInitFailed", StaticInitFailed);
  set("ffi.SystemLib", SystemLib);
  // For tvm/ffi/keep_library.h.
  set("ffi.StaysLoaded", [](void* code) { return ffi::LibraryPin::StaysLoaded(code); });
  return true;
}();

}  // namespace
