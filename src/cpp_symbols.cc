// SPDX-License-Identifier: Apache-2.0
// Defines the C++ symbols that libraries built with the published headers import.
//
// src/libtvm_ffi.map lists them. The vtable and the type information are emitted with the classes
// derived from ModuleObj in this library.
#include <tvm/ffi/extra/dataclass.h>
#include <tvm/ffi/extra/json.h>
#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/extra/serialization.h>
#include <tvm/ffi/extra/structural_equal.h>
#include <tvm/ffi/extra/structural_hash.h>

#include <optional>

namespace ffi = tvm::ffi;

// The published Optional has two template parameters, as in the symbol, and holds ints as Any.
TVM_FFI_DLL_EXPORT ffi::String StringifyAsPublished(
    const ffi::Any& value,
    const ffi::Any& indent) __asm__("_ZN3tvm3ffi4json9StringifyERKNS0_3AnyERKNS0_8OptionalIivEE");
ffi::String StringifyAsPublished(const ffi::Any& value, const ffi::Any& indent) {
  return ffi::json::Stringify(value, indent.cast<ffi::Optional<int>>());
}

// Up to release 0.1.12 that Optional has the members of std::optional and is passed by value, which
// C++ does by its address, because its copy constructor is not trivial.
TVM_FFI_DLL_EXPORT ffi::String
StringifyAsPublishedBefore(const ffi::Any& value, const std::optional<int>& indent) __asm__(
    "_ZN3tvm3ffi4json9StringifyERKNS0_3AnyENS0_8OptionalIivEE");
ffi::String StringifyAsPublishedBefore(const ffi::Any& value, const std::optional<int>& indent) {
  return ffi::json::Stringify(value, indent ? ffi::Optional<int>(*indent) : std::nullopt);
}

namespace {

using ffi::ModuleObj, ffi::String;

// Taking the address of an inline function makes the compiler emit it in this file.
[[gnu::used]] const struct {
  ffi::Optional<ffi::Function> (ModuleObj::*get_function)(const String&,
                                                          bool) = &ModuleObj::GetFunction;
  bool (ModuleObj::*implements)(const String&, bool) = &ModuleObj::ImplementsFunction;
  ffi::Optional<String> (ModuleObj::*get_doc)(const String&, bool) = &ModuleObj::GetFunctionDoc;
  ffi::Optional<String> (ModuleObj::*get_metadata)(const String&,
                                                   bool) = &ModuleObj::GetFunctionMetadata;
  ffi::Module (*load)(const String&) = &ffi::Module::LoadFromFile;
  decltype(&ffi::Module::VisitContextSymbols) visit = &ffi::Module::VisitContextSymbols;

  decltype(&ffi::DeepCopy) deep_copy = &ffi::DeepCopy;
  decltype(&ffi::ReprPrint) repr_print = &ffi::ReprPrint;
  decltype(&ffi::RecursiveHash) recursive_hash = &ffi::RecursiveHash;
  decltype(&ffi::RecursiveEq) recursive_eq = &ffi::RecursiveEq;
  decltype(&ffi::RecursiveLt) recursive_lt = &ffi::RecursiveLt;
  decltype(&ffi::RecursiveLe) recursive_le = &ffi::RecursiveLe;
  decltype(&ffi::RecursiveGt) recursive_gt = &ffi::RecursiveGt;
  decltype(&ffi::RecursiveGe) recursive_ge = &ffi::RecursiveGe;

  decltype(&ffi::StructuralEqual::Equal) equal = &ffi::StructuralEqual::Equal;
  decltype(&ffi::StructuralEqual::GetFirstMismatch) get_first_mismatch =
      &ffi::StructuralEqual::GetFirstMismatch;
  decltype(&ffi::StructuralHash::Hash) hash = &ffi::StructuralHash::Hash;

  decltype(&ffi::ToJSONGraph) to_json_graph = &ffi::ToJSONGraph;
  decltype(&ffi::FromJSONGraph) from_json_graph = &ffi::FromJSONGraph;
  decltype(&ffi::json::Parse) parse = &ffi::json::Parse;
} exported;

// The address of a virtual function is only its vtable slot, so these are called instead.
[[gnu::used]] void CallNotVirtually(ModuleObj* module, const ffi::Module& other) {
  module->ModuleObj::ImportModule(other);
  module->ModuleObj::ClearImports();
}

}  // namespace
