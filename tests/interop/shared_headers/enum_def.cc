// SPDX-License-Identifier: Apache-2.0
// reflection/enum_def.h: object types with a fixed set of named instances.
#include <tvm/ffi/enum.h>
#include <tvm/ffi/reflection/enum_def.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/tvm_ffi.h>

#include "print.h"

namespace ffi = tvm::ffi;
namespace refl = tvm::ffi::reflection;

class ColorObj : public ffi::EnumObj {
 public:
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("shared_headers.Color", ColorObj, ffi::EnumObj);
};
class LevelObj : public ffi::IntEnumObj {
 public:
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("shared_headers.Level", LevelObj, ffi::IntEnumObj);
};
class UnitObj : public ffi::StrEnumObj {
 public:
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("shared_headers.Unit", UnitObj, ffi::StrEnumObj);
};
constexpr refl::AttrKey<int64_t> kCost{"cost"};

static void Show(int32_t type_index) {
  const refl::TypeAttrColumn column(ffi::type_attr::kEnumState);
  const auto state = *ffi::type_attr::kEnumState.ValueFrom(column[type_index]);
  for (const ffi::ObjectRef& entry : state->entries) {
    const auto* instance = entry.as<ffi::EnumObj>();
    std::cout << instance->_int_index << std::string(instance->_str_index) << " "
              << entry.GetTypeKey() << " ";
  }
  for (const auto& [key, instance] : state->indexes) {
    if (auto number = key.as<int64_t>()) std::cout << *number;
    if (auto name = key.as<ffi::String>()) std::cout << std::string(*name);
    std::cout << "=" << instance.as<ffi::EnumObj>()->_int_index << " ";
  }
  for (const auto& [name, values] : state->attrs) {
    std::cout << std::string(name) << values.size() << " ";
  }
  std::cout << "\n";
}

int main() {
  std::cout << refl::EnumDef<ColorObj>::IsDefined("red") << "\n";
  refl::EnumDef<ColorObj>("red").set_attr("rgb", 0xff0000).set_attr(kCost, 5);
  refl::EnumDef<ColorObj>("green").set_attr("rgb", 1).set_attr("rgb", 0x00ff00);
  refl::EnumDef<LevelObj>("low", 10);
  refl::EnumDef<LevelObj>("below", -3);
  refl::EnumDef<UnitObj>("metre");
  Try("same name", [] { refl::EnumDef<ColorObj>("red"); });
  Try("same name", [] { refl::EnumDef<LevelObj>("low", 11); });
  Try("same number", [] { refl::EnumDef<LevelObj>("high", 10); });
  Show(ColorObj::RuntimeTypeIndex());
  Show(LevelObj::RuntimeTypeIndex());
  Show(UnitObj::RuntimeTypeIndex());
  std::cout << refl::EnumDef<ColorObj>::IsDefined("red") << refl::EnumDef<ColorObj>::IsDefined("x")
            << ffi::EnumObj::_GetByStrIndex<ColorObj>("red").same_as(
                   ffi::EnumObj::_GetByIntIndex(ColorObj::RuntimeTypeIndex(), 0))
            << sizeof(ffi::EnumObj) << sizeof(ffi::EnumStateObj) << ffi::EnumObj::_type_key
            << ffi::IntEnumObj::_type_depth << ffi::StrEnumObj::_type_key << "\n";
  Try("no such name", [] { ffi::EnumObj::_GetByStrIndex<ColorObj>("low"); });
  Try("no such number", [] { ffi::EnumObj::_GetByIntIndex<LevelObj>(0); });
}
