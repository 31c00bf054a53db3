// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/function_details.h
 * \brief How a C++ function is described and called: its signature, arguments and result.
 */
#ifndef TVM_FFI_FUNCTION_DETAILS_H_
#define TVM_FFI_FUNCTION_DETAILS_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/optional.h>
#include <tvm/ffi/string.h>

#include <cstdio>
#include <initializer_list>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

namespace detail {

// A result type and parameter types.
template <typename R, typename... Args>
struct Types {
  using Result = R;
  using Parameters = std::tuple<Args...>;
  static constexpr int32_t kCount = static_cast<int32_t>(sizeof...(Args));
};

template <typename C, typename R, typename... Args>
Types<R, Args...> TypesOfMember(R (C::*)(Args...));
template <typename C, typename R, typename... Args>
Types<R, Args...> TypesOfMember(R (C::*)(Args...) const);

// The result and parameter types of any callable.
template <typename F, typename = void>
struct Signature : public Types<void> {
  static_assert(sizeof(F) == 0,
                "expected a function, or an object with one operator() that is not a template");
};
template <typename F>
struct Signature<F, std::void_t<decltype(&F::operator())>>
    : public decltype(TypesOfMember(&F::operator())){};
template <typename R, typename... Args>
struct Signature<R (*)(Args...)> : public Types<R, Args...> {};
template <typename R, typename... Args>
struct Signature<R (*)(Args...) noexcept> : public Types<R, Args...> {};

template <typename C, typename R, typename... Args>
struct Signature<R (C::*)(Args...)> : public Types<R, Args...> {
  using Class = C;
};
template <typename C, typename R, typename... Args>
struct Signature<R (C::*)(Args...) const> : public Types<R, Args...> {
  using Class = const C;
};

template <typename T>
using NoCR = std::remove_cv_t<std::remove_reference_t<T>>;

// The type that an Optional holds; any other type is unchanged.
template <typename T>
struct Content {
  using Type = T;
};
template <typename T>
struct Content<Optional<T>> : public Content<T> {};

template <typename T>
using IsOptional = std::negation<std::is_same<T, typename Content<T>::Type>>;

// Whether an argument converts to a T.
template <typename T, typename = void>
struct IsParameter : public std::false_type {};
template <typename T>
struct IsParameter<T, std::void_t<decltype(TypeTraits<T>::TryCastFromAnyView(nullptr))>>
    : public std::true_type {};

// Whether a T can be returned to the caller, that is, whether it owns its contents.
template <typename T, typename = void>
struct IsResult : public std::is_void<T> {};
template <typename T>
struct IsResult<T, std::void_t<decltype(TypeTraits<T>::MoveToAny(std::declval<T>(), nullptr))>>
    : public std::true_type {};

// Moves a result out; a type may customise this, such as Expected, which throws its error.
template <typename T, typename = void>
struct ResultTraits {
  static void Move(T value, TVMFFIAny* out) { TypeTraits<T>::MoveToAny(std::move(value), out); }
};
template <typename T>
struct ResultTraits<T, std::void_t<decltype(&TypeTraits<T>::MoveToResult)>> {
  static void Move(T value, TVMFFIAny* out) { TypeTraits<T>::MoveToResult(std::move(value), out); }
};

// The number of required arguments: all but trailing Optionals.
template <typename... Args>
constexpr int32_t RequiredCount(std::tuple<Args...>*) {
  constexpr bool optional[] = {IsOptional<NoCR<Args>>::value..., false};
  int32_t count = static_cast<int32_t>(sizeof...(Args));
  while (count > 0 && optional[count - 1]) --count;
  return count;
}

template <typename T>
std::string ResultName() {
  if constexpr (std::is_void<T>::value) {
    return "None";
  } else {
    return TypeTraitsNoCR<T>::TypeStr();
  }
}

TVM_FFI_COLD inline void AppendParameter(std::string* text, const char* separator,
                                         std::string_view type) {
  *text += separator;
  *text += type;
}

// The name of a type that can be passed.
template <typename T>
TVM_FFI_COLD std::string TypeText() {
  return TypeTraits<T>::TypeStr();
}

// "scale(Tensor, Tensor, float) -> None"
template <typename R, typename... Args>
TVM_FFI_COLD std::string SignatureText(const char* name, std::tuple<Args...>*) {
  std::string text = name;
  [[maybe_unused]] const char* separator = "(";
  (AppendParameter(&text, std::exchange(separator, ", "), TypeText<NoCR<Args>>()), ...);
  text += sizeof...(Args) == 0 ? "() -> " : ") -> ";
  text += ResultName<R>();
  return text;
}

template <typename Fn>
TVM_FFI_COLD std::string SignatureOf(const char* name) {
  return SignatureText<typename Signature<Fn>::Result>(
      name, static_cast<typename Signature<Fn>::Parameters*>(nullptr));
}

template <typename T>
std::string ResultSchema() {
  if constexpr (std::is_void<T>::value) {
    return SchemaText("None");
  } else {
    return TypeTraitsNoCR<T>::TypeSchema();
  }
}

// The JSON text of a function type: its result and parameters.
template <typename R, typename... Args>
TVM_FFI_COLD std::string FunctionSchemaText(const char* name, std::tuple<Args...>*) {
  std::string text = "{\"type\":\"";
  ((text += name) += "\",\"named_args\":{\"return\":[") += ResultSchema<R>();
  text += "],\"params\":[";
  [[maybe_unused]] const char* separator = "";
  ((text += separator, text += TypeTraitsNoCR<Args>::TypeSchema(), separator = ","), ...);
  return text += "]}}";
}
template <typename Fn>
std::string FunctionSchema(const char* name = "ffi.Function") {
  return FunctionSchemaText<typename Signature<Fn>::Result>(
      name, static_cast<typename Signature<Fn>::Parameters*>(nullptr));
}

// A text as a JSON string.
TVM_FFI_COLD inline std::string JsonString(std::string_view text) {
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') {
      (quoted += '\\') += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char code[8];
      std::snprintf(code, sizeof(code), "\\u%04x", static_cast<unsigned>(c));
      quoted += code;
    } else {
      quoted += c;
    }
  }
  return quoted += '"';
}

