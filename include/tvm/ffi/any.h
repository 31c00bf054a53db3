// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/any.h
 * \brief Values of any type: AnyView borrows one, Any owns one.
 */
#ifndef TVM_FFI_ANY_H_
#define TVM_FFI_ANY_H_

#include <tvm/ffi/type_traits.h>

#include <cstddef>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

class Any;
class AnyBase;

namespace detail {

// Evaluated only on instantiation: a value type must not query itself while it is being defined.
template <typename T>
struct IsConvertible : public std::bool_constant<TypeTraits<T>::convert_enabled> {};

// Whether a value of type T (references are stripped) can be stored in an Any.
template <typename T, typename Plain = std::remove_cv_t<std::remove_reference_t<T>>>
using EnableIfStored = std::enable_if_t<
    std::conjunction<std::negation<std::is_base_of<AnyBase, Plain>>, IsConvertible<Plain>>::value>;

template <typename T>
using EnableIfLent = std::enable_if_t<std::conjunction<std::negation<std::is_base_of<AnyBase, T>>,
                                                       IsConvertible<T>, IsLendable<T>>::value>;

template <typename T>
using EnableIfObject = std::enable_if_t<std::is_base_of<Object, T>::value>;
template <typename T>
using EnableIfValue = std::enable_if_t<!std::is_base_of<Object, T>::value>;

// The pointer through which handles access their object.
template <typename T>
using ObjectPointer = std::conditional_t<T::_type_mutable, T*, const T*>;

// Whether a cast to T returns an owner rather than a view of data owned by the value.
template <typename T, typename = void>
struct IsOwner : public std::false_type {};
template <typename T>
struct IsOwner<T, std::void_t<decltype(TypeTraits<T>::MoveToAny(std::declval<T>(), nullptr))>>
    : public std::negation<std::is_pointer<T>> {};

[[noreturn]] TVM_FFI_COLD inline void ThrowBadCast(const std::string& wanted,
                                                   const std::string& got) {
  TVM_FFI_THROW(TypeError) << "Any: expected " << wanted << ", got " << got;
}

}  // namespace detail

/*! \brief Common base of AnyView and Any. */
class AnyBase {
 public:
  /*! \brief Type index of the value. */
  int32_t type_index() const { return data_.type_index; }
  /*! \brief Name of the value's type. */
  std::string GetTypeKey() const { return detail::TypeName(&data_); }
  /*! \brief The value as a T if it is exactly a T, without conversion. */
  template <typename T, typename = detail::EnableIfValue<T>>
  std::optional<T> as() const {
    if (!TypeTraits<T>::CheckAnyStrict(&data_)) return std::nullopt;
    return TypeTraits<T>::CopyFromAnyViewAfterCheck(&data_);
  }
  /*! \brief The object, borrowed, if its type is T or derives from T; NULL otherwise. */
  template <typename T, typename = detail::EnableIfObject<T>, typename = void>
  detail::ObjectPointer<T> as() const {
    if (data_.type_index < kTVMFFIStaticObjectBegin) return nullptr;
    auto* object = static_cast<Object*>(static_cast<void*>(data_.v_obj));
    return object->IsInstance<T>() ? static_cast<T*>(object) : nullptr;
  }
  /*! \brief The value if it is exactly a T; throws a TypeError otherwise. */
  template <typename T>
  T as_or_throw() const {
    std::optional<T> value = as<T>();
    if (!value.has_value()) {
      detail::ThrowBadCast(TypeTraits<T>::TypeStr(), detail::MismatchText<T>(&data_));
    }
    return *std::move(value);
  }
  /*! \brief The value as a T if it is a T or converts to one. */
  template <typename T>
  std::optional<T> try_cast() const {
    return TypeTraits<T>::TryCastFromAnyView(&data_);
  }
  /*! \brief The value as a T, converted if necessary; throws a TypeError if it does not convert. */
  template <typename T>
  T cast() const {
    std::optional<T> value = try_cast<T>();
    if (!value.has_value()) {
      detail::ThrowBadCast(TypeTraits<T>::TypeStr(), detail::MismatchText<T>(&data_));
    }
    return *std::move(value);
  }
  /*! \brief Whether there is no value. */
  bool operator==(std::nullptr_t) const { return data_.type_index == kTVMFFINone; }
  /*! \brief Whether there is a value. */
  bool operator!=(std::nullptr_t) const { return data_.type_index != kTVMFFINone; }
  /*! \brief Whether both hold the same bits: the same number, or the same object. */
  bool same_as(const AnyBase& other) const {
    return data_.type_index == other.data_.type_index &&
           data_.zero_padding == other.data_.zero_padding && data_.v_uint64 == other.data_.v_uint64;
  }
  /*! \brief Whether the value is the handle's object, or None if the handle is null. */
  bool same_as(const ObjectRef& other) const {
    return data_.type_index == other.type_index() &&
           (!other.defined() || data_.v_obj == ObjectUnsafe::Borrow(other));
  }
  /*! \brief The value in its C ABI form; ownership does not change. */
  TVMFFIAny CopyToTVMFFIAny() const { return data_; }

