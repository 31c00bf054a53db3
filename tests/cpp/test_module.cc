// SPDX-License-Identifier: Apache-2.0
// Rows: R5
// extra/module.h and the symbols of c_env_api.h: loading, imports, context symbols, unloading.
#include <dlfcn.h>
#include <tvm/ffi/tvm_ffi.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <thread>

#include "expect.h"
#include "small_stack.h"

namespace ffi = tvm::ffi;
namespace fs = std::filesystem;

TVM_FFI_DLL_EXPORT_TYPED_FUNC(only_in_the_test, [] { return 7; });

namespace {

ffi::Function Global(std::string_view name) { return ffi::Function::GetGlobalRequired(name); }

// The file of this library; that of module_library.cc is next to it.
fs::path ThisLibrary() {
  Dl_info info;
  EXPECT(dladdr(reinterpret_cast<void*>(&__tvm_ffi_only_in_the_test), &info) != 0);
  return info.dli_fname;
}
fs::path LibraryPath() { return ThisLibrary().replace_filename("module_library.so"); }

// A folder that is deleted with its contents at the end of the test.
class Folder {
 public:
  Folder() {
    std::string pattern = fs::temp_directory_path() / "test_module_XXXXXX";
    EXPECT(mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
  }
  ~Folder() { fs::remove_all(path_); }

  // The loader treats a copy of the library as a separate library.
  fs::path CopyLibrary(const char* name) const {
    fs::copy_file(LibraryPath(), path_ / name);
    return path_ / name;
  }
  fs::path Write(const char* name, const char* text) const {
    std::ofstream(path_ / name) << text;
    return path_ / name;
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

ffi::Module Load(const fs::path& path) { return ffi::Module::LoadFromFile(path.string()); }

bool IsLoaded(const fs::path& path) {
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD);
  if (handle != nullptr) dlclose(handle);
  return handle != nullptr;
}

}  // namespace

// A module returns its functions; a missing one is none, and its errors are those of any
// function.
void functions() {
  const std::string path = LibraryPath();
  ffi::Module module = ffi::Module::LoadFromFile(path);
  ffi::Function answer = module->GetFunction("answer").value();
  EXPECT_EQ(answer().cast<int>(), 42);
  EXPECT(!module->GetFunction("question").has_value());
  EXPECT(!module->GetFunction("question", true).has_value());
  EXPECT(!module->GetFunction("__tvm_ffi_answer").has_value());
  EXPECT_THROWS("ValueError: fail: x must be 0, got 3", (*module->GetFunction("fail"))(3));
  EXPECT_THROWS("TypeError: fail(int) -> None: expected 1 argument, got 0",
                (*module->GetFunction("fail"))());
  EXPECT(module->ImplementsFunction("answer"));
  EXPECT(!module->ImplementsFunction("question", true));
  EXPECT_EQ(std::string(module->kind()), "library");
  EXPECT_EQ(module.type_index(), int32_t{kTVMFFIModule});
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_functions, functions);

// A missing file, or one that is not a library, is a RuntimeError with path and loader message.
void what_does_not_load() {
  Folder folder;
  const std::string missing = folder.path() / "missing.so";
  EXPECT_THROWS(
      "RuntimeError: ffi.ModuleLoadFromFile: path: expected a library that loads, got \"" +
          missing + "\": " + missing +
          ": cannot open shared object file: No such file or directory",
      Load(missing));
  const std::string text = folder.Write("text.so", "this is a text, which no loader takes");
  EXPECT_THROWS_WITH(
      "RuntimeError: ffi.ModuleLoadFromFile: path: expected a library that loads, got "
      "\"" +
          text + "\": " + text + ": ",
      Load(text));
  // The loader would take it for the program.
  EXPECT_THROWS(
      "RuntimeError: ffi.ModuleLoadFromFile: path: expected a library that loads, got \"\": an "
      "empty path names no file",
      Load(""));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_what_does_not_load, what_does_not_load);

// A bare name refers to the file in the current folder.
void bare_name() {
  Folder folder;
  folder.CopyLibrary("bare.so");
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  ffi::Module module;
  const std::string error = error_of([&] { module = Load("bare.so"); });
  fs::current_path(before);
  EXPECT_EQ(error, std::string("no error"));
  EXPECT_EQ((*module->GetFunction("answer"))().cast<int>(), 42);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_bare_name, bare_name);

// Equal relative paths in two folders are different libraries.
void relative_path() {
  const fs::path before = fs::current_path();
  Folder folders[2];
  ffi::Module modules[2];
  for (int i = 0; i < 2; ++i) {
    folders[i].CopyLibrary("relative.so");
    fs::current_path(folders[i].path());
    const std::string error = error_of([&] { modules[i] = Load("./relative.so"); });
    fs::current_path(before);
    EXPECT_EQ(error, std::string("no error"));
    EXPECT(IsLoaded(folders[i].path() / "relative.so"));
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_relative_path, relative_path);

// A library stays loaded while its module or one of its functions lives, and no longer.
void unloading() {
  Folder folder;
  const fs::path path = folder.CopyLibrary("unloaded.so");
  EXPECT(!IsLoaded(path));
  ffi::Module module = Load(path);
  ffi::Function answer = *module->GetFunction("answer");
  EXPECT(IsLoaded(path));
  module = ffi::Module();
  EXPECT(IsLoaded(path));
  EXPECT_EQ(answer().cast<int>(), 42);
  answer = ffi::Function();
  EXPECT(!IsLoaded(path));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_unloading, unloading);

// A library finds its own module in its context variable, without keeping itself alive.
void library_context() {
  Folder folder;
  ffi::Module module = Load(folder.CopyLibrary("context.so"));
  EXPECT_EQ((*module->GetFunction("library_context"))().cast<void*>(),
            static_cast<void*>(module.get()));
  EXPECT(module.unique());
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_library_context, library_context);

// For a library loaded twice, the older module is the context; once it is gone, the other one is,
// and then none.
void context_of_a_library_loaded_twice() {
  Folder folder;
  const fs::path path = folder.CopyLibrary("twice.so");
  ffi::Module first = Load(path);
  ffi::Module second = Load(path);
  void* const first_handle = first.get();
  void* const second_handle = second.get();
  EXPECT(first_handle != second_handle);
  ffi::Function context = *second->GetFunction("library_context");
  EXPECT_EQ(context().cast<void*>(), first_handle);
  first = ffi::Module();
  EXPECT_EQ(context().cast<void*>(), second_handle);
  // If only the loader holds it, the library names no module.
  void* loaded = dlopen(path.c_str(), RTLD_NOW);
  EXPECT(loaded != nullptr);
  auto* variable = static_cast<void**>(dlsym(loaded, "__tvm_ffi__library_ctx"));
  EXPECT(*variable == second_handle);
  context = ffi::Function();
  second = ffi::Module();
  EXPECT(*variable == nullptr);
  dlclose(loaded);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_context_of_a_library_loaded_twice,
                              context_of_a_library_loaded_twice);

// A library built with metadata describes the signatures of its functions and their documentation.
void metadata() {
  ffi::Module module = Load(LibraryPath());
  EXPECT_EQ(*module->GetFunctionMetadata("fail"),
            "{\"type_schema\":\"{\\\"type\\\":\\\"ffi.Function\\\",\\\"named_args\\\":{"
            "\\\"return\\\":[{\\\"type\\\":\\\"None\\\"}],\\\"params\\\":[{\\\"type\\\":"
            "\\\"int\\\"}]}}\"}");
  EXPECT(!module->GetFunctionMetadata("question").has_value());
  EXPECT_EQ(*module->GetFunctionDoc("answer"), "The answer.");
  EXPECT(!module->GetFunctionDoc("fail").has_value());
  EXPECT_EQ(*module->GetFunctionDoc("answer", true), "The answer.");
  EXPECT(!module->GetFunctionMetadata("question", true).has_value());
  // This file was built without it.
  EXPECT(!Load(ThisLibrary())->GetFunctionMetadata("only_in_the_test").has_value());
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_metadata, metadata);

// Symbols exported for the runtime, functions or not, are not functions of the module.
void reserved_names() {
  ffi::Module module = Load(LibraryPath());
  for (const char* name : {"_library_ctx", "_doc_answer"}) {
    EXPECT(!module->GetFunction(name).has_value());
    EXPECT(!module->GetFunction(name, true).has_value());
    EXPECT(!Global("ffi.ModuleImplementsFunction")(module, name, true).cast<bool>());
  }
  EXPECT_EQ(Global("ffi.ModuleGetFunctionDoc")(module, "answer", false).cast<std::string>(),
            std::string("The answer."));
  EXPECT(Global("ffi.ModuleGetFunctionDoc")(module, "fail", false).type_index() == kTVMFFINone);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_reserved_names, reserved_names);

// A context symbol is written to each library that has a variable of its name, when it is loaded.
void context_symbols() {
  Folder folder;
  int value = 0;
  EXPECT_EQ(TVMFFIEnvModRegisterContextSymbol("test_module_context_symbol", &value), 0);
  EXPECT_EQ(TVMFFIEnvModRegisterContextSymbol("test_module_no_such_variable", &value), 0);
  ffi::Module module = Load(folder.CopyLibrary("symbols.so"));
  EXPECT_EQ((*module->GetFunction("context_symbol"))().cast<void*>(), static_cast<void*>(&value));
  EXPECT_EQ(TVMFFIEnvModRegisterContextSymbol("test_module_context_symbol", nullptr), 0);
  module = Load(folder.CopyLibrary("symbols_again.so"));
  EXPECT((*module->GetFunction("context_symbol"))().cast<void*>() == nullptr);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_context_symbols, context_symbols);

// Another module of a loaded library gets new context symbols, but nothing from the first module;
// there is none once the file is replaced or removed.
void another_module() {
  Folder folder;
  const fs::path path = folder.CopyLibrary("another.so");
  ffi::Module module = Load(path);
  module->ImportModule(Load(folder.CopyLibrary("imported.so")));
  const ffi::Function make = Global("ffi.ModuleAnother");
  int value = 0;
  EXPECT_EQ(TVMFFIEnvModRegisterContextSymbol("test_module_context_symbol", &value), 0);
  const auto another = make(module, path.string()).cast<ffi::Optional<ffi::Module>>();
  EXPECT_EQ(TVMFFIEnvModRegisterContextSymbol("test_module_context_symbol", nullptr), 0);
  EXPECT(another.has_value());
  EXPECT((*another).get() != module.get());
  EXPECT_EQ(Global("ffi.ModuleGetImport")(*another, -1).cast<int64_t>(), int64_t{0});
  EXPECT_EQ((*module->GetFunction("context_symbol"))().cast<void*>(), static_cast<void*>(&value));
  fs::remove(path);
  EXPECT(!make(module, path.string()).cast<ffi::Optional<ffi::Module>>().has_value());
  folder.CopyLibrary("another.so");
  EXPECT(!make(module, path.string()).cast<ffi::Optional<ffi::Module>>().has_value());
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_another_module, another_module);

// Functions of imported modules are found on request, at any depth, until imports are
// cleared.
void imports() {
  Folder folder;
  const fs::path path = folder.CopyLibrary("middle.so");
  ffi::Module module = Load(folder.CopyLibrary("outer.so"));
  {
    ffi::Module middle = Load(path);
    middle->ImportModule(Load(ThisLibrary()));
    module->ImportModule(middle);
  }
  EXPECT(IsLoaded(path));
  EXPECT(!module->GetFunction("only_in_the_test").has_value());
  EXPECT_EQ((*module->GetFunction("only_in_the_test", true))().cast<int>(), 7);
  module->ClearImports();
  EXPECT(!module->GetFunction("only_in_the_test", true).has_value());
  EXPECT(!IsLoaded(path));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_imports, imports);

// A module cannot import itself, at any depth: a search would not end, and a cycle is never freed.
void circular_imports() {
  Folder folder;
  ffi::Module a = Load(folder.CopyLibrary("a.so"));
  ffi::Module b = Load(folder.CopyLibrary("b.so"));
  ffi::Function import = Global("ffi.ModuleImportModule");
  const std::string error =
      "ValueError: ffi.ModuleImportModule: other: expected a module that does not import this one, "
      "got one that does";
  EXPECT_THROWS(error, import(a, a));
  import(a, b);
  EXPECT_THROWS(error, import(b, a));
  EXPECT(!a->GetFunction("question", true).has_value());
  EXPECT(a.unique());
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_circular_imports, circular_imports);

// Two threads that import each other's module at once do not create a cycle together.
void circular_imports_of_two_threads() {
  Folder folder;
  ffi::Module a = Load(folder.CopyLibrary("a_of_two.so"));
  ffi::Module b = Load(folder.CopyLibrary("b_of_two.so"));
  ffi::Function import = Global("ffi.ModuleImportModule");
  ffi::Function clear = Global("ffi.ModuleClearImports");
  for (int round = 0; round < 2000; ++round) {
    std::atomic<int> ready{0}, succeeded{0};
    auto race = [&](const ffi::Module& module, const ffi::Module& other) {
      ++ready;
      while (ready < 2) {
      }
      try {
        import(module, other);
        ++succeeded;
      } catch (const ffi::Error&) {
      }
    };
    std::thread thread(race, a, b);
    race(b, a);
    thread.join();
    clear(a);
    clear(b);
    EXPECT_EQ(succeeded.load(), 1);
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_circular_imports_of_two_threads,
                              circular_imports_of_two_threads);

// A long chain of imports is searched and freed with little stack.
void long_chain_of_imports() {
  const ffi::Module end = Load(LibraryPath());
  const std::string path = ThisLibrary();
  const ffi::Function make = Global("ffi.ModuleAnother");
  const ffi::Module first = Load(path);
  ffi::Module start = make(first, path).cast<ffi::Module>(), last = start;
  for (int i = 0; i < 20'000; ++i) {
    ffi::Module next = make(first, path).cast<ffi::Module>();
    last->ImportModule(next);
    last = next;
  }
  last->ImportModule(end);
  last = ffi::Module();
  OnStack(size_t{256} << 10, [&] {
    EXPECT_EQ((*start->GetFunction("answer", true))().cast<int>(), 42);
    EXPECT(!start->GetFunction("question", true).has_value());
    EXPECT_THROWS_WITH("ValueError: ffi.ModuleImportModule: other", end->ImportModule(start));
    start = ffi::Module();
  });
  EXPECT(first.unique());
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_long_chain_of_imports, long_chain_of_imports);

// A search asks each module once, however many paths lead to it.
void many_ways_to_a_module() {
  Folder folder;
  const fs::path path = folder.CopyLibrary("many_ways.so");
  const ffi::Module first = Load(path);
  ffi::Module module = first;
  for (int i = 0; i < 64; ++i) {
    const ffi::Module left = Load(path), right = Load(path), above = Load(path);
    left->ImportModule(module);
    right->ImportModule(module);
    above->ImportModule(left);
    above->ImportModule(right);
    module = above;
  }
  EXPECT(!module->GetFunction("question", true).has_value());
  EXPECT_THROWS_WITH("ValueError: ffi.ModuleImportModule: other", first->ImportModule(module));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_many_ways_to_a_module, many_ways_to_a_module);

// An object held by a function may be queued for deletion when the stack is short, after the
// function is gone: the library stays loaded for it, however deeply it is nested.
void library_of_what_waits() {
  Folder folder;
  const fs::path path = folder.CopyLibrary("waiting.so");
  OnStack(size_t{64} << 10, [&] {
    for (int depth = 100; depth < 1500; ++depth) {
      ffi::Any deep = (*Load(path)->GetFunction("function_with_array"))();
      for (int i = 0; i < depth; ++i) deep = ffi::Array<ffi::Any>{std::move(deep)};
      EXPECT(IsLoaded(path));
      deep = nullptr;
      EXPECT(!IsLoaded(path));
    }
  });
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_library_of_what_waits, library_of_what_waits);

// A library for another architecture is reported as one, and a damaged one causes no crash.
void files_that_do_not_fit() {
  Folder folder;
  std::ifstream file(LibraryPath(), std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  struct Case {
    std::string bytes, text;
  };
  const auto changed = [&](size_t offset, const std::string& to) {
    std::string copy = bytes;
    return copy.replace(offset, to.size(), to);
  };
#if defined(__x86_64__)
  const std::string own = "x86-64", other = "AArch64", number = "\xb7";
#else
  const std::string own = "AArch64", other = "x86-64", number = "\x3e";
#endif
  const std::string expected =
      "expected a library for " + own + " (64 bits, little-endian), got one for ";
  for (const Case& c : {
           Case{changed(18, number), expected + other + " (64 bits, little-endian)"},
           Case{changed(18, "\xbe"), expected + "NVIDIA CUDA (64 bits, little-endian)"},
           Case{changed(18, "\x39\x30"), expected + "machine 12345 (64 bits, little-endian)"},
           Case{changed(4, "\x01"), expected + own + " (32 bits, little-endian)"},
           Case{bytes.substr(0, 4096), "expected a file of at least "},
           Case{changed(33, "\x7f\x7f"), "expected a table of segments in the file"},
       }) {
    const fs::path path = folder.path() / "changed.so";
    std::ofstream(path, std::ios::binary) << c.bytes;
    EXPECT_THROWS_WITH(
        "RuntimeError: ffi.ModuleLoadFromFile: path: expected a library that loads, "
        "got \"" +
            path.string() + "\": " + path.string() + ": " + c.text,
        Load(path));
    fs::remove(path);
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_files_that_do_not_fit, files_that_do_not_fit);

// A function lent to a library lives as long as its module, even after clearing imports, but is no
// longer found.
void lent_functions_outlive_imports() {
  Folder folder;
  const fs::path imported = folder.CopyLibrary("imported.so");
  ffi::Module module = Load(folder.CopyLibrary("borrower.so"));
  ffi::Function remember = *module->GetFunction("remember_import");
  ffi::Function call = *module->GetFunction("call_remembered");
  Global("ffi.ModuleImportModule")(module, Load(imported));
  remember("answer");
  Global("ffi.ModuleClearImports")(module);
  EXPECT(IsLoaded(imported));
  EXPECT_EQ(call().cast<int>(), 42);
  EXPECT_THROWS_WITH("AttributeError: ", remember("answer"));
  // Another module of the library takes over the lent functions.
  ffi::Module other = Load(folder.path() / "borrower.so");
  remember = ffi::Function();
  call = *other->GetFunction("call_remembered");
  module = ffi::Module();
  EXPECT(IsLoaded(imported));
  EXPECT_EQ(call().cast<int>(), 42);
  call = ffi::Function();
  other = ffi::Module();
  EXPECT(!IsLoaded(imported));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_lent_functions_outlive_imports, lent_functions_outlive_imports);

// A library looks up functions in its imports, then among the global ones.
void lookup_from_a_library() {
  Folder folder;
  ffi::Module module = Load(folder.CopyLibrary("caller.so"));
  ffi::Function call_import = *module->GetFunction("call_import");
  EXPECT_THROWS(
      "AttributeError: TVMFFIEnvModLookupFromImports: func_name: expected a function of an "
      "imported module or a global one, got \"only_in_the_test\"",
      call_import("only_in_the_test"));
  Global("ffi.ModuleImportModule")(module, Load(ThisLibrary()));
  EXPECT_EQ(call_import("only_in_the_test").cast<int>(), 7);
  ffi::Function::SetGlobal("test_module.global", ffi::Function::FromTyped([] { return 8; }));
  EXPECT_EQ(call_import("test_module.global").cast<int>(), 8);
  Global("ffi.FunctionRemoveGlobal")("test_module.global");
  TVMFFIObjectHandle lent = nullptr;
  EXPECT_THROWS(
      "ValueError: TVMFFIEnvModLookupFromImports: library_ctx: expected a module, got NULL",
      TVM_FFI_CHECK_SAFE_CALL(TVMFFIEnvModLookupFromImports(nullptr, "x", &lent)));
  const ffi::Shape shape;
  EXPECT_THROWS(
      "TypeError: TVMFFIEnvModLookupFromImports: library_ctx: expected a module, got an "
      "object of type ffi.Shape",
      TVM_FFI_CHECK_SAFE_CALL(
          TVMFFIEnvModLookupFromImports(ffi::ObjectUnsafe::Borrow(shape), "x", &lent)));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_lookup_from_a_library, lookup_from_a_library);

// Functions registered by the program itself are found in the system library, by prefix.
void system_library() {
  auto* symbol = reinterpret_cast<void*>(&__tvm_ffi_only_in_the_test);
  EXPECT_EQ(TVMFFIEnvModRegisterSystemLibSymbol("__tvm_ffi_test_prefix_seven", symbol), 0);
  ffi::Module module = Global("ffi.SystemLib")("test_prefix_").cast<ffi::Module>();
  EXPECT_EQ((*module->GetFunction("seven"))().cast<int>(), 7);
  EXPECT(!module->GetFunction("answer").has_value());
  EXPECT_EQ(Global("ffi.ModuleGetKind")(module).cast<std::string>(), std::string("system_lib"));
  ffi::Module other = Global("ffi.SystemLib")("other_prefix_").cast<ffi::Module>();
  EXPECT(!other->GetFunction("seven").has_value());
  // Without the prefix, if it is missing with it; and the same module for the same prefix.
  EXPECT_EQ((*other->GetFunction("test_prefix_seven"))().cast<int>(), 7);
  EXPECT(module.same_as(Global("ffi.SystemLib")("test_prefix_").cast<ffi::Module>()));
  EXPECT(!module.same_as(other));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_system_library, system_library);

// An exported function has the descriptions of its library, also when found as an import.
void functions_describe_themselves() {
  ffi::Module module = Load(LibraryPath()), importer = Load(ThisLibrary());
  importer->ImportModule(module);
  ffi::Function describe = Global("ffi.FunctionDescribe");
  for (const ffi::Module& from : {module, importer}) {
    ffi::Function answer = *from->GetFunction("answer", true);
    EXPECT_EQ(describe(answer, "doc").cast<std::string>(), std::string("The answer."));
    EXPECT_EQ(describe(answer, "arg_names").cast<std::string>(), std::string("x,y"));
    EXPECT(describe(answer, "nothing") == nullptr);
  }
  EXPECT(describe(ffi::Function::FromTyped([] {}), "doc") == nullptr);
  EXPECT(describe(nullptr, "doc") == nullptr);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_functions_describe_themselves, functions_describe_themselves);

// Imports are listed by index; -1 returns their number.
void imports_are_listed() {
  ffi::Module module = Load(LibraryPath()), other = Load(ThisLibrary());
  ffi::Function import_at = Global("ffi.ModuleGetImport");
  EXPECT_EQ(import_at(other, -1).cast<int>(), 0);
  other->ImportModule(module);
  EXPECT_EQ(import_at(other, -1).cast<int>(), 1);
  EXPECT(import_at(other, 0).cast<ffi::Module>().same_as(module));
  EXPECT_THROWS("IndexError: ffi.ModuleGetImport: expected an index below 1, got 1",
                import_at(other, 1));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_imports_are_listed, imports_are_listed);

// An object that only has the type index of a module is rejected.
void marked_as_a_module() {
  TVMFFIObjectHandle handle = nullptr;
  EXPECT_EQ(TVMFFIObjectCreateOpaque(nullptr, kTVMFFIModule, nullptr, &handle), 0);
  TVMFFIAny value{};
  value.type_index = kTVMFFIModule;
  value.v_obj = static_cast<TVMFFIObject*>(handle);
  const ffi::Any marked = ffi::Any::MoveFromTVMFFIAny(value);
  const std::string what = "expected a module, got an opaque object that is marked as one";
  EXPECT_THROWS("TypeError: ffi.Module: " + what, Global("ffi.ModuleGetKind")(marked));
  ffi::Module module = Load(LibraryPath());
  EXPECT_THROWS("TypeError: ffi.ModuleImportModule: other: " + what,
                Global("ffi.ModuleImportModule")(module, marked));
  EXPECT_THROWS_WITH("TypeError: TVMFFIEnvModLookupFromImports: library_ctx: expected a module",
                     TVM_FFI_CHECK_SAFE_CALL(TVMFFIEnvModLookupFromImports(handle, "x", &handle)));
  EXPECT_THROWS("TypeError: ffi.Module: expected a module, got None",
                Global("ffi.ModuleGetKind")(nullptr));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_marked_as_a_module, marked_as_a_module);
