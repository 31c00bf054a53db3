// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/reflection/attr_key.h
 * \brief Names of attributes of types, with the type of their values.
 */
#ifndef TVM_FFI_REFLECTION_ATTR_KEY_H_
#define TVM_FFI_REFLECTION_ATTR_KEY_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/string.h>

#include <optional>
#include <type_traits>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {
namespace reflection {

/*!
 * \brief The name of an attribute whose values are of one type.
 *
 * `constexpr AttrKey<int64_t> kCost{"my_library.cost"}` is set by
 * `TypeAttrDef<Class>().attr(kCost, 3)` and read by
 * `kCost.ValueFrom(TypeAttrColumn(kCost)[type_index])`.
 */
template <typename T>
struct AttrKey {
  /*! \brief Type of the values. */
  using ValueType = T;

  /*! \brief The attribute's name, which lives as long as the key. */
  const char* name;

  /*! \brief The value that an attribute has, nothing for None; a TypeError if it is no T. */
  std::optional<T> ValueFrom(AnyView value) const {
    if (value == nullptr) return std::nullopt;
    if constexpr (std::is_same<T, Any>::value) {
      return Any(value);
    } else {
      std::optional<T> found = Any(value).as<T>();  // owned, as a type keeps it
      TVM_FFI_CHECK(found.has_value(), TypeError)
          << "AttrKey::ValueFrom: " << name << ": expected " << TypeTraits<T>::TypeStr() << ", got "
          << value.GetTypeKey();
      return found;
    }
  }
};

}  // namespace reflection

/*! \brief Attributes that the runtime and its languages give a meaning. */
namespace type_attr {

/*! \brief Makes an object whose fields are as its constructor without arguments leaves them. */
inline constexpr reflection::AttrKey<TypedFunction<ObjectRef()>> kNew{"__ffi_new__"};
/*! \brief The constructor that other languages call. */
inline constexpr reflection::AttrKey<Function> kInit{"__ffi_init__"};
/*! \brief Makes an object of the type, or a handle of one, of a value that converts. */
inline constexpr reflection::AttrKey<TypedFunction<Any(AnyView)>> kConvert{"__ffi_convert__"};
/*! \brief What kConvert takes, as a JSON text of types. */
inline constexpr reflection::AttrKey<Any> kConvertTypeSchema{"__ffi_convert_type_schema__"};
/*! \brief Copies an object; the copy shares what the fields point to. */
inline constexpr reflection::AttrKey<TypedFunction<ObjectRef(const Object*)>> kShallowCopy{
    "__ffi_shallow_copy__"};
/*! \brief Whether no other type derives from the type. */
inline constexpr reflection::AttrKey<bool> kTypeFinal{"__ffi_type_final__"};

}  // namespace type_attr
}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_REFLECTION_ATTR_KEY_H_
