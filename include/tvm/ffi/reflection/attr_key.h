// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/reflection/attr_key.h
 * \brief Names of type attributes, with the types of their values.
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
 * \brief The name of a type attribute and the type of its values.
 *
 * `constexpr AttrKey<int64_t> kCost{"my_library.cost"}` is set by
 * `TypeAttrDef<Class>().attr(kCost, 3)` and read by
 * `kCost.ValueFrom(TypeAttrColumn(kCost)[type_index])`.
 */
template <typename T>
struct AttrKey {
  /*! \brief Type of the values. */
  using ValueType = T;

  /*! \brief The attribute's name, which must live as long as the key. */
  const char* name;

  /*! \brief The value of an attribute, empty for None; throws a TypeError if it is not a T. */
  std::optional<T> ValueFrom(AnyView value) const {
    if (value == nullptr) return std::nullopt;
    if constexpr (std::is_same<T, Any>::value) {
      return Any(value);
    } else {
      std::optional<T> found = Any(value).as<T>();  // owned, as stored in the type
      TVM_FFI_CHECK(found.has_value(), TypeError)
          << "AttrKey::ValueFrom: " << name << ": expected " << TypeTraits<T>::TypeStr() << ", got "
          << value.GetTypeKey();
      return found;
    }
  }
};

}  // namespace reflection

/*! \brief Attributes that the runtime and its language bindings use. */
namespace type_attr {

/*! \brief Creates an object as its default constructor does. */
inline constexpr reflection::AttrKey<TypedFunction<ObjectRef()>> kNew{"__ffi_new__"};
/*! \brief The constructor that other languages call. */
inline constexpr reflection::AttrKey<Function> kInit{"__ffi_init__"};
/*! \brief Creates an object of the type, or a handle to one, from a value that converts. */
inline constexpr reflection::AttrKey<TypedFunction<Any(AnyView)>> kConvert{"__ffi_convert__"};
/*! \brief The types that kConvert accepts, as a JSON type schema. */
inline constexpr reflection::AttrKey<Any> kConvertTypeSchema{"__ffi_convert_type_schema__"};
/*! \brief Copies an object; the copy shares the objects that its fields refer to. */
inline constexpr reflection::AttrKey<TypedFunction<ObjectRef(const Object*)>> kShallowCopy{
    "__ffi_shallow_copy__"};
/*! \brief Whether the type is final: no other type derives from it. */
inline constexpr reflection::AttrKey<bool> kTypeFinal{"__ffi_type_final__"};

}  // namespace type_attr
}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_REFLECTION_ATTR_KEY_H_
