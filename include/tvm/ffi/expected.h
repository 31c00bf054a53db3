// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/expected.h
 * \brief A value or an error, for code that does not throw.
 */
#ifndef TVM_FFI_EXPECTED_H_
#define TVM_FFI_EXPECTED_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/return_macros.h>

#include <cstddef>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

/*! \brief An error that converts to an Expected. */
template <typename E = Error>
class Unexpected {
 public:
  static_assert(std::is_base_of<Error, E>::value, "expected Error, or a class derived from it");
  /*! \brief Holds the error. */
  explicit Unexpected(E error) : error_(std::move(error)) {}
  /*! \brief The error. */
  const E& error() const& { return error_; }
  /*! \brief The error, moved out. */
  E error() && { return std::move(error_); }

 private:
  E error_;
};

namespace detail {

// Common base of Expected<T> and Expected<void>: a value, or an Error in its place.
class ExpectedBase {
 public:
  /*! \brief Type index of the value, or of the error. */
  int32_t type_index() const noexcept { return data_.type_index(); }
  /*! \brief Whether there is a value. */
  bool is_ok() const noexcept { return !is_err(); }
  /*! \brief Whether there is an error. */
  bool is_err() const noexcept { return data_.type_index() == kTVMFFIError; }
  /*! \brief Whether there is a value. */
  bool has_value() const noexcept { return is_ok(); }
  /*! \brief The error; throws a RuntimeError if there is none. */
  Error error() const {
    TVM_FFI_CHECK(is_err(), RuntimeError)
        << "Expected::error: expected an error, got a value of type " << data_.GetTypeKey();
    return data_.as_or_throw<Error>();
  }

 protected:
  ExpectedBase() = default;
  explicit ExpectedBase(Any data) : data_(std::move(data)) {}

  void ThrowIfError() const {
    if (is_err()) throw data_.as_or_throw<Error>();
  }

  Any data_;

  template <typename, typename>
  friend struct ::tvm::ffi::TypeTraits;
};

// Whether T is an Unexpected: not a value of an Expected, although it converts to one.
template <typename T>
struct IsUnexpected : public std::false_type {};
template <typename E>
struct IsUnexpected<Unexpected<E>> : public std::true_type {};

// Whether U is a value of a type other than T that converts to T.
template <typename T, typename U, typename Plain = std::remove_cv_t<std::remove_reference_t<U>>>
using IsOtherValue =
    std::bool_constant<std::is_convertible<U&&, T>::value && !std::is_same<Plain, T>::value &&
                       !std::is_base_of<Error, Plain>::value &&
                       !std::is_base_of<ExpectedBase, Plain>::value && !IsUnexpected<Plain>::value>;

}  // namespace detail

/*!
 * \brief A value, or an error in its place.
 *
 * A function that is exported or wrapped in a Function may return an Expected; its error is then
 * raised. As a parameter, it accepts a value that converts to T, or an Error object.
 * \tparam T Type of the value: any that an Any can own, except Error. An Error object counts as an
 *         error, even if T is one of its base classes.
 */
template <typename T>
class Expected : public detail::ExpectedBase {
 public:
  static_assert(!std::is_base_of<Error, T>::value, "an Expected cannot hold an Error as its value");

  /*! \brief A value. */
  Expected(T value) : ExpectedBase(Any(std::move(value))) {}  // NOLINT(runtime/explicit)
  /*! \brief A value, converted to T. */
  template <typename U, typename = std::enable_if_t<detail::IsOtherValue<T, U>::value>>
  Expected(U&& value) : Expected(T(std::forward<U>(value))) {}  // NOLINT(runtime/explicit)
  /*! \brief The value of another Expected, converted to T, or its error. */
  template <typename U, typename = std::enable_if_t<!std::is_same<U, T>::value &&
                                                    std::is_convertible<U, T>::value>>
  Expected(Expected<U> other)  // NOLINT(runtime/explicit)
      : ExpectedBase(other.is_err() ? Any(other.error()) : Any(T(std::move(other).value()))) {}
  /*! \brief An error. */
  Expected(Error error) : ExpectedBase(Any(std::move(error))) {}  // NOLINT(runtime/explicit)
  /*! \brief An error. */
  template <typename E>
  Expected(Unexpected<E> unexpected)  // NOLINT(runtime/explicit)
      : Expected(Error(std::move(unexpected).error())) {}

