// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/extra/stl.h
 * \brief Standard-library containers as parameters and results.
 *
 * Each is converted by copy: std::vector and std::array to an Array, std::pair and std::tuple to a
 * Tuple, std::optional and std::variant to the values they hold, std::map and std::unordered_map to
 * a Map, std::function to a Function. If copies cost too much, use the containers of this library.
 * std::string needs no extra header.
 */
#ifndef TVM_FFI_EXTRA_STL_H_
#define TVM_FFI_EXTRA_STL_H_

#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/container/tuple.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/optional.h>

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

namespace detail {

// Whether a value is exactly a T; always false for a type that is always converted.
template <typename T, typename = void>
struct Strict {
  static bool Check(const TVMFFIAny*) { return false; }
};
template <typename T>
struct Strict<T, std::void_t<decltype(TypeTraits<T>::CheckAnyStrict(nullptr))>> {
  static bool Check(const TVMFFIAny* any) { return TypeTraits<T>::CheckAnyStrict(any); }
};

// Moves the elements of a container into an Array.
template <typename Container>
void MoveElements(Container* container, TVMFFIAny* out) {
  Array<Any> array;
  array.reserve(static_cast<int64_t>(container->size()));
  // A copy of each, because std::vector<bool> has no elements to refer to.
  for (typename Container::value_type element : *container) {
    array.push_back(Any(std::move(element)));
  }
  TypeTraits<Array<Any>>::MoveToAny(std::move(array), out);
}

// Standard-library tuples; `Std` is std::tuple or std::pair of Types.
template <typename Std, typename... Types>
struct StdTupleTraits : public TypeTraitsBase {
  static void MoveToAny(Std value, TVMFFIAny* out) { Move(&value, out, Indices()); }
  static std::optional<Std> TryCastFromAnyView(const TVMFFIAny* any) {
    const SeqBaseObj* seq = AsSeq(any);
    if (seq == nullptr || seq->size() != sizeof...(Types)) return std::nullopt;
    return Cast(*seq, Indices());
  }
  static std::string TypeStr() { return TypeStrOf<Types...>("Tuple"); }
  static std::string TypeSchema() { return SchemaText<Types...>("std::tuple"); }
  static std::string GetMismatchTypeInfo(const TVMFFIAny* any) {
    return TupleMismatch<Types...>(any);
  }

 private:
  using Indices = std::index_sequence_for<Types...>;

  template <size_t... I>
  static void Move([[maybe_unused]] Std* value, TVMFFIAny* out, std::index_sequence<I...>) {
    Array<Any> array;
    (array.push_back(Any(std::get<I>(std::move(*value)))), ...);
    TypeTraits<Array<Any>>::MoveToAny(std::move(array), out);
  }
  template <size_t... I>
  static std::optional<Std> Cast([[maybe_unused]] const SeqBaseObj& seq,
                                 std::index_sequence<I...>) {
    std::tuple<std::optional<Types>...> elements{ElementAt(seq, I).template try_cast<Types>()...};
    if (!(std::get<I>(elements).has_value() && ...)) return std::nullopt;
    return Std(*std::move(std::get<I>(elements))...);
  }
};

// Standard-library maps; `Std` maps a K to a V.
template <typename Std, typename K, typename V>
struct StdMapTraits : public TypeTraitsBase {
  static void MoveToAny(Std value, TVMFFIAny* out) {
    Map<Any, Any> map;
    for (auto& pair : value) map.Set(Any(pair.first), Any(std::move(pair.second)));
    TypeTraits<Map<Any, Any>>::MoveToAny(std::move(map), out);
  }
  static std::optional<Std> TryCastFromAnyView(const TVMFFIAny* any) {
    using Pairs = Map<Any, Any>;
    const std::optional<Pairs> map = TypeTraits<Pairs>::TryCastFromAnyView(any);
    if (!map.has_value()) return std::nullopt;
    Std pairs;
    for (const auto& pair : *map) {
      std::optional<K> key = pair.first.template try_cast<K>();
      if (!key.has_value()) return std::nullopt;
      std::optional<V> value = pair.second.template try_cast<V>();
      if (!value.has_value()) return std::nullopt;
      pairs.emplace(*std::move(key), *std::move(value));
    }
    return pairs;
  }
  static std::string TypeStr() { return TypeStrOf<K, V>("Map"); }
  static std::string GetMismatchTypeInfo(const TVMFFIAny* any) {
    return MapTraits<Map<K, V>>::GetMismatchTypeInfo(any);
  }
};

// A trailing std::optional parameter may be omitted, like an Optional.
template <typename T>
struct Content<std::optional<T>> : public Content<T> {};

template <typename T>
struct IsLendable<std::optional<T>> : public IsLendable<T> {};

}  // namespace detail

/*! \brief Converts to an Array, and from an Array or a List. */
template <typename T>
struct TypeTraits<std::vector<T>> : public detail::TypeTraitsBase {
  static void MoveToAny(std::vector<T> value, TVMFFIAny* out) { detail::MoveElements(&value, out); }
  static std::optional<std::vector<T>> TryCastFromAnyView(const TVMFFIAny* any) {
    const SeqBaseObj* seq = detail::AsSeq(any);
    if (seq == nullptr) return std::nullopt;
    std::optional<std::vector<T>> elements(std::in_place);
    elements->reserve(seq->size());
    for (size_t i = 0; i < seq->size(); ++i) {
      const Any value = detail::ElementAt(*seq, i);
      std::optional<T> element = TypeTraits<T>::TryCastFromAnyView(detail::Raw(value));
      if (!element.has_value()) {
        elements.reset();
        break;
      }
      elements->push_back(*std::move(element));
    }
    return elements;
  }
  static std::string TypeStr() { return detail::TypeStrOf<T>("Array"); }
  static std::string TypeSchema() { return detail::SchemaText<T>("std::vector"); }
  static std::string GetMismatchTypeInfo(const TVMFFIAny* any) {
    return detail::ElementMismatch<T>(any);
  }
};

/*! \brief Converts to an Array, and from an Array or a List of the same length. */
template <typename T, size_t N>
struct TypeTraits<std::array<T, N>> : public detail::TypeTraitsBase {
  static void MoveToAny(std::array<T, N> value, TVMFFIAny* out) {
    detail::MoveElements(&value, out);
  }
  static std::optional<std::array<T, N>> TryCastFromAnyView(const TVMFFIAny* any) {
    std::optional<std::vector<T>> elements = TypeTraits<std::vector<T>>::TryCastFromAnyView(any);
    if (!elements.has_value() || elements->size() != N) return std::nullopt;
    return FromVector(&*elements, std::make_index_sequence<N>());
  }
  static std::string TypeStr() {
    return (Message().self() << "Array[" << TypeTraits<T>::TypeStr() << "; " << N << "]").take();
  }
  static std::string TypeSchema() {
    return (Message().self() << R"({"type":"std::array","args":[)" << TypeTraits<T>::TypeSchema()
                             << "," << N << "]}")
        .take();
  }
  static std::string GetMismatchTypeInfo(const TVMFFIAny* any) {
    const SeqBaseObj* seq = detail::AsSeq(any);
    if (seq != nullptr && seq->size() != N) return detail::LengthText(any, seq->size());
    return detail::ElementMismatch<T>(any);
  }

 private:
  template <size_t... I>
  static std::array<T, N> FromVector([[maybe_unused]] std::vector<T>* elements,
                                     std::index_sequence<I...>) {
    return {T(std::move((*elements)[I]))...};
  }
};

/*! \brief Converts to a Tuple, and from an Array or a List of the same length. */
template <typename... Types>
struct TypeTraits<std::tuple<Types...>>
    : public detail::StdTupleTraits<std::tuple<Types...>, Types...> {};

/*! \brief Converts to a Tuple, and from an Array or a List of two elements. */
template <typename A, typename B>
struct TypeTraits<std::pair<A, B>> : public detail::StdTupleTraits<std::pair<A, B>, A, B> {};

