// SPDX-License-Identifier: Apache-2.0
// Rows: R5, R7
// reflection/attr_key.h: type attributes with values of one type, and conversions.
#include <tvm/ffi/reflection/overload.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/tvm_ffi.h>

#include "expect.h"

namespace ffi = tvm::ffi;
namespace refl = tvm::ffi::reflection;
namespace type_attr = tvm::ffi::type_attr;

namespace {

class CostObj : public ffi::Object {
 public:
  int64_t cost = 0;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test_attr_key.Cost", CostObj, ffi::Object);
};
class Cost : public ffi::ObjectRef {
 public:
  explicit Cost(int64_t cost) {
    auto object = ffi::make_object<CostObj>();
    object->cost = cost;
    data_ = object;
  }
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Cost, ffi::ObjectRef, CostObj);
};
class OtherObj : public ffi::Object {
 public:
  int64_t Twice(int64_t x) const { return 2 * x; }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test_attr_key.Other", OtherObj, ffi::Object);
};

constexpr refl::AttrKey<int64_t> kSize{"test_attr_key.size"};
constexpr refl::AttrKey<ffi::String> kText{"test_attr_key.text"};
constexpr refl::AttrKey<ffi::TypedFunction<int64_t(int64_t)>> kNext{"test_attr_key.next"};
constexpr refl::AttrKey<ffi::Any> kAny{"test_attr_key.any"};

template <typename Class, typename T>
std::optional<T> Find(refl::AttrKey<T> key) {
  return key.ValueFrom(refl::TypeAttrColumn(key)[Class::RuntimeTypeIndex()]);
}

}  // namespace

// A Cost can also be created from an int.
template <>
[[maybe_unused]] inline constexpr bool tvm::ffi::use_default_type_traits_v<Cost> = false;
template <>
struct tvm::ffi::TypeTraits<Cost> : public ObjectRefWithFallbackTraitsBase<Cost, int64_t> {
  static Cost ConvertFallbackValue(int64_t cost) { return Cost(cost); }
};

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::EnsureTypeAttrColumn(kText);
  refl::TypeAttrDef<CostObj>().attr(kSize, 4).attr(kNext, [](int64_t x) { return x + 1; });
  refl::ObjectDef<CostObj>()
      .def_ro("cost", &CostObj::cost)
      .def_type_attr("test_attr_key.any", "text")
      .def_type_attr("test_attr_key.more", [](int64_t x) { return x + 2; })
      .def_convert<Cost>();
  refl::OverloadObjectDef<OtherObj>()
      .def_type_attr("test_attr_key.any", 7)
      .def_type_attr("test_attr_key.more", &OtherObj::Twice);
}

// A value is returned as the key's type; a type without one returns none.
void found() {
  EXPECT_EQ(*Find<CostObj>(kSize), 4);
  EXPECT(!Find<OtherObj>(kSize).has_value());
  EXPECT(!Find<CostObj>(kText).has_value());
  EXPECT_EQ((*Find<CostObj>(kNext))(3), 4);
  EXPECT_EQ(Find<OtherObj>(kAny)->cast<int64_t>(), 7);
  EXPECT_THROWS(
      "RuntimeError: TypeAttrColumn: expected the name of an attribute, got \"test_attr_key.none\"",
      refl::TypeAttrColumn(refl::AttrKey<bool>{"test_attr_key.none"}));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_found, found);

// None is no value; another type is an error, even if it converts.
void values() {
  EXPECT(!kSize.ValueFrom(nullptr).has_value());
  EXPECT_EQ(*kText.ValueFrom("text"), "text");
  EXPECT_THROWS("TypeError: AttrKey::ValueFrom: test_attr_key.size: expected int, got str",
                kSize.ValueFrom("text"));
  EXPECT_THROWS("TypeError: AttrKey::ValueFrom: x: expected float, got int",
                refl::AttrKey<double>{"x"}.ValueFrom(3));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_values, values);

// A registration also sets attributes: values and functions, with a method's object first.
void of_registrations() {
  EXPECT_EQ(Find<CostObj>(kAny)->cast<ffi::String>(), "text");
  const refl::TypeAttrColumn more("test_attr_key.more");
  const auto plus = more[CostObj::RuntimeTypeIndex()].cast<ffi::Function>();
  EXPECT_EQ(plus(1).cast<int64_t>(), 3);
  const auto twice = more[OtherObj::RuntimeTypeIndex()].cast<ffi::Function>();
  EXPECT_EQ(twice(ffi::make_object<OtherObj>(), 4).cast<int64_t>(), 8);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_of_registrations, of_registrations);

// A type's conversion creates a handle from any value that a parameter of the type accepts.
void converted() {
  const auto convert = *Find<CostObj>(type_attr::kConvert);
  EXPECT_EQ(convert(5).cast<Cost>()->cost, 5);
  const Cost cost(6);
  EXPECT(convert(cost).cast<Cost>().same_as(cost));
  EXPECT(convert(nullptr) == nullptr);
  EXPECT_THROWS_WITH("TypeError: __ffi_convert__(", convert("text"));
  EXPECT(!Find<OtherObj>(type_attr::kConvert).has_value());
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_converted, converted);

// The attributes set by every registration have keys.
void known() {
  EXPECT(*Find<CostObj>(type_attr::kTypeFinal));
  const ffi::ObjectRef made = (*Find<CostObj>(type_attr::kNew))();
  EXPECT_EQ(made.as<CostObj>()->cost, 0);
  const Cost cost(6);
  const ffi::ObjectRef copy = (*Find<CostObj>(type_attr::kShallowCopy))(cost.get());
  EXPECT_EQ(copy.as<CostObj>()->cost, 6);
  EXPECT(!copy.same_as(cost));
  EXPECT_EQ((*Find<CostObj>(type_attr::kInit))(7).cast<Cost>()->cost, 7);
  EXPECT_EQ(std::string(type_attr::kConvertTypeSchema.name), "__ffi_convert_type_schema__");
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_known, known);