  /*! \brief The value; throws the error if there is one. */
  T value() const& {
    ThrowIfError();
    return Value();
  }
  /*! \brief The value, moved out; throws the error if there is one. */
  T value() && {
    ThrowIfError();
    T value = Value();
    data_.reset();
    return value;
  }
  /*! \brief The value, or `other` in place of an error. */
  template <typename U>
  T value_or(U&& other) const {
    return is_ok() ? Value() : static_cast<T>(std::forward<U>(other));
  }
  /*! \brief The value if it is exactly a U, the error if there is one, or a TypeError. */
  template <typename U>
  Expected<U> as_or_error() const {
    if (is_err()) return error();
    if (std::optional<U> value = data_.as<U>()) return *std::move(value);
    const TVMFFIAny any = data_.CopyToTVMFFIAny();
    return Error("TypeError",
                 "Expected::as_or_error: expected a value of type " + TypeTraits<U>::TypeStr() +
                     ", got " + detail::TypeName(&any),
                 "");
  }

 private:
  T Value() const {
    const TVMFFIAny any = data_.CopyToTVMFFIAny();
    return TypeTraits<T>::CopyFromAnyViewAfterCheck(&any);
  }
};

/*! \brief Success without a value, or an error. */
template <>
class Expected<void> : public detail::ExpectedBase {
 public:
  /*! \brief Success. */
  Expected() = default;
  /*! \brief An error. */
  Expected(Error error) : ExpectedBase(Any(std::move(error))) {}  // NOLINT(runtime/explicit)
  /*! \brief An error. */
  template <typename E>
  Expected(Unexpected<E> unexpected)  // NOLINT(runtime/explicit)
      : Expected(Error(std::move(unexpected).error())) {}

  /*! \brief Throws the error, if there is one. */
  void value() const { ThrowIfError(); }
};

template <typename T>
struct TypeTraits<Expected<T>> : public detail::TypeTraitsBase {
  static void CopyToAnyView(const Expected<T>& value, TVMFFIAny* out) {
    *out = value.data_.CopyToTVMFFIAny();
  }
  static void MoveToAny(Expected<T> value, TVMFFIAny* out) {
    *out = std::move(value.data_).MoveToTVMFFIAny();
  }
  /*! \brief Moves out a function's result; throws an error. */
  static void MoveToResult(Expected<T> value, TVMFFIAny* out) {
    if (value.is_err()) throw value.error();
    MoveToAny(std::move(value), out);
  }
  static bool CheckAnyStrict(const TVMFFIAny* any) {
    return any->type_index == kTVMFFIError || Value::CheckAnyStrict(any);
  }
  static Expected<T> CopyFromAnyViewAfterCheck(const TVMFFIAny* any) {
    if (any->type_index == kTVMFFIError) {
      return TypeTraits<Error>::CopyFromAnyViewAfterCheck(any);
    }
    if constexpr (std::is_void<T>::value) {
      return Expected<void>();
    } else {
      return Value::CopyFromAnyViewAfterCheck(any);
    }
  }
  static std::optional<Expected<T>> TryCastFromAnyView(const TVMFFIAny* any) {
    if (CheckAnyStrict(any)) return CopyFromAnyViewAfterCheck(any);
    if constexpr (!std::is_void<T>::value) {
      std::optional<T> value = Value::TryCastFromAnyView(any);
      if (value.has_value()) return Expected<T>(*std::move(value));
    }
    return std::nullopt;
  }
  static std::string TypeStr() {
    return "Expected[" + (std::is_void<T>::value ? std::string("void") : Value::TypeStr()) + "]";
  }
  static std::string TypeSchema() { return detail::SchemaText<Plain, Error>("Expected"); }
  static std::string GetMismatchTypeInfo(const TVMFFIAny* any) {
    return detail::MismatchText<Plain>(any);
  }

 private:
  using Plain = std::conditional_t<std::is_void<T>::value, std::nullptr_t, T>;
  using Value = TypeTraits<Plain>;
};

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_EXPECTED_H_
