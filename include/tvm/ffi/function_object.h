// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/function_object.h
 * \brief Functions as objects: created from C++ or C, looked up by name, and called.
 */
#ifndef TVM_FFI_FUNCTION_OBJECT_H_
#define TVM_FFI_FUNCTION_OBJECT_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/function_details.h>
#include <tvm/ffi/keep_library.h>
#include <tvm/ffi/string.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

template <typename T>
class Expected;
class GlobalNames;
template <typename Signature>
class TypedFunction;

/*! \brief The arguments of a packed function: a borrowed array of values. */
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
  /*! \brief The arguments from `begin` up to `end`, or to the last if `end` is negative. */
  PackedArgs Slice(int32_t begin, int32_t end = -1) const {
    return PackedArgs(data_ + begin, (end < 0 ? size_ : end) - begin);
  }
  /*! \brief Writes a view of each value, in order, to the array at `data`. */
  template <typename... Args>
  static void Fill(AnyView* data, const Args&... args) {
    ((*data++ = AnyView(args)), ...);
  }

 private:
  const AnyView* data_;
  int32_t size_;
};

static_assert(sizeof(AnyView) == sizeof(TVMFFIAny), "AnyView is laid out like TVMFFIAny");

/*! \brief A function object. */
class FunctionObj : public Object, public TVMFFIFunctionCell {
 public:
  /*! \brief Fixed index of the type. */
  static constexpr int32_t _type_index = kTVMFFIFunction;
  /*! \brief No other type derives from it. */
  static constexpr bool _type_final = true;
  TVM_FFI_DECLARE_OBJECT_INFO_STATIC("ffi.Function", FunctionObj, Object)
};

namespace detail {

// A function object whose code is in this library. Calls from elsewhere go through `safe_call`;
// calls from within the library need not carry errors across the ABI.
class LocalFunctionObj : public FunctionObj {
 public:
  using Call = void (*)(LocalFunctionObj* self, const TVMFFIAny* args, int32_t num_args,
                        TVMFFIAny* result);

  explicit LocalFunctionObj(Call call) : call_(call) {
    safe_call = SafeCall;
    cpp_call = nullptr;
  }

  // The object, if this library created it; NULL otherwise.
  static LocalFunctionObj* Find(const FunctionObj* function) {
    if (function->safe_call != SafeCall) return nullptr;
    return static_cast<LocalFunctionObj*>(const_cast<FunctionObj*>(function));
  }

  // Throws only errors, like a call across the ABI. `result` must be None.
  void Run(const TVMFFIAny* args, int32_t num_args, TVMFFIAny* result) {
    try {
      call_(this, args, num_args, result);
    } catch (const Error&) {
      throw;
    } catch (...) {
      ThrowRaised(RaiseCurrentException());
    }
  }

 private:
  static int SafeCall(void* handle, const TVMFFIAny* args, int32_t num_args, TVMFFIAny* result) {
    TVM_FFI_SAFE_CALL_BEGIN();
    auto* self = static_cast<LocalFunctionObj*>(static_cast<Object*>(handle));
    self->call_(self, args, num_args, result);
    TVM_FFI_SAFE_CALL_END();
  }

  Call call_;
};

// A function object with the state passed to each call.
template <typename State, typename Function>
class LocalFunctionOf : public LocalFunctionObj {
 public:
  LocalFunctionOf(State&& state, Function&& function)
      : LocalFunctionObj(CallWithState), state_(std::move(state)), function_(std::move(function)) {}

 private:
  static void CallWithState(LocalFunctionObj* self, const TVMFFIAny* args, int32_t num_args,
                            TVMFFIAny* result) {
    auto* object = static_cast<LocalFunctionOf*>(self);
    object->function_(object->state_, args, num_args, result);
  }

  State state_;
  Function function_;
};

}  // namespace detail