 protected:
  /*! \brief Selects the constructor that leaves the value to the derived class. */
  struct NotSet {};

  AnyBase() : data_{} {}
  /*! \brief Leaves the value uninitialised; the derived class sets it immediately. */
  explicit AnyBase(NotSet) {}

  /*! \brief The value in its C ABI form. */
  TVMFFIAny data_;
};

namespace detail {

// The value itself, without a copy.
inline const TVMFFIAny* Raw(const AnyBase& value) {
  return reinterpret_cast<const TVMFFIAny*>(&value);
}

// Whether values of that type are borrowed: owning one requires a copy, where that is possible.
inline bool IsLentForm(int32_t type_index) {
  return type_index >= kTVMFFIDLTensorPtr && type_index <= kTVMFFIObjectRValueRef;
}

}  // namespace detail

/*! \brief A borrowed value. A view must not outlive the value from which it was made.
 */
class AnyView : public AnyBase {
 public:
  AnyView() = default;
  /*! \brief A view of a C ABI value. */
  static AnyView CopyFromTVMFFIAny(const TVMFFIAny& any) {
    AnyView view;
    view.data_ = any;
    return view;
  }
  /*! \brief A view of `value`. */
  template <typename T, typename = detail::EnableIfLent<T>>
  AnyView(const T& value) {  // NOLINT(runtime/explicit)
    TypeTraits<T>::CopyToAnyView(value, &data_);
  }
  /*! \brief A view of an owned value. */
  AnyView(const Any& value);  // NOLINT(runtime/explicit)

  /*! \brief Resets the view to None. */
  void reset() { data_ = TVMFFIAny{}; }
  /*! \brief Exchanges the two views. */
  void swap(AnyView& other) noexcept { std::swap(data_, other.data_); }
};

/*! \brief An owned value. */
class Any : public AnyBase {
 public:
  Any() = default;
  /*! \brief Owns a new reference, or a copy; throws a TypeError for a borrowed tensor. */
  Any(const AnyView& view) : AnyBase(NotSet()) { Own(view); }  // NOLINT(runtime/explicit)
  /*! \brief Owns `value`. */
  template <typename T, typename = detail::EnableIfStored<T>>
  Any(T&& value) {  // NOLINT(runtime/explicit)
    TypeTraitsNoCR<T>::MoveToAny(std::forward<T>(value), &data_);
  }
  /*! \brief Shares the object, or copies the number. */
  Any(const Any& other) : AnyBase(NotSet()) {
    if (other.IsObject()) ObjectUnsafe::IncRef(other.data_.v_obj);
    detail::CopyWords(other.data_, &data_);
  }
  /*! \brief Takes over the value and leaves None. */
  Any(Any&& other) noexcept : AnyBase(NotSet()) {
    detail::CopyWords(other.data_, &data_);
    other.data_ = TVMFFIAny{};
  }
  /*! \brief Shares the other's value. */
  Any& operator=(const Any& other) { return *this = Any(other); }
  /*! \brief Takes over the other's value and leaves None. */
  Any& operator=(Any&& other) noexcept {
    if (this == &other) return *this;
    const Any old(std::move(*this));  // destroyed last: its destructor may reenter either
    detail::CopyWords(other.data_, &data_);
    other.data_ = TVMFFIAny{};
    return *this;
  }
  ~Any() { detail::DropOwned(data_); }

  /*! \brief Drops the value, leaving None. */
  void reset() { const Any old(std::move(*this)); }
  /*! \brief Exchanges the two values. */
  void swap(Any& other) noexcept { std::swap(data_, other.data_); }

  /*! \brief See AnyBase::cast. */
  template <typename T>
  T cast() const& {
    return AnyBase::cast<T>();
  }
  /*! \brief Like AnyBase::cast, but leaves None, so that the result may be the only owner. If the
   * result is a view or a pointer, the value stays in place. */
  template <typename T>
  T cast() && {
    T value = AnyBase::cast<T>();
    if constexpr (detail::IsOwner<T>::value) reset();
    return value;
  }

