// SPDX-License-Identifier: Apache-2.0
// The types that enumerations derive from.
#include "enum.h"

#include <tvm/ffi/enum.h>
#include <tvm/ffi/reflection/registry.h>

#include <optional>
#include <string>

#include "reflected.h"

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

namespace {

bool Derives(int32_t type_index, int32_t base_index) {
  if (type_index < kTVMFFIDynObjectBegin) return false;
  const TVMFFITypeInfo* type = InfoOf(type_index);
  const TVMFFITypeInfo* base = InfoOf(base_index);
  return type == base ||
         (type->type_depth > base->type_depth && type->type_ancestors[base->type_depth] == base);
}

const EnumObj* InstanceOf(const Any& value) { return static_cast<const EnumObj*>(ObjectOf(value)); }

}  // namespace

bool IsEnum(int32_t type_index) { return Derives(type_index, EnumObj::RuntimeTypeIndex()); }

std::string EnumText(const Any& instance) {
  return TextOf(InfoOf(instance.type_index())->type_key) + "." +
         std::string(InstanceOf(instance)->_str_index);
}

Any EnumIndex(const Any& instance) {
  if (Derives(instance.type_index(), IntEnumObj::RuntimeTypeIndex())) {
    return InstanceOf(instance)->_int_index;
  }
  return InstanceOf(instance)->_str_index;
}

bool FindEnumOfValue(int32_t type_index, const Any& value, Any* out) {
  const bool is_int = value.type_index() == kTVMFFIInt;
  const bool is_text = value.type_index() == kTVMFFISmallStr || value.type_index() == kTVMFFIStr;
  if (!(is_int && Derives(type_index, IntEnumObj::RuntimeTypeIndex())) &&
      !(is_text && Derives(type_index, StrEnumObj::RuntimeTypeIndex()))) {
    return false;
  }
  const std::optional<EnumState> state = detail::FindEnumState(type_index);
  if (!state.has_value()) return false;
  const auto found = (*state)->indexes.find(value);
  if (found == (*state)->indexes.end()) return false;
  *out = (*found).second;
  return true;
}

Any EnumAt(int32_t type_index, const Any& index) {
  if (const auto name = index.try_cast<String>()) return EnumObj::_GetByStrIndex(type_index, *name);
  return EnumObj::_GetByIntIndex(type_index, index.cast<int64_t>());
}

namespace {

void SetTypeAttribute(int32_t type_index, const std::string& name, const Any& value) {
  reflection::detail::SetAttribute(type_index, name.c_str(), value);
}

const bool registered = [] {
  namespace refl = reflection;
  refl::ObjectDef<EnumStateObj>("The instances of an enumeration.", refl::init(false))
      .def_ro("entries", &EnumStateObj::entries, "The instances, as they were registered.")
      .def_ro("indexes", &EnumStateObj::indexes, "The instances by number and by name.")
      .def_ro("attrs", &EnumStateObj::attrs, "Values of attributes, by their names.");
  refl::ObjectDef<EnumObj>("An instance of an enumeration.", refl::init(false))
      .def_ro("_int_index", &EnumObj::_int_index, "Its number.")
      .def_ro("_str_index", &EnumObj::_str_index, "Its name.");
  // The value of an instance is its number or its name, in the same place.
  refl::ObjectDef<IntEnumObj>("An instance whose number is chosen.", refl::init(false))
      .def_ro("value", &EnumObj::_int_index, refl::init(false), "Its number.");
  refl::ObjectDef<StrEnumObj>("An instance whose value is its name.", refl::init(false))
      .def_ro("value", &EnumObj::_str_index, refl::init(false), "Its name.");
  Function::SetGlobal("ffi._SetTypeAttribute",
                      Function::FromTyped(SetTypeAttribute, "ffi._SetTypeAttribute"));
  return true;
}();

}  // namespace
}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm
