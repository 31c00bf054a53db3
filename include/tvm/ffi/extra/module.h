// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/extra/module.h
 * \brief Loaded libraries and the functions that they export.
 */
#ifndef TVM_FFI_EXTRA_MODULE_H_
#define TVM_FFI_EXTRA_MODULE_H_

#include <tvm/ffi/function.h>

#include <optional>
#include <string>
#include <utility>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

/*! \brief A module object; opaque, reached through the global functions `ffi.Module*`. */
class ModuleObj : public Object {
 public:
  /*! \brief Fixed index of the type. */
  static constexpr int32_t _type_index = kTVMFFIModule;
  TVM_FFI_DECLARE_OBJECT_INFO_STATIC("ffi.Module", ModuleObj, Object)
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

  /*! \brief The exported function of that name, if there is one. */
  std::optional<Function> GetFunction(const String& name, bool query_imports = false) const {
    Any found = Function::GetGlobalRequired("ffi.ModuleGetFunction")(*this, name, query_imports);
    return found.cast<Optional<Function>>();
  }
};

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_EXTRA_MODULE_H_