  /*! \brief Takes over an owned C ABI value. */
  static Any MoveFromTVMFFIAny(const TVMFFIAny& any) {
    Any value;
    value.data_ = any;
    return value;
  }
  /*! \brief Releases the value as an owned C ABI value. */
  TVMFFIAny MoveToTVMFFIAny() && {
    TVMFFIAny any = data_;
    data_ = TVMFFIAny{};
    return any;
  }
  /*! \brief Resets the value to None and returns the address for a C function's owned result. */
  TVMFFIAny* Reset() {
    reset();
    return &data_;
  }

 private:
  // Owns a copy of the value of `view`. Only borrowed forms need the runtime for this.
  void Own(const AnyView& view) {
    const TVMFFIAny& lent = *detail::Raw(view);
    if (detail::IsLentForm(lent.type_index)) {
      data_ = TVMFFIAny{};
      TVM_FFI_CHECK_SAFE_CALL(TVMFFIAnyViewToOwnedAny(&lent, &data_));
      return;
    }
    if (lent.type_index >= kTVMFFIStaticObjectBegin) ObjectUnsafe::IncRef(lent.v_obj);
    detail::CopyWords(lent, &data_);
  }

  bool IsObject() const { return data_.type_index >= kTVMFFIStaticObjectBegin; }
};

inline AnyView::AnyView(const Any& value) { detail::CopyWords(*detail::Raw(value), &data_); }

template <>
struct TypeTraits<AnyView> : public detail::TypeTraitsBase {
  static void CopyToAnyView(const AnyView& value, TVMFFIAny* out) {
    *out = value.CopyToTVMFFIAny();
  }
  static std::optional<AnyView> TryCastFromAnyView(const TVMFFIAny* any) {
    return AnyView::CopyFromTVMFFIAny(*any);
  }
  static std::string TypeStr() { return "Any"; }
  static std::string TypeSchema() { return detail::SchemaText("Any"); }
};

template <>
struct TypeTraits<Any> : public detail::TypeTraitsBase {
  static void CopyToAnyView(const Any& value, TVMFFIAny* out) { *out = value.CopyToTVMFFIAny(); }
  static void MoveToAny(Any value, TVMFFIAny* out) { *out = std::move(value).MoveToTVMFFIAny(); }
  // A borrowed tensor has no owner to share.
  static bool CheckAnyStrict(const TVMFFIAny* any) { return any->type_index != kTVMFFIDLTensorPtr; }
  static Any CopyFromAnyViewAfterCheck(const TVMFFIAny* any) {
    return Any(AnyView::CopyFromTVMFFIAny(*any));
  }
  static Any MoveFromAnyAfterCheck(TVMFFIAny* any) {
    return Any::MoveFromTVMFFIAny(std::exchange(*any, TVMFFIAny{}));
  }
  static std::optional<Any> TryCastFromAnyView(const TVMFFIAny* any) {
    if (detail::IsLentForm(any->type_index)) {
      // A borrowed tensor has no owner to share, and NULL has nothing to copy.
      if (any->type_index == kTVMFFIDLTensorPtr || detail::LendsNull(any)) return std::nullopt;
    }
    return Any(AnyView::CopyFromTVMFFIAny(*any));
  }
  static std::string TypeStr() { return "Any"; }
  static std::string TypeSchema() { return detail::SchemaText("Any"); }
};

namespace detail {

// Whether every U, as stored in a container, is also a T. Specialised in the headers of types
// that hold one of several alternatives.
template <typename T, typename U, typename = void>
struct TypeContains
    : public std::bool_constant<std::is_same<T, U>::value || std::is_same<T, Any>::value> {};
template <typename T, typename U>
struct TypeContains<T, U,
                    std::enable_if_t<std::is_base_of<ObjectRef, T>::value &&
                                     std::is_base_of<T, U>::value && !std::is_same<T, U>::value>>
    : public std::true_type {};

// Whether a borrowed T has the same form as an owned one, so a lookup need not own its key.
template <typename T>
inline constexpr bool kLentAsOwned =
    std::is_arithmetic<T>::value || std::is_enum<T>::value || std::is_same<T, Any>::value ||
    (std::is_base_of<ObjectRef, T>::value && use_default_type_traits_v<T>);

// Whether a T can be viewed without conversion.
template <typename T>
constexpr bool kIsView = std::is_base_of<AnyBase, T>::value || IsLendable<T>::value;

// Lends `value` for a call: a view, or an Any that owns the converted `value`.
template <typename T>
auto Lend(const T& value) {
  if constexpr (kIsView<T>) {
    return AnyView(value);
  } else {
    return Any(value);
  }
}

}  // namespace detail
}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_ANY_H_
