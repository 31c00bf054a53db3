// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/extra/module.h
 * \brief Loaded libraries and the functions that they export.
 */
#ifndef TVM_FFI_EXTRA_MODULE_H_
#define TVM_FFI_EXTRA_MODULE_H_

#include <tvm/ffi/function.h>

#include <optional>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

class Module;

/*!
 * \brief A module object: opaque, reached through the global functions `ffi.Module*`.
 *
 * Its methods are called through the handle: `module->GetFunction("scale")`. A module that this
 * runtime did not load is refused with a TypeError.
 */
class ModuleObj : public Object {
 public:
  /*!
   * \brief The exported function of that name, if there is one. It keeps the library loaded.
   * \param name The name that the function is exported by.
   * \param query_imports Whether imported modules are searched too.
   */
  Optional<Function> GetFunction(const String& name, bool query_imports = false) const {
    return UnlessNone<Function>(Call("ffi.ModuleGetFunction", name, query_imports));
  }
  /*! \brief Whether there is an exported function of that name. */
  bool ImplementsFunction(const String& name, bool query_imports = false) const {
    return Call("ffi.ModuleImplementsFunction", name, query_imports).cast<bool>();
  }
  /*!
   * \brief What is known of a function's signature: JSON text with a `type_schema`, JSON text too.
   *
   * None unless the library was built with TVM_FFI_DLL_EXPORT_INCLUDE_METADATA.
   */
  Optional<String> GetFunctionMetadata(const String& name, bool query_imports = false) const {
    return UnlessNone<String>(Call("ffi.ModuleGetFunctionMetadata", name, query_imports));
  }
  /*! \brief The documentation of a function; see TVM_FFI_DLL_EXPORT_TYPED_FUNC_DOC. */
  Optional<String> GetFunctionDoc(const String& name, bool query_imports = false) const {
    return UnlessNone<String>(Call("ffi.ModuleGetFunctionDoc", name, query_imports));
  }
  /*!
   * \brief Lets this module's library use the functions of `other`.
   * \throws Error A ValueError if `other` imports this module, at any depth.
   */
  void ImportModule(const Module& other) const;
  /*! \brief Forgets the imports. Functions that the library was lent live on. */
  void ClearImports() const { Call("ffi.ModuleClearImports"); }
  /*! \brief "library", or "system_lib" for the functions of the program itself. */
  String kind() const { return Call("ffi.ModuleGetKind").cast<String>(); }

  /*! \brief Fixed index of the type. */
  static constexpr int32_t _type_index = kTVMFFIModule;
  TVM_FFI_DECLARE_OBJECT_INFO_STATIC("ffi.Module", ModuleObj, Object)

 private:
  // A result unless it is None. Not by a cast to Optional<T>, whose conversions every file that
  // includes this header would compile.
  template <typename T>
  static Optional<T> UnlessNone(const Any& result) {
    if (result == nullptr) return std::nullopt;
    return result.as<T>();
  }
  template <typename... Args>
  Any Call(const char* function, const Args&... args) const {
    return Function::GetGlobalRequired(function)(this, args...);
  }
};

/*! \brief A loaded library. It stays loaded while a module or one of its functions lives. */
class Module : public ObjectRef {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Module, ObjectRef, ModuleObj);

  /*!
   * \brief Loads a library.
   * \param path Path of the file; a bare name is looked for in the current folder.
   * \throws Error A RuntimeError with the loader's message.
   */
  static Module LoadFromFile(const String& path) {
    return Function::GetGlobalRequired("ffi.ModuleLoadFromFile")(path).cast<Module>();
  }
};

inline void ModuleObj::ImportModule(const Module& other) const {
  Call("ffi.ModuleImportModule", other);
}

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_EXTRA_MODULE_H_
