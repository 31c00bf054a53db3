// SPDX-License-Identifier: Apache-2.0
// Rows: R7
// any_hash.h: which values are the same key, and what their hashes are.
#include <tvm/ffi/any_hash.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/tvm_ffi.h>

#include <cmath>
#include <string>
#include <vector>

#include "expect.h"

namespace ffi = tvm::ffi;

ffi::Any BigInt(int64_t low, int64_t high) {
  const int64_t words[] = {low, high};
  const TVMFFIByteArray bytes{reinterpret_cast<const char*>(words), sizeof(words)};
  TVMFFIAny value{};
  TVM_FFI_CHECK_SAFE_CALL(TVMFFIBigIntFromByteArray(&bytes, &value));
  return ffi::Any::MoveFromTVMFFIAny(value);
}

// Hashes computed by the published runtime and visible to other code: part of the layout.
void known_hashes() {
  const ffi::AnyHash hash;
  EXPECT_EQ(hash(nullptr), 2654435769u);
  EXPECT_EQ(hash(ffi::String("a")), 0x9e378a2bu);
  EXPECT_EQ(hash(ffi::String("abcdefgh")), 0xd369b977u);
  EXPECT_EQ(hash(ffi::String("abcdefghi")), 0xe6dc0edfu);
  EXPECT_EQ(hash(1), 1u ^ (1u + 0x9e3779b9u + 64u));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_known_hashes, known_hashes);

// Values of different types, or with different bits, are different keys.
void different_keys() {
  const std::vector<ffi::Any> keys = {
      nullptr,
      true,
      false,
      0,
      1,
      0.0,
      -0.0,
      1.0,
      std::nan(""),
      ffi::String("abc"),
      ffi::Bytes("abc"),
      ffi::String("a longer text"),
      ffi::Bytes("a longer text"),
      ffi::String(""),
      ffi::String(std::string(1, '\0')),
      ffi::Shape({1}),
      ffi::Shape({1}),
      DLDevice{kDLCPU, 0},
      DLDevice{kDLCUDA, 0},
      DLDataType{kDLFloat, 32, 1},
      DLDataType{kDLFloat, 32, 2},
      reinterpret_cast<void*>(8),
      BigInt(0, 1),
      BigInt(1, 1),
      BigInt(0, -2),
  };
  for (size_t i = 0; i < keys.size(); ++i) {
    for (size_t j = 0; j < keys.size(); ++j) {
      EXPECT_EQ(ffi::AnyEqual()(keys[i], keys[j]), i == j) << i << " " << j;
    }
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_different_keys, different_keys);

// Equal contents are one key with one hash, in any form.
void equal_keys() {
  // A short text in an object, as other code may create it.
  TVMFFIAny heap = ffi::Any(ffi::String("12345678")).MoveToTVMFFIAny();
  auto* bytes = reinterpret_cast<TVMFFIByteArray*>(heap.v_obj + 1);
  bytes->size = 3;
  const std::vector<std::pair<ffi::Any, ffi::Any>> pairs = {
      {ffi::Any::MoveFromTVMFFIAny(heap), ffi::String("123")},
      {ffi::String("a longer text"), ffi::String("a longer text")},
      {ffi::Bytes("a longer text"), ffi::Bytes("a longer text")},
      {BigInt(5, 6), BigInt(5, 6)},
      {std::nan(""), std::nan("")},
  };
  for (const auto& pair : pairs) {
    EXPECT(ffi::AnyEqual()(pair.first, pair.second));
    EXPECT_EQ(ffi::AnyHash()(pair.first), ffi::AnyHash()(pair.second));
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_equal_keys, equal_keys);

namespace {

class NumberObj : public ffi::Object {
 public:
  explicit NumberObj(int64_t value) : value(value) {}
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test_any_hash.Number", NumberObj, ffi::Object);

  int64_t value;
};

class Number : public ffi::ObjectRef {
 public:
  explicit Number(int64_t value) : Number(ffi::make_object<NumberObj>(value)) {}
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Number, ffi::ObjectRef, NumberObj);
};

int64_t ValueOf(const TVMFFIAny* any) { return reinterpret_cast<NumberObj*>(any->v_obj)->value; }

TVMFFIAny HashNumber(const TVMFFIAny* any) {
  // Negative numbers fail, as a user's function may.
  if (ValueOf(any) < 0) return ffi::Any(ffi::Error("ValueError", "negative", "")).MoveToTVMFFIAny();
  return ffi::Any(ValueOf(any) % 10).MoveToTVMFFIAny();
}

TVMFFIAny EqualNumbers(const TVMFFIAny* a, const TVMFFIAny* b) {
  return ffi::Any(ValueOf(a) == ValueOf(b)).MoveToTVMFFIAny();
}

void SetAttribute(const char* name, void* function) {
  const TVMFFIByteArray key{name, std::string(name).size()};
  const TVMFFIAny value = ffi::AnyView(function).CopyToTVMFFIAny();
  TVM_FFI_CHECK_SAFE_CALL(TVMFFITypeRegisterAttr(NumberObj::RuntimeTypeIndex(), &key, &value));
}

}  // namespace

// A type may provide its own hash and equality; exceptions from them pass through.
void own_hash() {
  const ffi::Any three = Number(3), other_three = Number(3), thirteen = Number(13);
  EXPECT(!ffi::AnyEqual()(three, other_three));
  SetAttribute("__any_hash__", reinterpret_cast<void*>(HashNumber));
  SetAttribute("__any_equal__", reinterpret_cast<void*>(EqualNumbers));
  EXPECT(ffi::AnyEqual()(three, other_three));
  EXPECT(!ffi::AnyEqual()(three, thirteen));
  EXPECT(!ffi::AnyEqual()(three, 3));
  EXPECT_EQ(ffi::AnyHash()(three), ffi::AnyHash()(thirteen));
  EXPECT_THROWS("ValueError: negative", ffi::AnyHash()(Number(-1)));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_own_hash, own_hash);

namespace {

class LabelObj : public ffi::Object {
 public:
  explicit LabelObj(int64_t value) : value(value) {}
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test_any_hash.Label", LabelObj, ffi::Object);

  int64_t value;
};

class Label : public ffi::ObjectRef {
 public:
  explicit Label(int64_t value) : Label(ffi::make_object<LabelObj>(value)) {}
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Label, ffi::ObjectRef, LabelObj);
};

}  // namespace

