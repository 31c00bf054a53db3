// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/optional.h
 * \brief A value or none; as a parameter, it accepts None and may be omitted at the end.
 */
#ifndef TVM_FFI_OPTIONAL_H_
#define TVM_FFI_OPTIONAL_H_

#include <tvm/ffi/optional_in_place.h>
#include <tvm/ffi/type_traits.h>

#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

template <typename T>
class Optional;

namespace detail {

template <typename T>
struct IsOurOptional : public std::false_type {};
template <typename T>
struct IsOurOptional<Optional<T>> : public std::true_type {};

template <typename T>
struct IsAnyOptional : public IsOurOptional<T> {};
template <typename T>
struct IsAnyOptional<std::optional<T>> : public std::true_type {};

}  // namespace detail

/*!
 * \brief A T or none, with the members of std::optional and the conversions of this library.
 *
 * An Optional of a handle, a String or a Bytes has the size of its value, and the same layout as in
 * the published headers. An Optional of a handle is empty if the handle is null; `->` accesses the
 * object, and `get()`, which must not be called on an empty Optional, returns it.
 */
template <typename T>
class Optional : public detail::OptionalBase<T> {
  using Base = detail::OptionalBase<T>;

 public:
  using Base::Base;
  Optional() = default;
  /*! \brief Converts a std::optional. */
  Optional(std::optional<T> value) : Base(std::move(value)) {}  // NOLINT

  /*! \brief The value; throws a RuntimeError if there is none. */
  const T& value() const {
    TVM_FFI_CHECK(this->has_value(), RuntimeError)
        << "Optional::value: expected a " << TypeTraits<T>::TypeStr() << ", got none";
    return **this;
  }
  /*! \brief Whether both have no value, or the same object; T must be a handle. */
  bool same_as(const Optional& other) const {
    if (!this->has_value() || !other.has_value()) return this->has_value() == other.has_value();
    return (**this).same_as(*other);
  }
  /*! \brief Whether the value is the object of `other`, or there is none and `other` is null. */
  template <typename Ref, typename = std::enable_if_t<std::is_base_of<ObjectRef, Ref>::value>>
  bool same_as(const Ref& other) const {
    return this->has_value() ? (**this).same_as(other) : !other.defined();
  }
  /*! \brief Whether both have no value, or equal ones; `b` is an optional, a value, or null. */
  template <typename U>
  friend bool operator==(const Optional& a, const U& b) {
    return Equal(a, b);
  }
  /*! \brief Whether `a`, a std::optional, a value, or null, equals `b`. */
  template <typename U, typename = std::enable_if_t<!detail::IsOurOptional<U>::value>>
  friend bool operator==(const U& a, const Optional& b) {
    return Equal(b, a);
  }
  /*! \brief Same as for any other `b`; preferred over the standard library's operator. */
  template <typename U>
  friend bool operator==(const Optional& a, const std::optional<U>& b) {
    return Equal(a, b);
  }
  /*! \brief Same as for any other `a`; preferred over the standard library's operator. */
  template <typename U>
  friend bool operator==(const std::optional<U>& a, const Optional& b) {
    return Equal(b, a);
  }
  /*! \brief Whether only one has a value, or the values differ. */
  template <typename U>
  friend bool operator!=(const Optional& a, const U& b) {
    return !Equal(a, b);
  }
  /*! \brief Whether only one has a value, or the values differ. */
  template <typename U, typename = std::enable_if_t<!detail::IsOurOptional<U>::value>>
  friend bool operator!=(const U& a, const Optional& b) {
    return !Equal(b, a);
  }
  /*! \brief Same as for any other `b`; preferred over the standard library's operator. */
  template <typename U>
  friend bool operator!=(const Optional& a, const std::optional<U>& b) {
    return !Equal(a, b);
  }
  /*! \brief Same as for any other `a`; preferred over the standard library's operator. */
  template <typename U>
  friend bool operator!=(const std::optional<U>& a, const Optional& b) {
    return !Equal(b, a);
  }

 private:
  // A template, so that 0 is a value and not a null pointer.
  template <typename U>
  static bool Equal(const Optional& a, const U& b) {
    if constexpr (std::is_null_pointer<U>::value || std::is_same<U, std::nullopt_t>::value) {
      return !a.has_value();
    } else if constexpr (detail::IsAnyOptional<U>::value) {
      return a.has_value() && b.has_value() ? *a == *b : a.has_value() == b.has_value();
    } else {
      return a.has_value() && *a == b;
    }
  }
};

namespace detail {

// TypeTraits of Optional<T> or std::optional<T>.
template <typename Opt, typename T>
struct OptionalTraits : public TypeTraitsBase {
  static constexpr bool convert_enabled = TypeTraits<T>::convert_enabled;

  static void CopyToAnyView(const Opt& value, TVMFFIAny* out) {
    Set(out, kTVMFFINone);
    if (value.has_value()) TypeTraits<T>::CopyToAnyView(*value, out);
  }
  static void MoveToAny(Opt value, TVMFFIAny* out) {
    Set(out, kTVMFFINone);
    if (value.has_value()) TypeTraits<T>::MoveToAny(*std::move(value), out);
  }
  static bool CheckAnyStrict(const TVMFFIAny* any) {
    return any->type_index == kTVMFFINone || TypeTraits<T>::CheckAnyStrict(any);
  }
  static Opt CopyFromAnyViewAfterCheck(const TVMFFIAny* any) {
    if (any->type_index == kTVMFFINone) return Opt();
    return Opt(TypeTraits<T>::CopyFromAnyViewAfterCheck(any));
  }
  static Opt MoveFromAnyAfterCheck(TVMFFIAny* any) { return MoveFromOwned<Opt>(any); }
  static std::optional<Opt> TryCastFromAnyView(const TVMFFIAny* any) {
    if (any->type_index == kTVMFFINone) return std::optional<Opt>(std::in_place);
    std::optional<T> value = TypeTraits<T>::TryCastFromAnyView(any);
    if (!value.has_value()) return std::nullopt;
    return std::optional<Opt>(std::in_place, *std::move(value));
  }
  static std::string TypeStr() { return "Optional[" + TypeTraits<T>::TypeStr() + "]"; }
  static std::string GetMismatchTypeInfo(const TVMFFIAny* any) { return MismatchText<T>(any); }
};

template <typename T>
struct IsLendable<Optional<T>> : public IsLendable<T> {};

}  // namespace detail

template <typename T>
struct TypeTraits<Optional<T>> : public detail::OptionalTraits<Optional<T>, T> {
  static std::string TypeSchema() { return detail::SchemaText<T>("Optional"); }
};

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_OPTIONAL_H_
