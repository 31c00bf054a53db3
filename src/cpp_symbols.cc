// SPDX-License-Identifier: Apache-2.0
// The C++ symbols that libraries built with the published headers import, made here to be exported.
//
// src/libtvm_ffi.map lists them. The table of virtual functions and the type's own data come with
// the classes that derive from ModuleObj here.
#include <tvm/ffi/extra/module.h>

namespace ffi = tvm::ffi;

namespace {

using ffi::ModuleObj, ffi::String;

// Taking the address of an inline function makes the compiler put it into this file.
[[gnu::used]] const struct {
  ffi::Optional<ffi::Function> (ModuleObj::*get_function)(const String&,
                                                          bool) = &ModuleObj::GetFunction;
  bool (ModuleObj::*implements)(const String&, bool) = &ModuleObj::ImplementsFunction;
  ffi::Optional<String> (ModuleObj::*get_doc)(const String&, bool) = &ModuleObj::GetFunctionDoc;
  ffi::Optional<String> (ModuleObj::*get_metadata)(const String&,
                                                   bool) = &ModuleObj::GetFunctionMetadata;
  ffi::Module (*load)(const String&) = &ffi::Module::LoadFromFile;
  decltype(&ffi::Module::VisitContextSymbols) visit = &ffi::Module::VisitContextSymbols;
} exported;

// Of virtual functions that gives no more than a place in the table.
[[gnu::used]] void CallNotVirtually(ModuleObj* module, const ffi::Module& other) {
  module->ModuleObj::ImportModule(other);
  module->ModuleObj::ClearImports();
}

}  // namespace
