// SPDX-License-Identifier: Apache-2.0
// The base types of enumerations.
#include "enum.h"

#include <tvm/ffi/enum.h>
#include <tvm/ffi/reflection/registry.h>

#include <optional>
#include <string>

#include "plain_type.h"
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

namespace {

bool Find(int32_t type_index, const Any& index, Any* out) {
  const std::optional<EnumState> state = detail::FindEnumState(type_index);
  if (!state.has_value()) return false;
  const auto found = (*state)->indexes.find(index);
  if (found == (*state)->indexes.end()) return false;
  *out = (*found).second;
  return true;
}

}  // namespace

bool FindEnumOfValue(int32_t type_index, const Any& value, Any* out) {
  const bool is_int = value.type_index() == kTVMFFIInt;
  const bool is_text = value.type_index() == kTVMFFISmallStr || value.type_index() == kTVMFFIStr;
  return ((is_int && Derives(type_index, IntEnumObj::RuntimeTypeIndex())) ||
          (is_text && Derives(type_index, StrEnumObj::RuntimeTypeIndex()))) &&
         Find(type_index, value, out);
}

Any EnumAt(int32_t type_index, const Any& index) {
  Any found;
  TVM_FFI_CHECK(Find(type_index, index, &found), ValueError)
      << TextOf(InfoOf(type_index)->type_key)
      << ": expected the name or the number of an instance, got neither";
  return found;
}

namespace {

// Takes a type index, an attribute name and a value.
void SetTypeAttribute(PackedArgs args, Any* /*result*/) {
  constexpr int32_t kExpected = 3;
  TVM_FFI_CHECK(args.size() == kExpected, TypeError)
      << "ffi._SetTypeAttribute: expected " << kExpected << " arguments, got " << args.size();
  const auto name = args[1].cast<String>();
  reflection::detail::SetAttribute(args[0].cast<int32_t>(), name.c_str(), Any(args[2]));
}

static_assert(sizeof(EnumObj) == 48 && sizeof(EnumStateObj) == 48, "offsets of fields are below");
constexpr int64_t kFirst = 24;
constexpr int64_t kSecond = 32;
constexpr int64_t kThird = 40;

PlainField Number(const char* name, int64_t flags) {
  PlainField field = PlainFieldOf<int64_t>(name, "Its number.", kFirst, "int",
                                           reflection::detail::SetField<int64_t>);
  field.flags = flags;
  return field;
}
PlainField Name(const char* name, int64_t flags) {
  PlainField field = PlainFieldOf<String>(name, "Its name.", kSecond, "ffi.String",
                                          reflection::detail::SetField<String>);
  field.flags = flags;
  return field;
}

const bool registered = [] {
  RegisterPlainType(EnumStateObj::RuntimeTypeIndex(), "The instances of an enumeration.",
                    sizeof(EnumStateObj), kTVMFFISEqHashKindUnsupported,
                    reflection::detail::CreateObject<EnumStateObj>,
                    {PlainFieldOf<ObjectRef>("entries", "The instances, as they were registered.",
                                             kFirst, "ffi.List"),
                     PlainFieldOf<ObjectRef>("indexes", "The instances by number and by name.",
                                             kSecond, "ffi.Dict"),
                     PlainFieldOf<ObjectRef>("attrs", "Values of attributes, by their names.",
                                             kThird, "ffi.Dict")});
  constexpr TVMFFISEqHashKind kOnce = kTVMFFISEqHashKindUniqueInstance;
  RegisterPlainType(EnumObj::RuntimeTypeIndex(), "An instance of an enumeration.", sizeof(EnumObj),
                    kOnce, nullptr, {Number("_int_index", 0), Name("_str_index", 0)});
  // The value of an instance is its number or its name, at the same offset.
  RegisterPlainType(IntEnumObj::RuntimeTypeIndex(), "An instance whose number is chosen.",
                    sizeof(EnumObj), kOnce, nullptr,
                    {Number("value", kTVMFFIFieldFlagBitMaskInitOff)});
  RegisterPlainType(StrEnumObj::RuntimeTypeIndex(), "An instance whose value is its name.",
                    sizeof(EnumObj), kOnce, nullptr,
                    {Name("value", kTVMFFIFieldFlagBitMaskInitOff)});
  Function::SetGlobal("ffi._SetTypeAttribute", Function::FromPacked(SetTypeAttribute));
  return true;
}();

}  // namespace
}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm
