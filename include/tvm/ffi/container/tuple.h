// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/container/tuple.h
 * \brief Tuples: a fixed number of values, each of its own type, in an Array object.
 */
#ifndef TVM_FFI_CONTAINER_TUPLE_H_
#define TVM_FFI_CONTAINER_TUPLE_H_

#include <tvm/ffi/container/array.h>

#include <cstddef>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

/*!
 * \brief A fixed number of values, each of its own type; in other languages, an Array.
 *
 * As a parameter, it accepts an Array or a List of the right length whose elements convert. A
 * change modifies the object in place if this handle is its only owner, and a copy otherwise.
 * \tparam Types Element types, as for Array.
 */
template <typename... Types>
class Tuple : public ObjectRef {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Tuple, ObjectRef, ArrayObj);

  /*! \brief Type of the element at `I`. */
  template <size_t I>
  using Element = std::tuple_element_t<I, std::tuple<Types...>>;

  /*! \brief Constructs each element by default. */
  Tuple() : ObjectRef(Make(Types()...)) {}
  /*! \brief Constructs a tuple from the given elements, one for each type. */
  template <typename... UTypes,
            typename = std::enable_if_t<
                sizeof...(UTypes) == sizeof...(Types) && sizeof...(Types) != 0 &&
                !std::is_same<std::tuple<std::decay_t<UTypes>...>, std::tuple<Tuple>>::value &&
                std::conjunction<std::is_constructible<Types, UTypes>...>::value>>
  explicit Tuple(UTypes&&... elements)
      : ObjectRef(Make(Types(std::forward<UTypes>(elements))...)) {}
  /*! \brief Shares a Tuple whose elements are all valid as these types, for example as Any. */
  template <
      typename... UTypes,
      typename = std::enable_if_t<sizeof...(UTypes) == sizeof...(Types) &&
                                  !std::is_same<Tuple<UTypes...>, Tuple>::value &&
                                  std::conjunction<detail::TypeContains<Types, UTypes>...>::value>>
  Tuple(const Tuple<UTypes...>& other)  // NOLINT(runtime/explicit)
      : ObjectRef(ObjectUnsafe::PtrFromBorrowed<Object>(other.get())) {}

  /*! \brief Returns a copy of the element at `I`. */
  template <size_t I>
  Element<I> get() const {
    return *SeqIterator<Element<I>>(get()->begin() + I);
  }
  /*! \brief Replaces the element at `I`. */
  template <size_t I, typename U>
  void Set(U&& value) {
    Any owned(Element<I>(std::forward<U>(value)));
    if (!unique()) data_ = ArrayObj::CopyOf(*get(), sizeof...(Types));
    // The old element is destroyed last, with `owned`: its destructor may reenter this object.
    std::swap(const_cast<ArrayObj*>(get())->MutableBegin()[I], owned);
  }

 private:
  static ObjectPtr<Object> Make(Types... elements) {
    static_assert(std::conjunction<detail::IsElement<Types>...>::value,
                  "an element must own its value: Tensor or String, not a view of one");
    ObjectPtr<ArrayObj> object = ArrayObj::Empty(sizeof...(Types));
    (object->Append(Any(std::move(elements))), ...);
    return object;
  }
};

namespace detail {

// "Array of 3 elements" or "Array with str at index 1": why the value is not such a tuple.
template <typename... Types>
TVM_FFI_COLD std::string TupleMismatch(const TVMFFIAny* any) {
  const SeqBaseObj* seq = AsSeq(any);
  if (seq == nullptr) return ValueText(any);
  if (seq->size() != sizeof...(Types)) return LengthText(any, seq->size());
  std::string text;
  [[maybe_unused]] size_t i = 0;
  (void)(ElementFits<Types>(any, i++, &text) && ...);
  return text;
}

}  // namespace detail

/*! \brief Deduces the element types from the arguments. */
template <typename... UTypes>
Tuple(UTypes&&...) -> Tuple<std::decay_t<UTypes>...>;

/*! \brief Returns the element at `I`, like std::get for std::tuple. */
template <size_t I, typename... Types>
auto get(const Tuple<Types...>& tuple) {
  return tuple.template get<I>();
}

/*! \brief Tuple has its own TypeTraits. */
template <typename... Types>
inline constexpr bool use_default_type_traits_v<Tuple<Types...>> = false;

template <typename... Types>
struct TypeTraits<Tuple<Types...>> : public ObjectRefTraits<Tuple<Types...>> {
  static bool CheckAnyStrict(const TVMFFIAny* any) {
    return any->type_index == kTVMFFIArray && HasLength(any) && AllStrict(any, Indices());
  }
  static std::optional<Tuple<Types...>> TryCastFromAnyView(const TVMFFIAny* any) {
    if (CheckAnyStrict(any)) {
      return ObjectRefTraits<Tuple<Types...>>::CopyFromAnyViewAfterCheck(any);
    }
    if (!HasLength(any)) return std::nullopt;
    return Converted(any, Indices());
  }
  static std::string TypeStr() { return detail::TypeStrOf<Types...>("Tuple"); }
  static std::string TypeSchema() { return detail::SchemaText<Types...>("Tuple"); }
  static std::string GetMismatchTypeInfo(const TVMFFIAny* any) {
    return detail::TupleMismatch<Types...>(any);
  }

 private:
  using Indices = std::index_sequence_for<Types...>;

  static bool HasLength(const TVMFFIAny* any) {
    const SeqBaseObj* seq = detail::AsSeq(any);
    return seq != nullptr && seq->size() == sizeof...(Types);
  }
  static const TVMFFIAny* ElementOf(const TVMFFIAny* any, size_t i) {
    return detail::Raw(detail::AsSeq(any)->begin()[i]);
  }
  template <size_t... I>
  static bool AllStrict([[maybe_unused]] const TVMFFIAny* any, std::index_sequence<I...>) {
    return (TypeTraits<Types>::CheckAnyStrict(ElementOf(any, I)) && ...);
  }
  template <size_t... I>
  static std::optional<Tuple<Types...>> Converted([[maybe_unused]] const TVMFFIAny* any,
                                                  std::index_sequence<I...>) {
    std::tuple<std::optional<Types>...> elements{
        detail::ElementAt(*detail::AsSeq(any), I).template try_cast<Types>()...};
    if (!(std::get<I>(elements).has_value() && ...)) return std::nullopt;
    if constexpr (sizeof...(Types) == 0) {
      return Tuple<>();
    } else {
      return Tuple<Types...>(*std::move(std::get<I>(elements))...);
    }
  }
};

namespace detail {

template <typename... Types, typename... UTypes>
struct TypeContains<Tuple<Types...>, Tuple<UTypes...>,
                    std::enable_if_t<sizeof...(Types) == sizeof...(UTypes) &&
                                     !std::is_same<Tuple<Types...>, Tuple<UTypes...>>::value>>
    : public std::conjunction<TypeContains<Types, UTypes>...> {};

}  // namespace detail
}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

namespace std {

/*! \brief Enables structured bindings of a Tuple. */
template <typename... Types>
struct tuple_size<tvm::ffi::Tuple<Types...>>
    : public std::integral_constant<size_t, sizeof...(Types)> {};
/*! \brief Enables structured bindings of a Tuple. */
template <size_t I, typename... Types>
struct tuple_element<I, tvm::ffi::Tuple<Types...>>
    : public std::tuple_element<I, std::tuple<Types...>> {};

}  // namespace std

#endif  // TVM_FFI_CONTAINER_TUPLE_H_