[[noreturn]] TVM_FFI_COLD inline void ThrowBadCount(const char* name,
                                                    std::string (*signature)(const char* name),
                                                    int32_t required, int32_t most, int32_t got) {
  Message expected;
  expected << required;
  if (most != required) expected << " to " << most;
  TVM_FFI_THROW(TypeError) << signature(name) << ": expected " << expected.take()
                           << (most == 1 ? " argument, got " : " arguments, got ") << got;
}

// Calls the Error method that tells this project's runtime which argument an error is about. The
// published runtime has no such method; there, the error has only its message. A method, because
// looking it up needs no runtime function that a kernel library does not already need.
TVM_FFI_COLD inline void TellArgument(TVMFFIAny* told, int32_t count) {
  constexpr const char* kName = "_set_argument";
  const TVMFFITypeInfo* info = TVMFFIGetTypeInfo(kTVMFFIError);
  for (int32_t i = 0; i < info->num_methods; ++i) {
    const TVMFFIMethodInfo& method = info->methods[i];
    size_t same = 0;  // without memcmp, which a kernel library does not otherwise need
    while (same < method.name.size && kName[same] == method.name.data[same]) ++same;
    if (same != method.name.size || kName[same] != '\0') continue;
    TVMFFIObject* function = method.method.v_obj;
    TVMFFIAny none{};
    const auto* cell = reinterpret_cast<const TVMFFIFunctionCell*>(function + 1);
    if (cell->safe_call(function, told, count, &none) != 0) DropRaised();
  }
}

// `value` is the argument received, in the caller's array. The texts are passed as functions,
// because code that builds them would be repeated for each argument.
[[noreturn]] TVM_FFI_COLD inline void ThrowBadArgument(
    const char* name, std::string (*signature)(const char* name), int index, const TVMFFIAny* value,
    std::string (*wanted_text)(), std::string (*got_text)(const TVMFFIAny* value)) {
  const std::string wanted = wanted_text();
  const std::string got = got_text(value);
  Message message;
  message << signature(name) << ": argument " << index << ": expected ";
  const auto expected_at = static_cast<int64_t>(message.size());
  message << wanted << ", got ";
  const auto got_at = static_cast<int64_t>(message.size());
  message << got;
  const Error error = Thrower{"TypeError", __FILE__, __LINE__, __func__}.Made(message);
  const std::string type = TypeName(value);
  AnyView told[] = {error,       static_cast<void*>(const_cast<TVMFFIAny*>(value)),
                    expected_at, static_cast<int64_t>(wanted.size()),
                    got_at,      static_cast<int64_t>(got.size()),
                    type.c_str()};
  TellArgument(reinterpret_cast<TVMFFIAny*>(told), 7);
  throw error;
}

