// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/function.h
 * \brief Functions that every language can call, and the macro that exports one from a library.
 */
#ifndef TVM_FFI_FUNCTION_H_
#define TVM_FFI_FUNCTION_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/optional.h>
#include <tvm/ffi/string.h>

#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

/*! \brief The arguments of a packed function: a lent array of values. */
class PackedArgs {
 public:
  /*! \brief The `size` values at `data`. */
  PackedArgs(const AnyView* data, int32_t size) : data_(data), size_(size) {}
  /*! \brief Number of arguments. */
  int32_t size() const { return size_; }
  /*! \brief First argument. */
  const AnyView* data() const { return data_; }
  /*! \brief The argument at `i`, which must be below size(). */
  AnyView operator[](int32_t i) const { return data_[i]; }

 private:
  const AnyView* data_;
  int32_t size_;
};

static_assert(sizeof(AnyView) == sizeof(TVMFFIAny), "AnyView is laid out like TVMFFIAny");

namespace detail {

// A result and parameters.
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

// The result and the parameters of anything callable.
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

template <typename T>
using NoCR = std::remove_cv_t<std::remove_reference_t<T>>;

// What an Optional holds; any other type is itself.
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

// Whether a T can be handed to the caller: whether it owns what it stands for.
template <typename T, typename = void>
struct IsResult : public std::is_void<T> {};
template <typename T>
struct IsResult<T, std::void_t<decltype(TypeTraits<T>::MoveToAny(std::declval<T>(), nullptr))>>
    : public std::true_type {};

// Hands a result over; a type may have its own way, such as Expected, which throws its error.
template <typename T, typename = void>
struct ResultTraits {
  static void Move(T value, TVMFFIAny* out) { TypeTraits<T>::MoveToAny(std::move(value), out); }
};
template <typename T>
struct ResultTraits<T, std::void_t<decltype(&TypeTraits<T>::MoveToResult)>> {
  static void Move(T value, TVMFFIAny* out) { TypeTraits<T>::MoveToResult(std::move(value), out); }
};

// How many arguments must be given: all but trailing Optionals.
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

// "scale(Tensor, Tensor, float) -> None"
template <typename R, typename... Args>
TVM_FFI_COLD std::string SignatureText(const char* name, std::tuple<Args...>*) {
  std::string text = name;
  text += '(';
  [[maybe_unused]] const char* separator = "";
  ((text += separator, text += TypeTraitsNoCR<Args>::TypeStr(), separator = ", "), ...);
  return text + ") -> " + ResultName<R>();
}

[[noreturn]] TVM_FFI_COLD inline void ThrowBadCount(const std::string& signature, int32_t required,
                                                    int32_t most, int32_t got) {
  Message expected;
  expected << required;
  if (most != required) expected << " to " << most;
  TVM_FFI_THROW(TypeError) << signature << ": expected " << expected.take()
                           << (most == 1 ? " argument, got " : " arguments, got ") << got;
}

[[noreturn]] TVM_FFI_COLD inline void ThrowBadArgument(const std::string& signature, int index,
                                                       const std::string& wanted,
                                                       const std::string& got) {
  TVM_FFI_THROW(TypeError) << signature << ": argument " << index << ": expected " << wanted
                           << ", got " << got;
}

// Converts and holds one argument during a call; P is the parameter's type.
template <typename P, typename Fn, size_t I>
class Argument {
 public:
  Argument(const char* name, const TVMFFIAny* args, int32_t num_args)
      : held_(Given(args, num_args)) {
    if (held_.has_value()) return;
    ThrowBadArgument(SignatureText<typename Signature<Fn>::Result>(
                         name, static_cast<typename Signature<Fn>::Parameters*>(nullptr)),
                     static_cast<int>(I), TypeTraitsNoCR<P>::TypeStr(),
                     MismatchText<NoCR<P>>(Given(args, num_args)));
  }
  // A reference binds to what is held; a value is moved out of it.
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

// All arguments of a call. Bases are made in order, so the first bad argument is the one reported.
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

// Calls `function` with converted arguments. Fn is the type that tells its signature.
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
    ThrowBadCount(SignatureText<R>(name, static_cast<Parameters*>(nullptr)), kRequired, kMost,
                  num_args);
  }
  Held held(name, args, num_args);
  if constexpr (std::is_void<R>::value) {
    held.Apply(function);
  } else {
    ResultTraits<NoCR<R>>::Move(held.Apply(function), result);
  }
}

// What an exported symbol does.
template <typename F>
int CallExported(const char* name, F&& function, const TVMFFIAny* args, int32_t num_args,
                 TVMFFIAny* result) {
  TVM_FFI_SAFE_CALL_BEGIN();
  CallUnpacked<std::decay_t<F>>(name, function, args, num_args, result);
  TVM_FFI_SAFE_CALL_END();
}

}  // namespace detail

/*! \brief A function object. */
class FunctionObj : public Object, public TVMFFIFunctionCell {
 public:
  /*! \brief Fixed index of the type. */
  static constexpr int32_t _type_index = kTVMFFIFunction;
  /*! \brief No other type derives from it. */
  static constexpr bool _type_final = true;
  TVM_FFI_DECLARE_OBJECT_INFO_STATIC("ffi.Function", FunctionObj, Object)
};