// They may also be Functions, as in the published runtime, with the same hashes.
void own_hash_by_functions() {
  ffi::reflection::TypeAttrDef<LabelObj>()
      .def("__any_hash__",
           [](const LabelObj* label) {
             TVM_FFI_CHECK(label->value != -1, ValueError) << "no hash";
             return label->value;
           })
      .def("__any_equal__",
           [](const LabelObj* a, const LabelObj* b) { return a->value == b->value; });
  const ffi::Any seven = Label(7), other_seven = Label(7), eight = Label(8);
  EXPECT(ffi::AnyEqual()(seven, other_seven) && !ffi::AnyEqual()(seven, eight));
  const auto type = static_cast<uint64_t>(seven.type_index());
  EXPECT_EQ(ffi::AnyHash()(seven), type ^ (7 + 0x9e3779b9u + (type << 6) + (type >> 2)));
  EXPECT_THROWS("ValueError: no hash", ffi::AnyHash()(Label(-1)));
  ffi::Map<Label, int> map;
  for (int i = 0; i < 100; ++i) map.Set(Label(i % 50), i);
  EXPECT_EQ(map.size(), 50u);
  EXPECT_EQ(map.at(Label(49)), 99);
  EXPECT_THROWS("ValueError: no hash", map.Set(Label(-1), 0));
  EXPECT_EQ(map.size(), 50u);
  ffi::reflection::TypeAttrDef<LabelObj>().def("__any_hash__",
                                               [](const LabelObj*) { return "text"; });
  EXPECT_THROWS_WITH("TypeError: __any_hash__, __any_equal__: expected an int or a bool, got str",
                     ffi::AnyHash()(seven));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_own_hash_by_functions, own_hash_by_functions);
