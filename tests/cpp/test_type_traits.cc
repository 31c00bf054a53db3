// SPDX-License-Identifier: Apache-2.0
// Rows: R5, R7
// type_traits.h: a library's own types, with bases that published headers have too.
#include <tvm/ffi/base_detail.h>
#include <tvm/ffi/extra/stl.h>
#include <tvm/ffi/reflection/accessor.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/tvm_ffi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "expect.h"

namespace ffi = tvm::ffi;

namespace test_type_traits {

// A number with a unit, stored as a float.
struct Celsius {
  double degrees = 0;
};

// A handle that an int, a bool or a text converts to.
class BoxObj : public ffi::Object {
 public:
  BoxObj(int64_t value, ffi::String made_of) : value(value), made_of(std::move(made_of)) {}
  int64_t value;
  ffi::String made_of;
  TVM_FFI_DECLARE_OBJECT_INFO("test_type_traits.Box", BoxObj, ffi::Object);
};
class Box : public ffi::ObjectRef {
 public:
  Box(int64_t value, ffi::String made_of)
      : Box(ffi::make_object<BoxObj>(value, std::move(made_of))) {}
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Box, ffi::ObjectRef, BoxObj);
};

// A parameter that converts from an int or a text, and is never stored in an Any.
struct Axis {
  int64_t index;
};

class RoomObj : public ffi::Object {
 public:
  Celsius warmth;
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test_type_traits.Room", RoomObj, ffi::Object);
};

}  // namespace test_type_traits

namespace tvm {
namespace ffi {

template <>
struct TypeTraits<test_type_traits::Celsius> : public TypeTraitsBase {
  using Self = test_type_traits::Celsius;
  static constexpr int32_t field_static_type_index = TypeIndex::kTVMFFIFloat;

  TVM_FFI_INLINE static void CopyToAnyView(const Self& src, TVMFFIAny* result) {
    result->type_index = TypeIndex::kTVMFFIFloat;
    result->zero_padding = 0;
    result->v_float64 = src.degrees;
  }
  TVM_FFI_INLINE static void MoveToAny(Self src, TVMFFIAny* result) { CopyToAnyView(src, result); }
  TVM_FFI_INLINE static bool CheckAnyStrict(const TVMFFIAny* src) {
    return src->type_index == TypeIndex::kTVMFFIFloat;
  }
  TVM_FFI_INLINE static Self CopyFromAnyViewAfterCheck(const TVMFFIAny* src) {
    return Self{src->v_float64};
  }
  TVM_FFI_INLINE static Self MoveFromAnyAfterCheck(TVMFFIAny* src) {
    return CopyFromAnyViewAfterCheck(src);
  }
  TVM_FFI_INLINE static std::optional<Self> TryCastFromAnyView(const TVMFFIAny* src) {
    if (std::optional<double> degrees = TypeTraits<double>::TryCastFromAnyView(src)) {
      return Self{*degrees};
    }
    return std::nullopt;
  }
  TVM_FFI_INLINE static std::string TypeStr() { return "Celsius"; }
  TVM_FFI_INLINE static std::string TypeSchema() { return R"({"type":"float"})"; }
};

template <>
inline constexpr bool use_default_type_traits_v<test_type_traits::Box> = false;
template <>
struct TypeTraits<test_type_traits::Box>
    : public ObjectRefWithFallbackTraitsBase<test_type_traits::Box, StrictBool, int64_t, String> {
  using Self = test_type_traits::Box;
  TVM_FFI_INLINE static Self ConvertFallbackValue(StrictBool value) { return Self(value, "bool"); }
  TVM_FFI_INLINE static Self ConvertFallbackValue(int64_t value) { return Self(value, "int"); }
  TVM_FFI_INLINE static Self ConvertFallbackValue(String value) {
    return Self(static_cast<int64_t>(value.size()), value);
  }
};

template <>
struct TypeTraits<test_type_traits::Axis>
    : public FallbackOnlyTraitsBase<test_type_traits::Axis, int64_t, String> {
  using Self = test_type_traits::Axis;
  TVM_FFI_INLINE static Self ConvertFallbackValue(int64_t index) { return Self{index}; }
  TVM_FFI_INLINE static Self ConvertFallbackValue(String name) { return Self{name[0] - 'x'}; }
  TVM_FFI_INLINE static std::string TypeStr() { return "Axis"; }
  TVM_FFI_INLINE static std::string TypeSchema() { return R"({"type":"Axis"})"; }
};

}  // namespace ffi
}  // namespace tvm

using test_type_traits::Axis;
using test_type_traits::Box;
using test_type_traits::Celsius;
using test_type_traits::RoomObj;