/*! \brief Converts to its value or to None. */
template <typename T>
struct TypeTraits<std::optional<T>> : public detail::OptionalTraits<std::optional<T>, T> {
  static std::string TypeSchema() { return detail::SchemaText<T>("std::optional"); }
};

/*!
 * \brief Converts to the value that it holds.
 *
 * Converts from a value that is exactly of one of the types; any other value converts to the first
 * type that accepts it.
 */
template <typename... Types>
struct TypeTraits<std::variant<Types...>> : public detail::TypeTraitsBase {
  static void MoveToAny(std::variant<Types...> value, TVMFFIAny* out) {
    MoveOne(&value, out, std::index_sequence_for<Types...>());
  }
  static std::optional<std::variant<Types...>> TryCastFromAnyView(const TVMFFIAny* any) {
    std::optional<std::variant<Types...>> held;
    (void)((detail::Strict<Types>::Check(any) && TryOne<Types>(any, &held)) || ...);
    if (!held.has_value()) (void)(TryOne<Types>(any, &held) || ...);
    return held;
  }
  static std::string TypeStr() { return detail::TypeStrOf<Types...>("Variant"); }
  static std::string TypeSchema() { return detail::SchemaText<Types...>("std::variant"); }

 private:
  template <typename T>
  static bool TryOne(const TVMFFIAny* any, std::optional<std::variant<Types...>>* held) {
    std::optional<T> value = TypeTraits<T>::TryCastFromAnyView(any);
    if (value.has_value()) held->emplace(*std::move(value));
    return value.has_value();
  }
  template <size_t... I>
  static void MoveOne(std::variant<Types...>* value, TVMFFIAny* out, std::index_sequence<I...>) {
    (void)((value->index() == I &&
            (TypeTraits<Types>::MoveToAny(std::move(*std::get_if<I>(value)), out), true)) ||
           ...);
  }
};

/*! \brief Converts to a Map in the order of the keys, and from a Map or a Dict. */
template <typename K, typename V>
struct TypeTraits<std::map<K, V>> : public detail::StdMapTraits<std::map<K, V>, K, V> {
  static std::string TypeSchema() { return detail::SchemaText<K, V>("std::map"); }
};

/*! \brief Converts to a Map, and from a Map or a Dict. */
template <typename K, typename V>
struct TypeTraits<std::unordered_map<K, V>>
    : public detail::StdMapTraits<std::unordered_map<K, V>, K, V> {
  static std::string TypeSchema() { return detail::SchemaText<K, V>("std::unordered_map"); }
};

/*! \brief Converts to and from a Function; an empty one is None in both directions. */
template <typename R, typename... Args>
struct TypeTraits<std::function<R(Args...)>> : public detail::TypeTraitsBase {
  static void MoveToAny(std::function<R(Args...)> value, TVMFFIAny* out) {
    Function function;
    if (value != nullptr) function = Function::FromTyped(std::move(value));
    TypeTraits<Function>::MoveToAny(std::move(function), out);
  }
  static std::optional<std::function<R(Args...)>> TryCastFromAnyView(const TVMFFIAny* any) {
    std::optional<Function> function = TypeTraits<Function>::TryCastFromAnyView(any);
    if (!function.has_value()) return std::nullopt;
    if (!function->defined()) return std::function<R(Args...)>();
    return std::function<R(Args...)>([held = *std::move(function)](Args... args) -> R {
      if constexpr (std::is_void<R>::value) {
        held(args...);
      } else {
        return held(args...).template cast<R>();
      }
    });
  }
  static std::string TypeStr() {
    return detail::SignatureText<R>("Function", static_cast<std::tuple<Args...>*>(nullptr));
  }
  static std::string TypeSchema() {
    std::string text = R"({"type":"std::function","named_args":{"return":[)";
    if constexpr (std::is_void<R>::value) {
      text += detail::SchemaText("None");
    } else {
      text += TypeTraitsNoCR<R>::TypeSchema();
    }
    text += R"(],"params":[)";
    [[maybe_unused]] const char* separator = "";
    ((text += separator, text += TypeTraitsNoCR<Args>::TypeSchema(), separator = ","), ...);
    return text += "]}}";
  }
};

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_EXTRA_STL_H_