/*! \brief A function that every language can make and call. */
class Function : public ObjectRef {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Function, ObjectRef, FunctionObj);

  /*! \brief Wraps `void(PackedArgs args, Any* result)`. */
  template <typename F>
  static Function FromPacked(F function) {
    return Make(std::move(function),
                [](void* self, const TVMFFIAny* args, int32_t num_args, TVMFFIAny* result) -> int {
                  TVM_FFI_SAFE_CALL_BEGIN();
                  Any value;
                  (*static_cast<F*>(self))(
                      PackedArgs(reinterpret_cast<const AnyView*>(args), num_args), &value);
                  *result = std::move(value).MoveToTVMFFIAny();
                  TVM_FFI_SAFE_CALL_END();
                });
  }

  /*! \brief Wraps anything callable whose types can be passed; `name` is shown in its errors. */
  template <typename F>
  static Function FromTyped(F function, std::string name = "function") {
    struct Named {
      F function;
      std::string name;
    };
    return Make(Named{std::move(function), std::move(name)},
                [](void* self, const TVMFFIAny* args, int32_t num_args, TVMFFIAny* result) -> int {
                  TVM_FFI_SAFE_CALL_BEGIN();
                  auto* named = static_cast<Named*>(self);
                  detail::CallUnpacked<F>(named->name.c_str(), named->function, args, num_args,
                                          result);
                  TVM_FFI_SAFE_CALL_END();
                });
  }

  /*! \brief The global function of that name, if there is one. */
  static std::optional<Function> GetGlobal(std::string_view name) {
    TVMFFIByteArray bytes{name.data(), name.size()};
    TVMFFIObjectHandle handle = nullptr;
    TVM_FFI_CHECK_SAFE_CALL(TVMFFIFunctionGetGlobal(&bytes, &handle));
    if (handle == nullptr) return std::nullopt;
    return Function(ObjectUnsafe::PtrFromOwned<FunctionObj>(handle));
  }
  /*! \brief The global function of that name; a ValueError is thrown if there is none. */
  static Function GetGlobalRequired(std::string_view name) {
    std::optional<Function> function = GetGlobal(name);
    TVM_FFI_CHECK(function.has_value(), ValueError)
        << "Function::GetGlobalRequired: expected a registered name, got \"" << name << "\"";
    return *std::move(function);
  }
  /*! \brief Registers a global function; a ValueError is thrown if the name is taken. */
  static void SetGlobal(std::string_view name, const Function& function,
                        bool allow_override = false) {
    TVMFFIByteArray bytes{name.data(), name.size()};
    TVM_FFI_CHECK_SAFE_CALL(
        TVMFFIFunctionSetGlobal(&bytes, ObjectUnsafe::Borrow(function), allow_override));
  }

  /*! \brief Calls the function; what it raises is thrown. */
  void CallPacked(const AnyView* args, int32_t num_args, Any* result) const {
    TVMFFIAny* out = result->Reset();
    TVM_FFI_CHECK(defined(), ValueError) << "Function: expected a function, got a null handle";
    const FunctionObj* cell = get();
    TVM_FFI_CHECK_SAFE_CALL(cell->safe_call(
        const_cast<FunctionObj*>(cell), reinterpret_cast<const TVMFFIAny*>(args), num_args, out));
  }
  /*! \brief Calls the function; what it raises is thrown. */
  template <typename... Args>
  Any operator()(const Args&... args) const {
    return CallLent(detail::Lend(args)...);
  }

 private:
  template <typename... Lent>
  Any CallLent(const Lent&... lent) const {
    // One more, because an array of no elements is none.
    const AnyView views[] = {AnyView(lent)..., AnyView()};
    Any result;
    CallPacked(views, static_cast<int32_t>(sizeof...(Lent)), &result);
    return result;
  }

  template <typename State>
  static Function Make(State state, TVMFFISafeCallType call) {
    auto owned = std::make_unique<State>(std::move(state));
    TVMFFIObjectHandle handle = nullptr;
    TVM_FFI_CHECK_SAFE_CALL(TVMFFIFunctionCreate(
        owned.get(), call, [](void* self) { delete static_cast<State*>(self); }, &handle));
    owned.release();
    return Function(ObjectUnsafe::PtrFromOwned<FunctionObj>(handle));
  }
};

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

/*!
 * \brief Exports a function or a lambda under a name, as the C symbol `__tvm_ffi_<name>`.
 *
 * Parameters and result are converted by TypeTraits. A wrong number or type of arguments raises a
 * TypeError that shows the signature; trailing Optional parameters may be left out.
 * Names that begin with an underscore are kept for what tells about a library.
 */
#define TVM_FFI_DLL_EXPORT_TYPED_FUNC(ExportName, ...)                                            \
  extern "C" TVM_FFI_DLL_EXPORT int __tvm_ffi_##ExportName(void*, const TVMFFIAny* args,          \
                                                           int32_t num_args, TVMFFIAny* result) { \
    return ::tvm::ffi::detail::CallExported(#ExportName, __VA_ARGS__, args, num_args, result);    \
  }                                                                                               \
  static_assert(#ExportName[0] != '_', "expected a name that does not begin with an underscore")

#endif  // TVM_FFI_FUNCTION_H_
