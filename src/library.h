// SPDX-License-Identifier: Apache-2.0
// The module of a loaded library, or of the functions registered by the program itself.
#ifndef TVM_FFI_SRC_LIBRARY_H_
#define TVM_FFI_SRC_LIBRARY_H_

#include <sys/stat.h>
#include <tvm/ffi/any.h>
#include <tvm/ffi/extra/module.h>

#include <ctime>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "library_pin.h"
#include "locks.h"

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

// Guards the imports, lent functions and contexts of all modules: a cycle check visits
// many. Modules are freed without it.
inline std::mutex& ModulesLock() { return LockOf(Guarded::kModules); }

// A snapshot of the imports.
inline Array<Any> ImportsOf(ModuleObj* module) {
  std::lock_guard<std::mutex> lock(ModulesLock());
  return detail::ModuleUnsafe::Imports(module);
}

// The identity of a file, to distinguish it from one written to the same path later.
class FileState {
 public:
  // Not equal to any other if there is no file at `path`.
  explicit FileState(const char* path);
  bool operator==(const FileState& other) const;

 private:
  dev_t device_{};
  ino_t node_{};
  off_t size_ = -1;
  time_t seconds_{};
  long nanoseconds_{};  // NOLINT(runtime/int)
};

// A library with a handle from dlopen; without one, the functions registered by the program
// itself.
class LibraryObj : public ModuleObj {
 public:
  // The pin keeps the handle valid.
  LibraryObj(LibraryPin pin, void* handle, const FileState& file)
      : library_(std::move(pin)), handle_(handle), file_(file) {}
  explicit LibraryObj(std::string prefix) : handle_(nullptr), prefix_(std::move(prefix)) {}
  // Another module of the same library, without imports.
  explicit LibraryObj(const LibraryObj* same);
  ~LibraryObj();

  const char* kind() const final { return handle_ == nullptr ? "system_lib" : "library"; }
  int GetPropertyMask() const final { return Module::kRunnable; }
  // Names that begin with an underscore are the library's own: context, metadata, documentation.
  Optional<Function> GetFunction(const String& name) final;
  Optional<String> GetFunctionDoc(const String& name) final { return DescribeAs("doc", name); }
  Optional<String> GetFunctionMetadata(const String& name) final {
    return DescribeAs("metadata", name);
  }
  void ImportModule(const Module& other) final;
  void ClearImports() final;

  // Finds the library's context variable, for SetUp().
  void FindContext();
  // Sets the variables that a library gets from its loader: its module and the context symbols.
  void SetUp();
  // The bytes of the modules embedded in the library, or NULL. Call it before other threads can use
  // this module.
  const char* Binary();
  // The result of the exported function `__tvm_ffi__<kind>_<name>`, which describes `name`.
  std::optional<Any> Describe(const std::string& kind, const std::string& name);
  // Lends the library a function, kept alive here: the library asks once and caches the pointer.
  TVMFFIObjectHandle Lend(const std::string& name, Function function);
  // The function lent under that name, or NULL.
  TVMFFIObjectHandle Lent(const std::string& name);

  const std::optional<FileState>& file() const { return file_; }

 private:
  void* Symbol(const std::string& name) const;
  std::optional<Function> FindExported(const std::string& name);
  Optional<String> DescribeAs(const char* kind, const String& name);
  // Stores this module in the library's context variable, unless that already holds a live module
  // of the same library.
  void EnterContext();
  // Another module of the same library, which stays loaded, replaces this one: it becomes the
  // context, and keeps the functions lent to the library.
  void LeaveContext();

  LibraryPin library_;  // dropped last: members below may need the library's code
  void* handle_;
  std::string prefix_;
  std::optional<FileState> file_;  // as of loading
  void** context_ = nullptr;       // the library's variable
  // Looked up once: a failed lookup is slow.
  std::optional<const char*> binary_;
  int64_t context_changes_ = -1;  // of the context symbols, when the library last got them
  std::unordered_map<std::string, Function> looked_up_;
  std::vector<Function> outdated_;  // lent to the library, but no longer found
};

// The module as a library; NULL if it is NULL or another kind of module.
LibraryObj* AsLibrary(ModuleObj* module);

// How the library of an exported function describes it; nullopt for any other function.
Optional<Any> DescribeFunction(const Function& function, const std::string& kind);

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_SRC_LIBRARY_H_