// A value type converts to and from values, in functions and containers.
void value_type() {
  ffi::Function warmer = ffi::Function::FromTyped(
      [](Celsius x, double by) { return Celsius{x.degrees + by}; }, "warmer");
  EXPECT_EQ(warmer(Celsius{20.5}, 1).cast<Celsius>().degrees, 21.5);
  EXPECT_EQ(warmer(20, 1).cast<double>(), 21.0);
  EXPECT_THROWS(
      "TypeError: warmer(Celsius, float) -> Celsius: argument 0: expected Celsius, got str",
      warmer("warm", 1));
  ffi::Any owned = Celsius{3};
  EXPECT_EQ(owned.as<Celsius>()->degrees, 3.0);
  EXPECT(!ffi::Any(3).as<Celsius>().has_value());
  ffi::Array<Celsius> week{Celsius{1}, Celsius{2}};
  EXPECT_EQ(week[1].degrees, 2.0);
  EXPECT_EQ(ffi::Optional<Celsius>(Celsius{4}).value().degrees, 4.0);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_value_type, value_type);

// A field of such a type has the type index named by its traits.
void field() {
  ffi::reflection::ObjectDef<RoomObj>().def_rw("warmth", &RoomObj::warmth);
  const TVMFFIFieldInfo* info = ffi::reflection::GetFieldInfo("test_type_traits.Room", "warmth");
  EXPECT_EQ(info->field_static_type_index, int32_t{kTVMFFIFloat});
  ffi::ObjectPtr<RoomObj> room = ffi::make_object<RoomObj>();
  ffi::reflection::FieldSetter("test_type_traits.Room", "warmth")(room, 5);
  EXPECT_EQ(room->warmth.degrees, 5.0);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_field, field);

// A handle accepts its own objects, then the other types in their order.
void handle_with_fallbacks() {
  ffi::Function see = ffi::Function::FromTyped(
      [](Box box) { return ffi::Array<ffi::Any>{box->value, box->made_of}; }, "see");
  struct Case {
    ffi::Any given;
    int64_t value;
    const char* made_of;
  };
  for (const Case& c : {Case{Box(9, "box"), 9, "box"}, Case{true, 1, "bool"}, Case{7, 7, "int"},
                        Case{"abc", 3, "abc"}}) {
    ffi::Array<ffi::Any> seen = see(c.given).cast<ffi::Array<ffi::Any>>();
    EXPECT_EQ(seen[0].cast<int64_t>(), c.value);
    EXPECT_EQ(seen[1].cast<std::string>(), c.made_of);
  }
  EXPECT_THROWS(
      "TypeError: see(test_type_traits.Box) -> Array[Any]: argument 0: expected "
      "test_type_traits.Box, "
      "got float",
      see(1.5));
  EXPECT_THROWS(
      "TypeError: see(test_type_traits.Box) -> Array[Any]: argument 0: expected "
      "test_type_traits.Box, "
      "got None",
      see(nullptr));
  EXPECT(!ffi::Any(7).as<Box>().has_value());
  EXPECT(ffi::Any(Box(1, "")).as<Box>().has_value());
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_handle_with_fallbacks, handle_with_fallbacks);

// A parameter type may convert only from other types.
void fallbacks_only() {
  ffi::Function index = ffi::Function::FromTyped([](Axis axis) { return axis.index; }, "index");
  EXPECT_EQ(index(4).cast<int>(), 4);
  EXPECT_EQ(index(true).cast<int>(), 1);
  EXPECT_EQ(index("z").cast<int>(), 2);
  EXPECT_THROWS("TypeError: index(Axis) -> int: argument 0: expected Axis, got float", index(1.5));
  EXPECT(!ffi::TypeTraits<Axis>::storage_enabled);
  EXPECT(ffi::TypeTraits<Axis>::convert_enabled);
  EXPECT(!ffi::TypeTraits<Axis*>::convert_enabled);
  EXPECT(!ffi::TypeTraits<Axis*>::storage_enabled);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_fallbacks_only, fallbacks_only);

// A strict bool rejects an int.
void strict_bool() {
  EXPECT(static_cast<bool>(*ffi::Any(true).try_cast<ffi::StrictBool>()));
  EXPECT(!ffi::Any(1).try_cast<ffi::StrictBool>().has_value());
  EXPECT_EQ(ffi::Any(ffi::StrictBool(false)).cast<bool>(), false);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_strict_bool, strict_bool);

// Moving out of an owned value leaves None, and no reference.
void moved_out() {
  ffi::Shape shape{2, 3};
  TVMFFIAny raw = ffi::Any(shape).MoveToTVMFFIAny();
  EXPECT_EQ(shape.use_count(), 2);
  ffi::Shape moved = ffi::TypeTraits<ffi::Shape>::MoveFromAnyAfterCheck(&raw);
  EXPECT_EQ(shape.use_count(), 2);
  EXPECT_EQ(raw.type_index, int32_t{kTVMFFINone});
  const std::string text = "longer than what is kept in place";
  raw = ffi::Any(text).MoveToTVMFFIAny();
  EXPECT_EQ(ffi::TypeTraits<ffi::String>::MoveFromAnyAfterCheck(&raw), text);
  raw = ffi::Any(text).MoveToTVMFFIAny();
  EXPECT_EQ(ffi::TypeTraits<std::string>::MoveFromAnyAfterCheck(&raw), text);
  raw = ffi::Any(text).MoveToTVMFFIAny();
  ffi::Any any = ffi::TypeTraits<ffi::Any>::MoveFromAnyAfterCheck(&raw);
  EXPECT_EQ(any.cast<std::string>(), text);
  raw = ffi::Any(ffi::Bytes("ab", 2)).MoveToTVMFFIAny();
  EXPECT_EQ(ffi::TypeTraits<ffi::Bytes>::MoveFromAnyAfterCheck(&raw).size(), 2u);
  raw = ffi::Any(5).MoveToTVMFFIAny();
  EXPECT_EQ(ffi::TypeTraits<int>::MoveFromAnyAfterCheck(&raw), 5);
  using Either = ffi::Variant<int, ffi::Shape>;
  raw = ffi::Any(shape).MoveToTVMFFIAny();
  EXPECT(ffi::TypeTraits<Either>::MoveFromAnyAfterCheck(&raw).get<ffi::Shape>().same_as(shape));
  raw = ffi::Any(shape).MoveToTVMFFIAny();
  using Maybe = ffi::Optional<ffi::Shape>;
  EXPECT(ffi::TypeTraits<Maybe>::MoveFromAnyAfterCheck(&raw).value().same_as(shape));
  EXPECT_EQ(shape.use_count(), 2);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_moved_out, moved_out);

