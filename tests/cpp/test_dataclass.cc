// SPDX-License-Identifier: Apache-2.0
// Rows: R5, R7
// Deep copies, ordering, printing and JSON of values.
#include <tvm/ffi/extra/dataclass.h>
#include <tvm/ffi/extra/serialization.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/tvm_ffi.h>

#include <sstream>
#include <string>

#include "expect.h"

namespace ffi = tvm::ffi;
namespace refl = tvm::ffi::reflection;

namespace {

using ffi::Any;
using ffi::AnyView;
using ffi::Array;

// Words are equal if their texts have the same length, as defined by the attributes.
class WordObj : public ffi::Object {
 public:
  ffi::String text;
  WordObj() = default;
  explicit WordObj(ffi::String given) : text(std::move(given)) {}
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test_dataclass.Word", WordObj, ffi::Object);
};

int64_t LengthOf(const ffi::Object* word) {
  return static_cast<int64_t>(static_cast<const WordObj*>(word)->text.size());
}

TVM_FFI_STATIC_INIT_BLOCK() {
  namespace attr = ffi::type_attr;
  refl::ObjectDef<WordObj>().def_ro("text", &WordObj::text);
  refl::TypeAttrDef<WordObj>()
      .def(attr::kRepr.name,
           [](const ffi::Object* word, const ffi::TypedFunction<ffi::String(AnyView)>& part) {
             return "Word of " + part(LengthOf(word));
           })
      .def(attr::kHash.name,
           [](const ffi::Object* word, const ffi::TypedFunction<int64_t(AnyView)>& part) {
             return part(LengthOf(word));
           })
      .def(attr::kEq.name,
           [](const ffi::Object* a, const ffi::Object* b,
              const ffi::TypedFunction<bool(AnyView, AnyView)>& part) {
             return part(LengthOf(a), LengthOf(b));
           })
      .def(attr::kCompare.name,
           [](const ffi::Object* a, const ffi::Object* b,
              const ffi::TypedFunction<int32_t(AnyView, AnyView)>& part) {
             return part(LengthOf(a), LengthOf(b));
           })
      .def(attr::kDataToJson.name,
           [](AnyView word) -> Any { return "<" + word.cast<const WordObj*>()->text + ">"; })
      .def(attr::kDataFromJson.name, [](AnyView data) -> Any {
        const auto text = data.cast<ffi::String>();
        return ffi::ObjectRef(ffi::make_object<WordObj>(text.substr(1, text.size() - 2)));
      });
}

ffi::ObjectRef Word(const char* text) { return ffi::ObjectRef(ffi::make_object<WordObj>(text)); }

template <typename T>
std::string Written(const T& value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

}  // namespace

// Shared parts are written once, and are shared again when read.
void json_graphs() {
  const Array<Any> part{1, "a"};
  const Array<Any> whole{part, part, Word("one")};
  const ffi::json::Value graph = ffi::ToJSONGraph(whole);
  const auto back = ffi::FromJSONGraph(graph).cast<Array<Any>>();
  EXPECT(ffi::RecursiveEq(back, whole));
  EXPECT(back[0].same_as(back[1]) && !back[0].same_as(part));
  EXPECT_EQ(back[2].cast<const WordObj*>()->text, ffi::String("one"));
  EXPECT(ffi::json::Stringify(graph).find("<one>") != ffi::String::npos);
  const auto described = ffi::ToJSONGraph(1, ffi::json::Object{{"version", 2}});
  EXPECT_EQ(ffi::json::Stringify(described),
            ffi::String("{\"root_index\":0,\"nodes\":[{\"type\":\"int\",\"data\":1}],"
                        "\"metadata\":{\"version\":2}}"));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_json_graphs, json_graphs);

// Copies are equal but distinct objects; ordering is by content.
void recursive_functions() {
  const Array<Any> low{1, Array<Any>{2}}, high{1, Array<Any>{3}};
  const Any copy = ffi::DeepCopy(low);
  EXPECT(!copy.same_as(low) && ffi::RecursiveEq(copy, low) && !ffi::RecursiveEq(low, high));
  EXPECT_EQ(ffi::RecursiveHash(copy), ffi::RecursiveHash(low));
  EXPECT(ffi::RecursiveLt(low, high) && !ffi::RecursiveLt(low, copy));
  EXPECT(ffi::RecursiveLe(low, copy) && !ffi::RecursiveLe(high, low));
  EXPECT(ffi::RecursiveGt(high, low) && !ffi::RecursiveGt(low, copy));
  EXPECT(ffi::RecursiveGe(low, copy) && !ffi::RecursiveGe(low, high));
  EXPECT(ffi::RecursiveEq(Word("one"), Word("two")) && ffi::RecursiveLt(Word("1"), Word("one")));
  EXPECT_EQ(ffi::RecursiveHash(Word("one")), ffi::RecursiveHash(Word("two")));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_recursive_functions, recursive_functions);

// Everything is printed as in Python.
void printed_values() {
  const Array<Any> values{1, "a", Word("one")};
  EXPECT_EQ(ffi::ReprPrint(values), ffi::String("(1, \"a\", Word of 3)"));
  EXPECT_EQ(Written(Any(values)), std::string("(1, \"a\", Word of 3)"));
  EXPECT_EQ(Written(ffi::ObjectRef(values)), std::string("(1, \"a\", Word of 3)"));
  EXPECT_EQ(Written(ffi::Variant<int64_t, ffi::String>(ffi::String("s"))), std::string("\"s\""));
  EXPECT_EQ(Written(ffi::Optional<int64_t>(4)), std::string("4"));
  EXPECT_EQ(Written(ffi::Optional<int64_t>()), std::string("None"));
  EXPECT_EQ(Written(ffi::String("text")), std::string("text"));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_printed_values, printed_values);