// Converts and holds one argument during a call; P is the parameter's type.
template <typename P, typename Fn, size_t I>
class Argument {
 public:
  Argument(const char* name, const TVMFFIAny* args, int32_t num_args)
      : held_(Given(args, num_args)) {
    if (held_.has_value()) return;
    ThrowBadArgument(name, SignatureOf<Fn>, static_cast<int>(I), Given(args, num_args),
                     TypeText<NoCR<P>>, MismatchText<NoCR<P>>);
  }
  // A reference binds to the held value; a value is moved out of it.
  decltype(auto) Pass() {
    if constexpr (std::is_lvalue_reference<P>::value) {
      static_assert(std::is_const<std::remove_reference_t<P>>::value,
                    "a parameter is a value or a const reference");
      return static_cast<P>(*held_);
    } else {
      return *std::move(held_);
    }
  }

 private:
  static const TVMFFIAny* Given(const TVMFFIAny* args, int32_t num_args) {
    static constexpr TVMFFIAny kNone{};
    return static_cast<int32_t>(I) < num_args ? args + I : &kNone;
  }
  ArgumentHolder<NoCR<P>> held_;
};

// All arguments of a call. Bases are constructed in order, so the first bad argument is reported.
template <typename Fn, typename Parameters, typename Indices>
struct Arguments;
template <typename Fn, typename... Args, size_t... I>
struct Arguments<Fn, std::tuple<Args...>, std::index_sequence<I...>>
    : public Argument<Args, Fn, I>... {
  Arguments(const char* name, const TVMFFIAny* args, int32_t num_args)
      : Argument<Args, Fn, I>(name, args, num_args)... {
    (void)name, (void)args, (void)num_args;
  }
  template <typename F>
  decltype(auto) Apply(F& function) {
    return function(Argument<Args, Fn, I>::Pass()...);
  }
  static constexpr bool kConvertible =
      (IsParameter<typename Content<NoCR<Args>>::Type>::value && ...);
};

// Calls `function` with converted arguments. Fn is the type that determines its signature.
template <typename Fn, typename F>
void CallUnpacked(const char* name, F& function, const TVMFFIAny* args, int32_t num_args,
                  TVMFFIAny* result) {
  using R = typename Signature<Fn>::Result;
  using Parameters = typename Signature<Fn>::Parameters;
  using Held =
      Arguments<Fn, Parameters, std::make_index_sequence<std::tuple_size<Parameters>::value>>;
  static_assert(Held::kConvertible, "a parameter's type cannot be passed; see TypeTraits");
  static_assert(IsResult<typename Content<NoCR<R>>::Type>::value,
                "the result's type cannot be returned: return an owner, such as Tensor or String");
  constexpr int32_t kMost = Signature<Fn>::kCount;
  constexpr int32_t kRequired = RequiredCount(static_cast<Parameters*>(nullptr));
  if (num_args < kRequired || num_args > kMost) {
    ThrowBadCount(name, SignatureOf<Fn>, kRequired, kMost, num_args);
  }
  Held held(name, args, num_args);
  if constexpr (std::is_void<R>::value) {
    held.Apply(function);
  } else {
    ResultTraits<NoCR<R>>::Move(held.Apply(function), result);
  }
}

// The body of an exported symbol.
template <typename F>
int CallExported(const char* name, F&& function, const TVMFFIAny* args, int32_t num_args,
                 TVMFFIAny* result) {
  TVM_FFI_SAFE_CALL_BEGIN();
  CallUnpacked<std::decay_t<F>>(name, function, args, num_args, result);
  TVM_FFI_SAFE_CALL_END();
}

// The body of an exported metadata or documentation symbol.
inline int ReturnText(std::string (*text)(), TVMFFIAny* result) {
  TVM_FFI_SAFE_CALL_BEGIN();
  TypeTraits<String>::MoveToAny(String(text()), result);
  TVM_FFI_SAFE_CALL_END();
}

inline std::string JoinNames(std::initializer_list<const char*> names) {
  std::string text;
  for (const char* name : names) ((text += text.empty() ? "" : ",") += name);
  return text;
}

// The metadata of a function. Takes the function to deduce its type; a lambda's type has no name.
template <typename F>
int DescribeExported(F&&, TVMFFIAny* result) {
  return ReturnText(
      [] { return "{\"type_schema\":" + JsonString(FunctionSchema<std::decay_t<F>>()) + "}"; },
      result);
}

template <typename R, typename F, typename... Args>
constexpr bool kIsCallable = std::is_invocable_r<R, F, Args...>::value;

}  // namespace detail
}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_FUNCTION_DETAILS_H_