// Each parameter type has a name in messages, and a JSON text for stubs.
void names_and_schemas() {
  const auto check = [](const std::string& name, const std::string& schema, const char* expected,
                        const char* type) {
    EXPECT_EQ(name, std::string(expected));
    EXPECT_EQ(schema, std::string("{\"type\":\"") + type + "\"}");
  };
#define CHECK_NAMES(T, expected, type) \
  check(ffi::TypeTraits<T>::TypeStr(), ffi::TypeTraits<T>::TypeSchema(), expected, type)
  CHECK_NAMES(std::nullptr_t, "None", "None");
  CHECK_NAMES(bool, "bool", "bool");
  CHECK_NAMES(void*, "void*", "void*");
  CHECK_NAMES(ffi::AnyView, "Any", "Any");
  CHECK_NAMES(ffi::Bytes, "bytes", "ffi.Bytes");
  CHECK_NAMES(DLTensor*, "Tensor", "DLTensor*");
  CHECK_NAMES(ffi::TensorView, "Tensor", "DLTensor*");
  CHECK_NAMES(ffi::ObjectPtr<test_type_traits::BoxObj>, "test_type_traits.Box",
              "test_type_traits.Box");
#undef CHECK_NAMES
  EXPECT_EQ(ffi::TypeTraits<std::function<void(bool)>>::TypeSchema(),
            std::string(R"({"type":"std::function","named_args":{"return":[{"type":"None"}],)"
                        R"("params":[{"type":"bool"}]}})"));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_names_and_schemas, names_and_schemas);

// An owner of an object can be a parameter, and takes over the reference of a moved Any.
void owners() {
  const ffi::Function value = ffi::Function::FromTyped(
      [](const ffi::ObjectPtr<test_type_traits::BoxObj>& box) {
        return box == nullptr ? -1 : box->value;
      },
      "value");
  EXPECT_EQ(value(Box(3, "int")).cast<int64_t>(), 3);
  EXPECT_EQ(value(nullptr).cast<int64_t>(), -1);
  EXPECT_THROWS_WITH("TypeError: value(test_type_traits.Box) -> int: argument 0: expected ",
                     value(1.5));
  using Owner = ffi::ObjectPtr<test_type_traits::BoxObj>;
  TVMFFIAny raw = ffi::Any(Box(4, "int")).MoveToTVMFFIAny();
  const Owner owner = ffi::TypeTraits<Owner>::MoveFromAnyAfterCheck(&raw);
  EXPECT_EQ(owner.use_count(), 1);
  EXPECT_EQ(raw.type_index, int32_t{kTVMFFINone});
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_owners, owners);

// None can be a parameter type; a message describes an address by its type.
void none_and_addresses() {
  const ffi::Function none = ffi::Function::FromTyped([](std::nullptr_t) { return 1; }, "none");
  EXPECT_EQ(none(nullptr).cast<int>(), 1);
  int anywhere = 0;
  EXPECT_THROWS("TypeError: none(None) -> int of 32 bits: argument 0: expected None, got void*",
                none(static_cast<void*>(&anywhere)));
  EXPECT(ffi::Any().cast<std::nullptr_t>() == nullptr);
  EXPECT(!ffi::Any(0).as<std::nullptr_t>().has_value());
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_none_and_addresses, none_and_addresses);

// Generic code lends an Any and a view of one like any other value.
void lent_values() {
  const ffi::Any owned = Box(5, "int");
  const ffi::AnyView view = owned;
  for (int i = 0; i < 2; ++i) {
    TVMFFIAny out;
    if (i == 0) {
      ffi::TypeTraits<ffi::Any>::CopyToAnyView(owned, &out);
    } else {
      ffi::TypeTraits<ffi::AnyView>::CopyToAnyView(view, &out);
    }
    EXPECT(out.v_obj == owned.CopyToTVMFFIAny().v_obj && out.type_index == owned.type_index());
  }
  EXPECT_EQ(owned.cast<Box>().use_count(), 2);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_lent_values, lent_values);