/*! \brief A function that any language can create and call. */
class Function : public ObjectRef {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Function, ObjectRef, FunctionObj);

  /*! \brief A null function. */
  Function(std::nullptr_t) {}  // NOLINT(runtime/explicit)
  /*! \brief Same as FromPacked(packed). */
  template <typename F, typename = std::enable_if_t<
                            !std::is_base_of<ObjectRef, std::decay_t<F>>::value &&
                            detail::kIsCallable<void, std::decay_t<F>&, PackedArgs, Any*>>>
  explicit Function(F&& packed) : Function(FromPacked(std::forward<F>(packed))) {}

  /*!
   * \brief Wraps a function that takes its arguments unconverted.
   * \param function `void(PackedArgs args, Any* result)`, or
   *        `void(const AnyView* args, int32_t num_args, Any* result)`.
   */
  template <typename F>
  static Function FromPacked(F function) {
    return Make(std::move(function),
                [](F& state, const TVMFFIAny* args, int32_t num_args, TVMFFIAny* result) {
                  Any value;
                  auto* views = reinterpret_cast<const AnyView*>(args);
                  if constexpr (detail::kIsCallable<void, F&, const AnyView*, int32_t, Any*>) {
                    state(views, num_args, &value);
                  } else {
                    state(PackedArgs(views, num_args), &value);
                  }
                  *result = std::move(value).MoveToTVMFFIAny();
                });
  }

  /*! \brief Wraps a callable whose types can be passed; error messages name it "function". */
  template <typename F>
  static Function FromTyped(F function) {
    return FromTypedAs<F>(std::move(function), "function");
  }
  /*! \brief Wraps a callable whose types can be passed; error messages name it `name`. */
  template <typename F>
  static Function FromTyped(F function, std::string name) {
    return FromTypedAs<F>(std::move(function), std::move(name));
  }

  /*!
   * \brief Wraps a C function.
   * \param self State passed to `safe_call`; may be NULL.
   * \param safe_call The function.
   * \param deleter Called with `self` when the Function is freed; may be NULL. Must not throw.
   */
  static Function FromExternC(void* self, TVMFFISafeCallType safe_call,
                              void (*deleter)(void* self)) {
    TVMFFIObjectHandle handle = nullptr;
    TVM_FFI_CHECK_SAFE_CALL(TVMFFIFunctionCreate(self, safe_call, deleter, &handle));
    return Function(ObjectUnsafe::PtrFromOwned<FunctionObj>(handle));
  }
  /*! \brief Calls a C function without creating a Function; throws the error that it raises. */
  template <typename... Args>
  static Any InvokeExternC(void* handle, TVMFFISafeCallType safe_call, const Args&... args) {
    return InvokeLent(handle, safe_call, detail::Lend(args)...);
  }

  /*! \brief The global function with that name, if there is one. */
  static std::optional<Function> GetGlobal(std::string_view name) {
    TVMFFIByteArray bytes{name.data(), name.size()};
    TVMFFIObjectHandle handle = nullptr;
    TVM_FFI_CHECK_SAFE_CALL(TVMFFIFunctionGetGlobal(&bytes, &handle));
    if (handle == nullptr) return std::nullopt;
    return Function(ObjectUnsafe::PtrFromOwned<FunctionObj>(handle));
  }
  /*! \brief The global function with that name; throws a ValueError if there is none. */
  static Function GetGlobalRequired(std::string_view name) {
    std::optional<Function> function = GetGlobal(name);
    TVM_FFI_CHECK(function.has_value(), ValueError)
        << "Function::GetGlobalRequired: expected a registered name, got \"" << name << "\"";
    return *std::move(function);
  }
  /*! \brief Registers a global function. If `name` is taken, replaces it or throws a ValueError. */
  static void SetGlobal(std::string_view name, const Function& function,
                        bool allow_override = false) {
    TVMFFIByteArray bytes{name.data(), name.size()};
    TVM_FFI_CHECK_SAFE_CALL(
        TVMFFIFunctionSetGlobal(&bytes, ObjectUnsafe::Borrow(function), allow_override));
  }

  /*! \brief Removes a global function; returns whether there was one. */
  static bool RemoveGlobal(std::string_view name) {
    return GetGlobalRequired("ffi.FunctionRemoveGlobal")(String(name)).cast<bool>();
  }
  /*! \brief A snapshot of the global function names, to iterate over or to keep in a vector. */
  template <typename Names = GlobalNames>  // complete where this is called
  static Names ListGlobalNames() {
    return Names(GetGlobalRequired("ffi.FunctionListGlobalNamesFunctor")().cast<Function>());
  }

  /*! \brief Calls the function; throws the error that it raises. */
  void CallPacked(PackedArgs args, Any* result) const {
    CallPacked(args.data(), args.size(), result);
  }
  /*! \brief Calls the function; throws the error that it raises, leaving `*result` unchanged. An
   * argument may be a view of `*result`. */
  void CallPacked(const AnyView* args, int32_t num_args, Any* result) const {
    Any made;  // keeps `*result` until the call is over: an argument may be a view of it
    CallInto(args, num_args, &made);
    *result = std::move(made);
  }
  /*!
   * \brief Calls the function and returns its result, or the error that it raises.
   *
   * An Error that it returns, as functions built with the published headers do, counts as raised.
   * \tparam T The type to which the result is converted. Requires the header of Expected.
   */
  template <typename T = Any, typename... Args>
  Expected<T> CallExpected(const Args&... args) const {
    try {
      Any result = (*this)(args...);
      if (std::optional<Error> error = result.as<Error>()) return Expected<T>(*std::move(error));
      return Expected<T>(std::move(result).template cast<T>());
    } catch (const Error& error) {
      return Expected<T>(error);
    }
  }
  /*! \brief Calls the function; throws the error that it raises, or a ValueError if null. */
  template <typename... Args>
  Any operator()(const Args&... args) const {
    if constexpr ((detail::kIsView<Args> && ...)) {
      return CallLent(args...);
    } else {
      return CallLent(detail::Lend(args)...);
    }
  }

 private:
  template <typename... Lent>
  static Any InvokeLent(void* handle, TVMFFISafeCallType safe_call, const Lent&... lent) {
    const AnyView views[] = {AnyView(lent)..., AnyView()};
    Any result;
    TVM_FFI_CHECK_SAFE_CALL(safe_call(handle, reinterpret_cast<const TVMFFIAny*>(views),
                                      static_cast<int32_t>(sizeof...(Lent)), result.Reset()));
    return result;
  }
  template <typename... Lent>
  Any CallLent(const Lent&... lent) const {
    // One extra element, because an array cannot be empty.
    const AnyView views[] = {AnyView(lent)..., AnyView()};
    Any result;
    CallInto(views, static_cast<int32_t>(sizeof...(Lent)), &result);
    return result;
  }
  // Like CallPacked; `result` must be a new Any.
  void CallInto(const AnyView* args, int32_t num_args, Any* result) const {
    const FunctionObj* function = get();
    if (function == nullptr) ThrowNull();
    auto* values = reinterpret_cast<const TVMFFIAny*>(args);  // NULL if there are none
    auto* out = reinterpret_cast<TVMFFIAny*>(result);
    if (detail::LocalFunctionObj* local = detail::LocalFunctionObj::Find(function)) {
      local->Run(values, num_args, out);
      return;
    }
    TVM_FFI_CHECK_SAFE_CALL(
        function->safe_call(const_cast<FunctionObj*>(function), values, num_args, out));
  }
  [[noreturn]] TVM_FFI_COLD static void ThrowNull() {
    TVM_FFI_THROW(ValueError) << "Function: expected a function, got a null handle";
  }

  // Fn determines the signature; F is called. Name is std::string, or const char* for a literal,
  // which needs no copy.
  template <typename Fn, typename F, typename Name>
  static Function FromTypedAs(F function, Name name) {
    struct Named {
      F function;
      Name name;
    };
    return Make(Named{std::move(function), std::move(name)},
                [](Named& named, const TVMFFIAny* args, int32_t num_args, TVMFFIAny* result) {
                  const char* text;
                  if constexpr (std::is_same<Name, std::string>::value) {
                    text = named.name.c_str();
                  } else {
                    text = named.name;
                  }
                  detail::CallUnpacked<Fn>(text, named.function, args, num_args, result);
                });
  }

  // `call(state, args, num_args, result)` may throw; `*result` is None on entry.
  template <typename State, typename Call>
  static Function Make(State state, Call call) {
    detail::KeepLibrary();
    return Function(
        make_object<detail::LocalFunctionOf<State, Call>>(std::move(state), std::move(call)));
  }

  template <typename>
  friend class TypedFunction;
};

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_FUNCTION_OBJECT_H_
