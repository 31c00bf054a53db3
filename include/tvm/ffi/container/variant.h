// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/container/variant.h
 * \brief A value of one of several types.
 */
#ifndef TVM_FFI_CONTAINER_VARIANT_H_
#define TVM_FFI_CONTAINER_VARIANT_H_

#include <tvm/ffi/container/seq_base.h>

#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

/*!
 * \brief A value of one of several types; in other languages, just the value.
 *
 * As a parameter, it accepts a value that is exactly of one of the types; any other value converts
 * to the first type that accepts it. It is never empty.
 * \tparam Types The types, as for the elements of an Array.
 */
template <typename... Types>
class Variant {
 public:
  /*! \brief Holds a value of one of the types. */
  template <
      typename T, typename Plain = std::remove_cv_t<std::remove_reference_t<T>>,
      typename = std::enable_if_t<!std::is_same<Plain, Variant>::value &&
                                  std::disjunction<detail::TypeContains<Types, Plain>...>::value>>
  Variant(T&& value) : value_(std::forward<T>(value)) {  // NOLINT(runtime/explicit)
    static_assert(std::conjunction<detail::IsElement<Types>...>::value,
                  "a type must own its value: Tensor or String, not a view of one");
  }

  /*! \brief Returns the value if it is exactly a T. */
  template <typename T, typename = detail::EnableIfValue<T>>
  std::optional<T> as() const {
    static_assert(std::disjunction<detail::TypeContains<Types, T>...>::value,
                  "the Variant cannot hold a value of this type");
    return value_.template as<T>();
  }
  /*! \brief Returns the object if it is a T or derives from T, or NULL. Borrowed. */
  template <typename T, typename = detail::EnableIfObject<T>, typename = void>
  detail::ObjectPointer<T> as() const {
    return value_.template as<T>();
  }
  /*! \brief Returns the value, which must be a T or convert to one; throws a TypeError if not. */
  template <typename T>
  T get() const& {
    static_assert(std::disjunction<detail::TypeContains<Types, T>...>::value,
                  "the Variant cannot hold a value of this type");
    return value_.template cast<T>();
  }
  /*! \brief Moves out the value, which must be a T or convert to one; throws a TypeError if
   * not. */
  template <typename T>
  T get() && {
    static_assert(std::disjunction<detail::TypeContains<Types, T>...>::value,
                  "the Variant cannot hold a value of this type");
    return std::move(value_).template cast<T>();
  }
  /*! \brief Name of the value's type. */
  std::string GetTypeKey() const { return value_.GetTypeKey(); }
  /*! \brief Whether both hold the same bits: the same number or the same object. */
  bool same_as(const Variant& other) const { return value_.same_as(other.value_); }

 private:
  // Marks a value that has been checked.
  struct Checked {};
  Variant(Checked, Any value) : value_(std::move(value)) {}

  Any value_;

  friend struct TypeTraits<Variant>;
  friend struct ObjectPtrHash;
};

template <typename... Types>
struct TypeTraits<Variant<Types...>> : public detail::TypeTraitsBase {
  static void CopyToAnyView(const Variant<Types...>& value, TVMFFIAny* out) {
    *out = value.value_.CopyToTVMFFIAny();
  }
  static void MoveToAny(Variant<Types...> value, TVMFFIAny* out) {
    *out = std::move(value.value_).MoveToTVMFFIAny();
  }
  static bool CheckAnyStrict(const TVMFFIAny* any) {
    return (TypeTraits<Types>::CheckAnyStrict(any) || ...);
  }
  static Variant<Types...> CopyFromAnyViewAfterCheck(const TVMFFIAny* any) {
    return Variant<Types...>(typename Variant<Types...>::Checked(),
                             Any(AnyView::CopyFromTVMFFIAny(*any)));
  }
  static Variant<Types...> MoveFromAnyAfterCheck(TVMFFIAny* any) {
    return detail::MoveFromOwned<Variant<Types...>>(any);
  }
  static std::optional<Variant<Types...>> TryCastFromAnyView(const TVMFFIAny* any) {
    if (CheckAnyStrict(any)) return CopyFromAnyViewAfterCheck(any);
    std::optional<Variant<Types...>> converted;
    (void)(TryOne<Types>(any, &converted) || ...);
    return converted;
  }
  static std::string TypeStr() { return detail::TypeStrOf<Types...>("Variant"); }
  static std::string TypeSchema() { return detail::SchemaText<Types...>("Variant"); }

 private:
  template <typename T>
  static bool TryOne(const TVMFFIAny* any, std::optional<Variant<Types...>>* converted) {
    std::optional<T> value = TypeTraits<T>::TryCastFromAnyView(any);
    if (value.has_value()) converted->emplace(*std::move(value));
    return value.has_value();
  }
};

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_CONTAINER_VARIANT_H_
