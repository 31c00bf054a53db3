// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/enum.h
 * \brief Base classes of enumerations: object types with a fixed set of named instances.
 */
#ifndef TVM_FFI_ENUM_H_
#define TVM_FFI_ENUM_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/object.h>
#include <tvm/ffi/reflection/accessor.h>
#include <tvm/ffi/reflection/attr_key.h>
#include <tvm/ffi/string.h>

#include <cstdint>
#include <optional>
#include <utility>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

class Enum;

/*! \brief The instances of an enumeration. */
class EnumStateObj : public Object {
 public:
  /*! \brief The instances, in registration order. */
  List<ObjectRef> entries;
  /*! \brief The instances by number and by name. */
  Dict<Any, ObjectRef> indexes;
  /*! \brief Attribute values of the instances, by attribute name. */
  Dict<String, Dict<ObjectRef, Any>> attrs;

  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("ffi.EnumState", EnumStateObj, Object);
};

/*! \brief Handle of the instances of an enumeration. */
class EnumState : public ObjectRef {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(EnumState, ObjectRef, EnumStateObj);
};

namespace type_attr {

/*! \brief The type attribute that holds the instances of an enumeration. */
inline constexpr reflection::AttrKey<EnumState> kEnumState{"__ffi_enum__"};

}  // namespace type_attr

namespace detail {

// The instances of the type with that index, if any.
inline std::optional<EnumState> FindEnumState(int32_t type_index) {
  reflection::EnsureTypeAttrColumn(type_attr::kEnumState);
  const reflection::TypeAttrColumn column(type_attr::kEnumState);
  return type_attr::kEnumState.ValueFrom(column[type_index]);
}

}  // namespace detail

/*!
 * \brief Base of an enumeration's instances, which reflection::EnumDef creates.
 *
 * Instances are compared by address: each exists only once.
 */
class EnumObj : public Object {
 public:
  /*! \brief Number of the instance: in order from 0, or as chosen for an IntEnum. */
  int64_t _int_index = 0;
  /*! \brief Name of the instance. */
  String _str_index;

  EnumObj() = default;
  /*! \brief An instance with that number and name. */
  EnumObj(int64_t int_index, String str_index)
      : _int_index(int_index), _str_index(std::move(str_index)) {}

  /*! \brief The instance with that number; throws a ValueError if there is none. */
  template <typename EnumClsObj>
  static Enum _GetByIntIndex(int64_t index);
  /*! \brief The instance with that name; throws a ValueError if there is none. */
  template <typename EnumClsObj>
  static Enum _GetByStrIndex(const String& index);
  /*! \brief The instance with that number of the type with that index. */
  static Enum _GetByIntIndex(int32_t type_index, int64_t index);
  /*! \brief The instance with that name of the type with that index. */
  static Enum _GetByStrIndex(int32_t type_index, const String& index);

  /*! \brief Instances are compared by address. */
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindUniqueInstance;
  TVM_FFI_DECLARE_OBJECT_INFO("ffi.Enum", EnumObj, Object);

 private:
  template <typename Index>
  static Enum Find(int32_t type_index, const Index& index, const char* quote);
};

/*! \brief Handle of an enumeration's instance. */
class Enum : public ObjectRef {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Enum, ObjectRef, EnumObj);
};

/*! \brief Base of instances with individually chosen numbers. */
class IntEnumObj : public EnumObj {
 public:
  TVM_FFI_DECLARE_OBJECT_INFO("ffi.IntEnum", IntEnumObj, EnumObj);
};
/*! \brief Handle of an instance with a chosen number. */
class IntEnum : public Enum {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(IntEnum, Enum, IntEnumObj);
};

/*! \brief Base of instances whose value is their name. */
class StrEnumObj : public EnumObj {
 public:
  TVM_FFI_DECLARE_OBJECT_INFO("ffi.StrEnum", StrEnumObj, EnumObj);
};
/*! \brief Handle of an instance whose value is its name. */
class StrEnum : public Enum {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(StrEnum, Enum, StrEnumObj);
};

template <typename Index>
Enum EnumObj::Find(int32_t type_index, const Index& index, const char* quote) {
  if (const std::optional<EnumState> state = detail::FindEnumState(type_index)) {
    const Dict<Any, ObjectRef>& indexes = (*state)->indexes;
    const auto found = indexes.find(index);
    if (found != indexes.end()) return Any((*found).second).cast<Enum>();
  }
  TVM_FFI_THROW(ValueError) << Object::TypeIndex2Key(type_index)
                            << ": expected the name or the number of an instance, got " << quote
                            << index << quote;
}
inline Enum EnumObj::_GetByIntIndex(int32_t type_index, int64_t index) {
  return Find(type_index, index, "");
}
inline Enum EnumObj::_GetByStrIndex(int32_t type_index, const String& index) {
  return Find(type_index, index, "\"");
}
template <typename EnumClsObj>
Enum EnumObj::_GetByIntIndex(int64_t index) {
  return _GetByIntIndex(EnumClsObj::RuntimeTypeIndex(), index);
}
template <typename EnumClsObj>
Enum EnumObj::_GetByStrIndex(const String& index) {
  return _GetByStrIndex(EnumClsObj::RuntimeTypeIndex(), index);
}

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_ENUM_H_
