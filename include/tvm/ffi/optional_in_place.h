// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/optional_in_place.h
 * \brief The layout of an Optional of a handle, a String, a Bytes or a BigInt: that of its value.
 */
#ifndef TVM_FFI_OPTIONAL_IN_PLACE_H_
#define TVM_FFI_OPTIONAL_IN_PLACE_H_

#include <tvm/ffi/object_ref.h>

#include <cstddef>
#include <new>  // NOLINT(misc-include-cleaner)
#include <optional>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

namespace detail {

// A null handle, which represents the absence of a T.
template <typename T>
struct NullHandle {
  using Words = void*;
  static Words Make() { return nullptr; }
  static bool Is(const Words& words) { return words == nullptr; }
};

// The same for a String, a Bytes or a BigInt: the value None.
struct NullText {
  using Words = TVMFFIAny;
  static Words Make() {
    Words none;
    none.type_index = kTVMFFINone;
    none.zero_padding = 0;
    none.v_int64 = 0;
    return none;
  }
  static bool Is(const Words& words) { return words.type_index == kTVMFFINone; }
};

// Whether a T is a handle and nothing more; an Error is also an exception.
template <typename T>
constexpr bool kIsBareHandle =
    std::is_base_of<ObjectRef, T>::value && sizeof(T) == sizeof(ObjectRef);

// Whether a T is a String, a Bytes or a BigInt, which have the layout of an Any that holds them;
// specialised in their headers.
template <typename T>
constexpr bool kIsText = false;

// A T or none, in the memory of a T, as the published headers return from virtual functions.
template <typename T>
class OptionalInPlace {
  using Null = std::conditional_t<kIsText<T>, NullText, NullHandle<T>>;

  template <typename U>
  using EnableIfValue =
      std::enable_if_t<!std::is_base_of<OptionalInPlace, std::decay_t<U>>::value &&
                       !std::is_same<std::decay_t<U>, std::in_place_t>::value &&
                       std::is_convertible<U&&, T>::value>;

 public:
  using value_type = T;

  OptionalInPlace() noexcept : none_(Null::Make()) {}
  OptionalInPlace(std::nullopt_t) noexcept : OptionalInPlace() {}  // NOLINT(runtime/explicit)
  OptionalInPlace(std::nullptr_t) noexcept : OptionalInPlace() {}  // NOLINT(runtime/explicit)
  template <typename... Args>
  explicit OptionalInPlace(std::in_place_t, Args&&... args) : value_(std::forward<Args>(args)...) {}
  template <typename U = T, typename = EnableIfValue<U>>
  OptionalInPlace(U&& value) : value_(std::forward<U>(value)) {}  // NOLINT(runtime/explicit)
  OptionalInPlace(std::optional<T> other) : OptionalInPlace() {   // NOLINT(runtime/explicit)
    if (other.has_value()) emplace(*std::move(other));
  }
  // From a derived handle, for example.
  template <typename U, typename = std::enable_if_t<!std::is_same<U, T>::value &&
                                                    std::is_convertible<const U&, T>::value>>
  OptionalInPlace(const OptionalInPlace<U>& other) : OptionalInPlace() {  // NOLINT
    if (other.has_value()) emplace(*other);
  }
  OptionalInPlace(const OptionalInPlace& other) : OptionalInPlace() {
    if (other.has_value()) emplace(*other);
  }
  // Leaves the other without a value.
  OptionalInPlace(OptionalInPlace&& other) noexcept : none_(other.none_) {
    other.none_ = Null::Make();
  }
  ~OptionalInPlace() {
    if (has_value()) value_.~T();
  }

  OptionalInPlace& operator=(const OptionalInPlace& other) {
    OptionalInPlace copy(other);
    swap(copy);
    return *this;
  }
  OptionalInPlace& operator=(OptionalInPlace&& other) noexcept {
    OptionalInPlace taken(std::move(other));
    swap(taken);
    return *this;
  }

  bool has_value() const noexcept { return !Null::Is(none_); }
  explicit operator bool() const noexcept { return has_value(); }
  operator std::optional<T>() const& {
    return has_value() ? std::optional<T>(value_) : std::nullopt;
  }
  operator std::optional<T>() && {
    return has_value() ? std::optional<T>(std::move(value_)) : std::nullopt;
  }

  const T& operator*() const& { return value_; }
  T& operator*() & { return value_; }
  T&& operator*() && { return std::move(value_); }
  // A handle's object, as in the published headers, or the text itself.
  auto operator->() const {
    if constexpr (kIsText<T>) {
      return &value_;
    } else {
      return value_.operator->();
    }
  }
  template <typename U = T>
  auto get() const -> decltype(std::declval<const U&>().get()) {
    return value_.get();
  }
  template <typename U>
  T value_or(U&& otherwise) const {
    return has_value() ? value_ : static_cast<T>(std::forward<U>(otherwise));
  }

  template <typename... Args>
  T& emplace(Args&&... args) {
    reset();
    try {
      return *new (&value_) T(std::forward<Args>(args)...);
    } catch (...) {
      none_ = Null::Make();
      throw;
    }
  }
  void reset() noexcept {
    if (!has_value()) return;
    // None first: the object's destructor may access this Optional.
    OptionalInPlace old(std::move(*this));
    old.value_.~T();
    old.none_ = Null::Make();
  }
  void swap(OptionalInPlace& other) noexcept { std::swap(none_, other.none_); }

 private:
  static_assert(sizeof(T) == sizeof(typename Null::Words), "a value is as large as none");

  union {
    typename Null::Words none_;
    T value_;
  };
};

// The base of Optional<T>. Only OptionalInPlace has the same layout as in the published
// headers.
template <typename T>
using OptionalBase =
    std::conditional_t<kIsBareHandle<T> || kIsText<T>, OptionalInPlace<T>, std::optional<T>>;

}  // namespace detail
}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_OPTIONAL_IN_PLACE_H_
