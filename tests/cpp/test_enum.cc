// SPDX-License-Identifier: Apache-2.0
// Rows: R5, R7
// enum.h and reflection/enum_def.h: object types with a fixed set of named instances.
#include <tvm/ffi/enum.h>
#include <tvm/ffi/reflection/enum_def.h>
#include <tvm/ffi/tvm_ffi.h>

#include <cstddef>
#include <string>
#include <type_traits>

#include "expect.h"

namespace ffi = tvm::ffi;
namespace refl = tvm::ffi::reflection;

namespace {

class ColorObj : public ffi::EnumObj {
 public:
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test_enum.Color", ColorObj, ffi::EnumObj);
};
class LevelObj : public ffi::IntEnumObj {
 public:
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test_enum.Level", LevelObj, ffi::IntEnumObj);
};
class UnitObj : public ffi::StrEnumObj {
 public:
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test_enum.Unit", UnitObj, ffi::StrEnumObj);
};
class EmptyObj : public ffi::EnumObj {
 public:
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test_enum.Empty", EmptyObj, ffi::EnumObj);
};

constexpr refl::AttrKey<double> kCost{"cost"};

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::EnumDef<ColorObj>("red").set_attr("rgb", 0xff0000).set_attr(kCost, 5);
  refl::EnumDef<ColorObj>("green").set_attr("rgb", 1).set_attr("rgb", 0x00ff00);
  refl::EnumDef<LevelObj>("low", 10);
  refl::EnumDef<LevelObj>("below", -3);
  refl::EnumDef<UnitObj>("metre");
}

// Same as in the published headers, so that instances can cross between libraries.
static_assert(sizeof(ffi::EnumObj) == 48 && sizeof(ffi::EnumStateObj) == 48, "");
static_assert(!std::is_default_constructible<ffi::Enum>::value, "");
static_assert(std::is_convertible<ffi::IntEnum, ffi::Enum>::value, "");

template <typename Class>
ffi::EnumState State() {
  const refl::TypeAttrColumn column(ffi::type_attr::kEnumState);
  return *ffi::type_attr::kEnumState.ValueFrom(column[Class::RuntimeTypeIndex()]);
}

template <typename Class>
std::string Text() {
  std::string text;
  for (const ffi::ObjectRef& entry : State<Class>()->entries) {
    const auto* instance = entry.as<ffi::EnumObj>();
    ((text += std::to_string(instance->_int_index)) += ' ') += std::string(instance->_str_index);
    text += entry.as<Class>() != nullptr ? ";" : "?";
  }
  return text;
}

}  // namespace

// Instances are numbered in order, or as an IntEnum specifies.
void instances() {
  EXPECT_EQ(Text<ColorObj>(), "0 red;1 green;");
  EXPECT_EQ(Text<LevelObj>(), "10 low;-3 below;");
  EXPECT_EQ(Text<UnitObj>(), "0 metre;");
  EXPECT_EQ(State<ColorObj>()->indexes.size(), 4u);
  EXPECT_EQ(ffi::EnumObj(4, "x")._int_index, 4);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_instances, instances);

// Each name has one instance, which is also found by its number.
void found() {
  const ffi::Enum red = ffi::EnumObj::_GetByStrIndex<ColorObj>("red");
  EXPECT_EQ(std::string(red->_str_index), "red");
  EXPECT(red.same_as(ffi::EnumObj::_GetByIntIndex<ColorObj>(0)));
  EXPECT(red.same_as(ffi::EnumObj::_GetByStrIndex(ColorObj::RuntimeTypeIndex(), "red")));
  EXPECT_EQ(ffi::EnumObj::_GetByIntIndex(LevelObj::RuntimeTypeIndex(), -3)->_str_index, "below");
  EXPECT(refl::EnumDef<ColorObj>::IsDefined("red"));
  EXPECT(!refl::EnumDef<ColorObj>::IsDefined("low"));
  EXPECT(!refl::EnumDef<EmptyObj>::IsDefined("red"));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_found, found);

// A missing name or number is a ValueError that names the type.
void not_found() {
  EXPECT_THROWS(
      "ValueError: test_enum.Color: expected the name or the number of an instance, got \"low\"",
      ffi::EnumObj::_GetByStrIndex<ColorObj>("low"));
  EXPECT_THROWS(
      "ValueError: test_enum.Level: expected the name or the number of an instance, got 0",
      ffi::EnumObj::_GetByIntIndex<LevelObj>(0));
  EXPECT_THROWS(
      "ValueError: test_enum.Empty: expected the name or the number of an instance, got 0",
      ffi::EnumObj::_GetByIntIndex<EmptyObj>(0));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_not_found, not_found);

// A name or number already in use is rejected, and the instances stay unchanged.
void taken() {
  EXPECT_THROWS("ValueError: test_enum.Color: expected a new name, got \"red\"",
                refl::EnumDef<ColorObj>("red"));
  EXPECT_THROWS("ValueError: test_enum.Level: expected a new name, got \"low\"",
                refl::EnumDef<LevelObj>("low", 11));
  EXPECT_THROWS("ValueError: test_enum.Level: expected a new number, got 10",
                refl::EnumDef<LevelObj>("high", 10));
  EXPECT_EQ(Text<ColorObj>(), "0 red;1 green;");
  EXPECT_EQ(Text<LevelObj>(), "10 low;-3 below;");
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_taken, taken);

// Attributes belong to an instance; a typed key converts the value.
void attributes() {
  const auto attrs = State<ColorObj>()->attrs;
  const ffi::Enum red = ffi::EnumObj::_GetByStrIndex<ColorObj>("red");
  const ffi::Enum green = ffi::EnumObj::_GetByStrIndex<ColorObj>("green");
  EXPECT_EQ(attrs.size(), 2u);
  EXPECT_EQ(attrs.at("rgb").at(red).cast<int64_t>(), 0xff0000);
  EXPECT_EQ(attrs.at("rgb").at(green).cast<int64_t>(), 0x00ff00);
  EXPECT_EQ(*attrs.at("cost").at(red).as<double>(), 5.0);
  EXPECT_EQ(attrs.at("cost").count(green), 0u);
  EXPECT_EQ(State<UnitObj>()->attrs.size(), 0u);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_attributes, attributes);
