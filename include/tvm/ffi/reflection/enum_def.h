// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/reflection/enum_def.h
 * \brief Registers the instances of enumerations.
 */
#ifndef TVM_FFI_REFLECTION_ENUM_DEF_H_
#define TVM_FFI_REFLECTION_ENUM_DEF_H_

#include <tvm/ffi/enum.h>
#include <tvm/ffi/reflection/registry.h>

#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {
namespace reflection {

/*!
 * \brief Registers one instance: `EnumDef<ColorObj>("red").set_attr("rgb", 0xff0000)`.
 *
 * Use it in a TVM_FFI_STATIC_INIT_BLOCK. An instance lasts until the process ends.
 * \tparam EnumClsObj Derived from EnumObj; default-constructible.
 */
template <typename EnumClsObj,
          typename = std::enable_if_t<std::is_base_of<EnumObj, EnumClsObj>::value>>
class EnumDef {
 public:
  /*! \brief Whether the enumeration has an instance with the given name. */
  static bool IsDefined(const String& name) {
    const std::optional<EnumState> state = ffi::detail::FindEnumState(TypeIndex());
    return state.has_value() && (*state)->indexes.count(name) != 0;
  }

  /*! \brief Registers an instance with the next number; throws a ValueError if the name exists. */
  explicit EnumDef(const char* str_index) {
    static_assert(!std::is_base_of<IntEnumObj, EnumClsObj>::value,
                  "an instance of an IntEnum needs a number");
    const EnumState state = State();
    Register(state, static_cast<int64_t>(state->entries.size()), str_index);
  }
  /*! \brief Registers an instance; throws a ValueError if its name or its number is taken. */
  EnumDef(const char* str_index, int64_t int_index) {
    static_assert(std::is_base_of<IntEnumObj, EnumClsObj>::value,
                  "only an instance of an IntEnum chooses its number");
    Register(State(), int_index, str_index);
  }

  /*! \brief Sets an attribute of the instance, replacing any previous value. */
  template <typename T>
  EnumDef& set_attr(const char* attr_name, T value) {
    Dict<String, Dict<ObjectRef, Any>> attrs = State()->attrs;
    const auto found = attrs.find(attr_name);
    Dict<ObjectRef, Any> values;
    if (found != attrs.end()) {
      values = (*found).second;
    } else {
      attrs.Set(attr_name, values);
    }
    values.Set(instance_, std::move(value));
    return *this;
  }
  /*! \brief Sets a typed attribute; `value` is converted to its type. */
  template <typename T, typename Value>
  EnumDef& set_attr(AttrKey<T> key, Value&& value) {
    return set_attr(key.name, T(std::forward<Value>(value)));
  }

 private:
  static int32_t TypeIndex() { return EnumClsObj::RuntimeTypeIndex(); }

  // The state of the type, created if missing.
  static EnumState State() {
    if (std::optional<EnumState> state = ffi::detail::FindEnumState(TypeIndex())) {
      return *std::move(state);
    }
    const EnumState state(make_object<EnumStateObj>());
    detail::SetAttribute(TypeIndex(), type_attr::kEnumState.name, state);
    return state;
  }

  void Register(const EnumState& state, int64_t int_index, const char* str_index) {
    List<ObjectRef> entries = state->entries;
    Dict<Any, ObjectRef> indexes = state->indexes;
    TVM_FFI_CHECK(indexes.count(str_index) == 0, ValueError)
        << EnumClsObj::_type_key << ": expected a new name, got \"" << str_index << "\"";
    TVM_FFI_CHECK(indexes.count(int_index) == 0, ValueError)
        << EnumClsObj::_type_key << ": expected a new number, got " << int_index;
    auto instance = make_object<EnumClsObj>();
    instance->_int_index = int_index;
    instance->_str_index = str_index;
    instance_ = Enum(std::move(instance));
    entries.push_back(instance_);
    indexes.Set(int_index, instance_);
    indexes.Set(str_index, instance_);
  }

  Enum instance_{UnsafeInit{}};
};

}  // namespace reflection
}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_REFLECTION_ENUM_DEF_H_
