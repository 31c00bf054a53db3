// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/extra/module.h
 * \brief Modules: loaded libraries, and user-defined classes that provide functions by name.
 */
#ifndef TVM_FFI_EXTRA_MODULE_H_
#define TVM_FFI_EXTRA_MODULE_H_

#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/optional.h>
#include <tvm/ffi/string.h>
#include <tvm/ffi/typed_function.h>

#include <cstdint>
#include <optional>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

class Module;

namespace detail {
struct ModuleUnsafe;
}

/*!
 * \brief A module object; derive from it to define a new kind of module.
 *
 * A derived class must define kind() and GetFunction(), and may override the rest. Its virtual
 * functions may be called from several threads, even while another one runs. Objects cross between
 * this header and the published one: the virtual functions, their order and the data members are
 * the same, and never change.
 */
class TVM_FFI_RUNTIME_API ModuleObj : public Object {
 public:
  /*!
   * \brief The kind of module: "library" for a loaded library, "system_lib" for the functions of
   * the program itself, otherwise the author's choice.
   *
   * It is part of the name of the function that loads a saved module; see SaveToBytes().
   */
  virtual const char* kind() const = 0;
  /*! \brief The supported operations, as bits of Module::ModulePropertyMask; 0 by default. */
  virtual int GetPropertyMask() const { return 0; }
  /*!
   * \brief Returns the function with that name, if any; it must keep alive what it needs.
   * \param name The name.
   */
  virtual Optional<Function> GetFunction(const String& name) = 0;
  /*! \brief Whether there is a function with that name; by default, calls GetFunction(). */
  virtual bool ImplementsFunction(const String& name) { return GetFunction(name).has_value(); }
  /*! \brief The documentation of a function; see TVM_FFI_DLL_EXPORT_TYPED_FUNC_DOC. */
  virtual Optional<String> GetFunctionDoc([[maybe_unused]] const String& name) {
    return std::nullopt;
  }
  /*!
   * \brief The metadata of a function: JSON text with a `type_schema`, which is also JSON text.
   *
   * A loaded library has none unless it was built with TVM_FFI_DLL_EXPORT_INCLUDE_METADATA.
   */
  virtual Optional<String> GetFunctionMetadata([[maybe_unused]] const String& name) {
    return std::nullopt;
  }
  /*!
   * \brief Writes the module to a file, as input for a compiler.
   * \param file_name The file.
   * \param format One of GetWriteFormats().
   * \throws Error A RuntimeError if the class does not support it.
   */
  virtual void WriteToFile([[maybe_unused]] const String& file_name,
                           [[maybe_unused]] const String& format) const {
    TVM_FFI_THROW(RuntimeError)
        << "ModuleObj::WriteToFile: expected a module that can be written, got one of kind \""
        << kind() << "\"";
  }
  /*! \brief The formats that WriteToFile() supports; none by default. */
  virtual Array<String> GetWriteFormats() const { return Array<String>(); }
  /*!
   * \brief Returns the module as bytes.
   *
   * The global function `ffi.Module.load_from_bytes.<kind>` recreates a module from them.
   * \throws Error A RuntimeError if the class does not support it.
   */
  virtual Bytes SaveToBytes() const {
    TVM_FFI_THROW(RuntimeError)
        << "ModuleObj::SaveToBytes: expected a module that can be saved, got one of kind \""
        << kind() << "\"";
  }
  /*!
   * \brief The source code of the module; empty if it has none.
   * \param format Selects a source if there are several; may be empty.
   */
  virtual String InspectSource([[maybe_unused]] const String& format) const { return String(); }
  /*!
   * \brief Adds a module to the imports, whose functions are found together with this one's.
   *
   * Without an override, no thread may search the module meanwhile; a loaded library allows it.
   * \throws Error A ValueError if `other` is null, or imports this module, at any depth.
   */
  // Also inline here: the first function that is not would put the virtual table of this class, and
  // all its functions, into every kernel library.
  TVM_FFI_RUNTIME_API inline virtual void ImportModule(const Module& other);
  /*! \brief Clears the imports. Functions that the code of a loaded library borrowed stay valid. */
  TVM_FFI_RUNTIME_API virtual void ClearImports() { imports_ = Array<Any>(); }

  /*!
   * \brief Returns the function with that name, if there is one.
   * \param name The name.
   * \param query_imports Whether to search imported modules too, at any depth.
   */
  TVM_FFI_RUNTIME_API Optional<Function> GetFunction(const String& name, bool query_imports) {
    return UnlessNone<Function>(Call("ffi.ModuleGetFunction", name, query_imports));
  }
  /*! \brief Whether there is a function with that name, here or in the imports. */
  TVM_FFI_RUNTIME_API bool ImplementsFunction(const String& name, bool query_imports) {
    return Call("ffi.ModuleImplementsFunction", name, query_imports).cast<bool>();
  }
  /*! \brief The documentation of a function of this module or an imported one. */
  TVM_FFI_RUNTIME_API Optional<String> GetFunctionDoc(const String& name, bool query_imports) {
    return UnlessNone<String>(Call("ffi.ModuleGetFunctionDoc", name, query_imports));
  }
  /*! \brief The metadata of a function of this module or an imported one. */
  TVM_FFI_RUNTIME_API Optional<String> GetFunctionMetadata(const String& name, bool query_imports) {
    return UnlessNone<String>(Call("ffi.ModuleGetFunctionMetadata", name, query_imports));
  }
  /*! \brief The imported modules, in the order of import. */
  const Array<Any>& imports() const { return imports_; }

  /*! \brief Handles provide access to a mutable object. */
  static constexpr bool _type_mutable = true;
  /*! \brief Fixed type index. */
  static constexpr int32_t _type_index = kTVMFFIModule;
  TVM_FFI_DECLARE_OBJECT_INFO_STATIC("ffi.Module", ModuleObj, Object)

 protected:
  /*! \brief The imported modules. */
  Array<Any> imports_;

 private:
  // The functions of the imports that the module's code has borrowed, by name.
  Map<String, Function> import_lookup_cache_;

  // A result unless it is None. A cast to Optional<T> would compile its conversions in every file
  // that includes this header.
  template <typename T>
  static Optional<T> UnlessNone(const Any& result) {
    if (result == nullptr) return std::nullopt;
    return result.as<T>();
  }
  template <typename... Args>
  Any Call(const char* function, const Args&... args) const {
    return Function::GetGlobalRequired(function)(this, args...);
  }

  friend struct detail::ModuleUnsafe;
};

/*! \brief A handle to a module. A library stays loaded while its module or functions live. */
class TVM_FFI_RUNTIME_API Module : public ObjectRef {
 public:
  /*! \brief The supported operations of a module, as bits of ModuleObj::GetPropertyMask(). */
  enum ModulePropertyMask : int {
    /*! \brief ModuleObj::SaveToBytes() works. */
    kBinarySerializable = 1,
    /*! \brief The functions of ModuleObj::GetFunction() can be called. */
    kRunnable = 2,
    /*! \brief ModuleObj::WriteToFile() works, and a compiler can turn the file into a library. */
    kCompilationExportable = 4
  };

  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Module, ObjectRef, ModuleObj);

  /*!
   * \brief Loads a module.
   *
   * A global function `ffi.Module.load_from_file.<extension>` loads files of that extension; it is
   * called with the path and the extension. Any other file is a library.
   * \param file_name Path of the file; a bare library name is looked up in the current folder.
   * \throws Error A RuntimeError with the loader's message.
   */
  TVM_FFI_RUNTIME_API static Module LoadFromFile(const String& file_name) {
    return Function::GetGlobalRequired("ffi.ModuleLoadFromFile")(file_name).cast<Module>();
  }

  /*!
   * \brief Calls a function with each name and address registered with
   * TVMFFIEnvModRegisterContextSymbol().
   *
   * For classes whose modules contain code that needs these symbols.
   * \throws Error A ValueError under the published runtime, which gives them only to its own code.
   */
  TVM_FFI_RUNTIME_API static void VisitContextSymbols(
      const TypedFunction<void(String, void*)>& callback) {
    Function::GetGlobalRequired("ffi.ModuleVisitContextSymbols")(callback);
  }
};

namespace detail {

// For the runtime: a module's imports, and the functions that its code has borrowed.
struct ModuleUnsafe {
  static Array<Any>& Imports(ModuleObj* module) { return module->imports_; }
  static Map<String, Function>& Lent(ModuleObj* module) { return module->import_lookup_cache_; }
  // Whether `module` is `other` or imports it at any depth. Each module is visited once, however
  // many others import it.
  static bool Reaches(const Module& module, const ModuleObj* other) {
    Array<Any> left{module};
    Map<Any, bool> seen;
    while (!left.empty()) {
      const Any next = left.back();
      left.pop_back();
      if (seen.count(next) != 0) continue;
      seen.Set(next, true);
      const Module reached = next.cast<Module>();
      if (reached.get() == other) return true;
      for (const Any& import : reached->imports_) left.push_back(import);
    }
    return false;
  }
};

}  // namespace detail

inline void ModuleObj::ImportModule(const Module& other) {
  TVM_FFI_CHECK(other.defined(), ValueError)
      << "ModuleObj::ImportModule: other: expected a module, got none";
  // A cycle would never be freed, and a search in it would never end.
  TVM_FFI_CHECK(!detail::ModuleUnsafe::Reaches(other, this), ValueError)
      << "ModuleObj::ImportModule: other: expected a module that does not import this one, got one "
         "that does";
  imports_.push_back(other);
}

/*! \brief The names of the symbols that a library exports for its loader. */
namespace symbol {

/*! \brief The prefix of the symbol of an exported function. */
constexpr const char* tvm_ffi_symbol_prefix = "__tvm_ffi_";
/*! \brief The symbol of the function that runs when a module is called. */
constexpr const char* tvm_ffi_main = "__tvm_ffi_main";
/*! \brief The variable in which the loader stores the address of the library's module. */
constexpr const char* tvm_ffi_library_ctx = "__tvm_ffi__library_ctx";
/*! \brief The bytes of the modules embedded in a library. */
constexpr const char* tvm_ffi_library_bin = "__tvm_ffi__library_bin";
/*! \brief The prefix of the symbol of a function that returns the metadata of another. */
constexpr const char* tvm_ffi_metadata_prefix = "__tvm_ffi__metadata_";
/*! \brief The prefix of the symbol of a function that returns the documentation of another. */
constexpr const char* tvm_ffi_doc_prefix = "__tvm_ffi__doc_";

}  // namespace symbol

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_EXTRA_MODULE_H_
