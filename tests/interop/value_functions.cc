// SPDX-License-Identifier: Apache-2.0
// Calls the functions on values that the published headers declare, and that libtvm_ffi.so defines.
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/extra/dataclass.h>
#include <tvm/ffi/extra/json.h>
#include <tvm/ffi/extra/serialization.h>
#include <tvm/ffi/extra/structural_equal.h>
#include <tvm/ffi/extra/structural_hash.h>
#include <tvm/ffi/tvm_ffi.h>

namespace ffi = tvm::ffi;
using ffi::Any, ffi::Array, ffi::String;

namespace {

// What each function gives for the values, of which the first two are equal and the third is more.
Array<Any> AskAll(const Any& a, const Any& same, const Any& more) {
  const Any copy = ffi::DeepCopy(a);
  const auto mismatch = ffi::StructuralEqual::GetFirstMismatch(a, more);
  return {
      // A copy is equal, and another object.
      ffi::RecursiveEq(copy, a) && !copy.same_as(a),
      ffi::ReprPrint(a),
      ffi::RecursiveHash(a) == ffi::RecursiveHash(same),
      Array<bool>{ffi::RecursiveEq(a, same), ffi::RecursiveEq(a, more)},
      Array<bool>{ffi::RecursiveLt(a, more), ffi::RecursiveLt(more, a)},
      Array<bool>{ffi::RecursiveLe(a, same), ffi::RecursiveLe(more, a)},
      Array<bool>{ffi::RecursiveGt(a, more), ffi::RecursiveGt(more, a)},
      Array<bool>{ffi::RecursiveGe(a, same), ffi::RecursiveGe(a, more)},
      Array<bool>{ffi::StructuralEqual::Equal(a, same), ffi::StructuralEqual::Equal(a, more)},
      ffi::StructuralEqual::GetFirstMismatch(a, same).has_value(),
      static_cast<int64_t>(mismatch.value().get<0>()->ToSteps().size()),
      ffi::StructuralHash::Hash(a) == ffi::StructuralHash::Hash(same),
      ffi::RecursiveEq(ffi::FromJSONGraph(ffi::ToJSONGraph(a)), a),
      ffi::json::Stringify(ffi::json::Parse("[1, {\"b\": null}]")),
      ffi::json::Stringify(Array<Any>{1, "two"}, 2),
  };
}

// What is wrong with a JSON text: told, and thrown.
Array<String> RefuseJson(const String& text) {
  String told;
  ffi::json::Parse(text, &told);
  try {
    ffi::json::Parse(text);
  } catch (const ffi::Error& error) {
    return {told, error.kind(), error.message()};
  }
  return {told};
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(ask_all, AskAll);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(refuse_json, RefuseJson);
