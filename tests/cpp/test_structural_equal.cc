// SPDX-License-Identifier: Apache-2.0
// Rows: R5, R7
// Structural equality, hashing and keys of values.
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/extra/dataclass.h>
#include <tvm/ffi/extra/structural_equal.h>
#include <tvm/ffi/extra/structural_hash.h>
#include <tvm/ffi/extra/structural_key.h>
#include <tvm/ffi/reflection/access_path.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/tvm_ffi.h>

#include <unordered_map>

#include "expect.h"

namespace ffi = tvm::ffi;
namespace refl = tvm::ffi::reflection;

namespace {

using ffi::Any;
using ffi::AnyView;
using ffi::Array;
using ffi::StructuralEqual;
using ffi::StructuralHash;
using ffi::StructuralKey;

struct Allocator {
  void AllocData(DLTensor* tensor) { tensor->data = new float[2]; }
  void FreeData(DLTensor* tensor) { delete[] static_cast<float*>(tensor->data); }
};

ffi::Tensor Pair(float first, float second) {
  const DLDataType dtype{kDLFloat, 32, 1};
  ffi::Tensor made = ffi::Tensor::FromNDAlloc(Allocator(), {2}, dtype, {kDLCPU, 0});
  static_cast<float*>(made.data_ptr())[0] = first;
  static_cast<float*>(made.data_ptr())[1] = second;
  return made;
}

// Words are equal if their texts have the same length, as defined by the attributes.
class WordObj : public ffi::Object {
 public:
  ffi::String text;
  WordObj() = default;
  explicit WordObj(ffi::String given) : text(std::move(given)) {}
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test_structural_equal.Word", WordObj, ffi::Object);
};

int64_t LengthOf(const ffi::Object* word) {
  return static_cast<int64_t>(static_cast<const WordObj*>(word)->text.size());
}

TVM_FFI_STATIC_INIT_BLOCK() {
  namespace attr = ffi::type_attr;
  refl::ObjectDef<WordObj>().def_ro("text", &WordObj::text);
  refl::TypeAttrDef<WordObj>()
      .def(attr::kSEqual.name,
           [](const ffi::Object* a, const ffi::Object* b,
              const ffi::TypedFunction<bool(AnyView, AnyView, int, AnyView)>& part) {
             return part(LengthOf(a), LengthOf(b), 0, "text");
           })
      .def(attr::kSHash.name, [](const ffi::Object* word, int64_t hash,
                                 const ffi::TypedFunction<int64_t(AnyView, int64_t, int)>& part) {
        return part(LengthOf(word), hash, 0);
      });
}

ffi::ObjectRef Word(const char* text) { return ffi::ObjectRef(ffi::make_object<WordObj>(text)); }

}  // namespace

// Tensors are compared and hashed by content, unless it is skipped.
void structural_equality() {
  const ffi::Tensor a = Pair(1, 2), same = Pair(1, 2), other = Pair(1, 3);
  EXPECT(StructuralEqual()(a, same) && !StructuralEqual()(a, other));
  EXPECT(StructuralEqual::Equal(a, other, false, true) && !StructuralEqual::Equal(a, other));
  EXPECT_EQ(StructuralHash()(a), StructuralHash::Hash(same));
  EXPECT(StructuralHash()(a) != StructuralHash()(other));
  EXPECT_EQ(StructuralHash::Hash(a, false, true), StructuralHash::Hash(other, false, true));
  EXPECT(StructuralEqual()(Word("one"), Word("two")) && !StructuralEqual()(Word("one"), Word("1")));
  EXPECT_EQ(StructuralHash()(Word("one")), StructuralHash()(Word("two")));
  EXPECT(StructuralHash()(Word("one")) != StructuralHash()(Word("1")));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_structural_equality, structural_equality);

// The first difference is a path into each value.
void first_mismatch() {
  const Array<Any> x{1, ffi::Map<ffi::String, Any>{{"k", Array<Any>{2, 3}}}};
  const Array<Any> y{1, ffi::Map<ffi::String, Any>{{"k", Array<Any>{2, 4}}}};
  EXPECT(!StructuralEqual::GetFirstMismatch(x, ffi::DeepCopy(x)).has_value());
  const ffi::Optional<refl::AccessPathPair> found = StructuralEqual::GetFirstMismatch(x, y);
  EXPECT(found.has_value());
  const refl::AccessPath expected =
      refl::AccessPath::Root()->ArrayItem(1)->MapItem("k")->ArrayItem(1);
  EXPECT((*found).get<0>()->PathEqual(expected) && (*found).get<1>()->PathEqual(expected));
  const auto shorter = StructuralEqual::GetFirstMismatch(Array<Any>{1}, Array<Any>{1, 2});
  EXPECT((*shorter).get<0>()->PathEqual(refl::AccessPath::Root()->ArrayItemMissing(1)));
  EXPECT((*shorter).get<1>()->PathEqual(refl::AccessPath::Root()->ArrayItem(1)));
  const ffi::Tensor a = Pair(1, 2), other = Pair(1, 3);
  EXPECT(StructuralEqual::GetFirstMismatch(a, other).has_value());
  EXPECT(!StructuralEqual::GetFirstMismatch(a, other, false, true).has_value());
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_first_mismatch, first_mismatch);

// Keys of equal structure are one key, in the containers of both worlds.
void structural_keys() {
  const StructuralKey key(Array<Any>{1, "a"}), same(Array<Any>{1, "a"}), other(Array<Any>{2});
  EXPECT(key == same && key != other && key == key);
  EXPECT_EQ(static_cast<uint64_t>(key->hash_i64), StructuralHash()(key->key));
  EXPECT_EQ(std::hash<StructuralKey>()(key), std::hash<StructuralKey>()(same));
  std::unordered_map<StructuralKey, int> standard{{key, 7}};
  EXPECT_EQ(standard.at(same), 7);
  EXPECT_EQ(standard.count(other), 0u);
  const ffi::Map<Any, Any> ours{{key, 8}};
  EXPECT_EQ(ours.at(same).cast<int>(), 8);
  EXPECT_EQ(ours.count(other), 0u);
  const StructuralKey none{ffi::ObjectPtr<ffi::StructuralKeyObj>(nullptr)};
  EXPECT(none != key && key != none);
  EXPECT_EQ(std::hash<StructuralKey>()(none), 0u);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_structural_keys, structural_keys);
