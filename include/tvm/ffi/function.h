// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/function.h
 * \brief Functions that every language can call, and the macro that exports one from a library.
 */
#ifndef TVM_FFI_FUNCTION_H_
#define TVM_FFI_FUNCTION_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/function_details.h>
#include <tvm/ffi/keep_library.h>
#include <tvm/ffi/optional.h>
#include <tvm/ffi/string.h>

#include <cstddef>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

/*!
 * \brief Define it as 1 before the first include to export the signature of each exported function.
 *
 * TVM_FFI_DLL_EXPORT_TYPED_FUNC then also makes `__tvm_ffi__metadata_<name>`.
 */
#ifndef TVM_FFI_DLL_EXPORT_INCLUDE_METADATA
#define TVM_FFI_DLL_EXPORT_INCLUDE_METADATA 0
#endif

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

template <typename T>
class Expected;
class GlobalNames;
template <typename Signature>
class TypedFunction;

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
  /*! \brief The arguments from `begin` up to `end`; up to the last if `end` is negative. */
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

// A function object that is code of this very library. Calls from elsewhere go through `safe_call`;
// calls from the library itself need no error to be carried over a border.
class LocalFunctionObj : public FunctionObj {
 public:
  using Call = void (*)(LocalFunctionObj* self, const TVMFFIAny* args, int32_t num_args,
                        TVMFFIAny* result);

  explicit LocalFunctionObj(Call call) : call_(call) {
    safe_call = SafeCall;
    cpp_call = nullptr;
  }

  // The object, if it was made by this library.
  static LocalFunctionObj* Find(const FunctionObj* function) {
    if (function->safe_call != SafeCall) return nullptr;
    return static_cast<LocalFunctionObj*>(const_cast<FunctionObj*>(function));
  }

  // Throws only errors, as a call over a border does. `result` is None before.
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

// One with the state that it is called with.
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

/*! \brief A function that every language can make and call. */
class Function : public ObjectRef {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Function, ObjectRef, FunctionObj);

  /*! \brief No function. */
  Function(std::nullptr_t) {}  // NOLINT(runtime/explicit)
  /*! \brief FromPacked(packed). */
  template <typename F, typename = std::enable_if_t<
                            !std::is_base_of<ObjectRef, std::decay_t<F>>::value &&
                            detail::kIsCallable<void, std::decay_t<F>&, PackedArgs, Any*>>>
  explicit Function(F&& packed) : Function(FromPacked(std::forward<F>(packed))) {}

  /*!
   * \brief Wraps a function that takes its arguments as they come.
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

  /*! \brief Wraps anything callable whose types can be passed; `name` is shown in its errors. */
  template <typename F>
  static Function FromTyped(F function, std::string name = "function") {
    return FromTypedAs<F>(std::move(function), std::move(name));
  }

  /*!
   * \brief Wraps a C function.
   * \param self State handed to `safe_call`; may be NULL.
   * \param safe_call The function.
   * \param deleter Called with `self` when the Function is freed; may be NULL. Must not throw.
   */
  static Function FromExternC(void* self, TVMFFISafeCallType safe_call,
                              void (*deleter)(void* self)) {
    TVMFFIObjectHandle handle = nullptr;
    TVM_FFI_CHECK_SAFE_CALL(TVMFFIFunctionCreate(self, safe_call, deleter, &handle));
    return Function(ObjectUnsafe::PtrFromOwned<FunctionObj>(handle));
  }
  /*! \brief Calls a C function without making a Function of it; what it raises is thrown. */
  template <typename... Args>
  static Any InvokeExternC(void* handle, TVMFFISafeCallType safe_call, const Args&... args) {
    return InvokeLent(handle, safe_call, detail::Lend(args)...);
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

  /*! \brief Takes a global function out of the table; whether there was one. */
  static bool RemoveGlobal(std::string_view name) {
    return GetGlobalRequired("ffi.FunctionRemoveGlobal")(String(name)).cast<bool>();
  }
  /*! \brief The names of the global functions at this moment, to iterate or to keep in a vector. */
  template <typename Names = GlobalNames>  // which is complete where this is called
  static Names ListGlobalNames() {
    return Names(GetGlobalRequired("ffi.FunctionListGlobalNamesFunctor")().cast<Function>());
  }

  /*! \brief Calls the function; what it raises is thrown. */
  void CallPacked(PackedArgs args, Any* result) const {
    CallPacked(args.data(), args.size(), result);
  }
  /*! \brief Calls the function; what it raises is thrown, and `*result` stays as it was. An
   * argument may be a view of `*result`. */
  void CallPacked(const AnyView* args, int32_t num_args, Any* result) const {
    Any made;  // `*result` stays until the call is over, for an argument may be a view of it.
    CallInto(args, num_args, &made);
    *result = std::move(made);
  }
  /*!
   * \brief Calls the function; what it raises is returned as the error of an Expected.
   *
   * So is an Error that it returns, as functions made with the published headers do.
   * \tparam T What the result is converted to. Needs the header of Expected.
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
  /*! \brief Calls the function; what it raises is thrown. */
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
    // One more, because an array of no elements is none.
    const AnyView views[] = {AnyView(lent)..., AnyView()};
    Any result;
    CallInto(views, static_cast<int32_t>(sizeof...(Lent)), &result);
    return result;
  }
  // As CallPacked; `result` is a new Any.
  void CallInto(const AnyView* args, int32_t num_args, Any* result) const {
    const FunctionObj* function = get();
    if (function == nullptr) ThrowNull();
    auto* values = reinterpret_cast<const TVMFFIAny*>(args);  // NULL where there are none
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

  // Fn is the type that tells the signature, F what is called.
  template <typename Fn, typename F>
  static Function FromTypedAs(F function, std::string name) {
    struct Named {
      F function;
      std::string name;
    };
    return Make(Named{std::move(function), std::move(name)},
                [](Named& named, const TVMFFIAny* args, int32_t num_args, TVMFFIAny* result) {
                  detail::CallUnpacked<Fn>(named.name.c_str(), named.function, args, num_args,
                                           result);
                });
  }

  // `call(state, args, num_args, result)` may throw; `*result` is None before.
  template <typename State, typename Call>
  static Function Make(State state, Call call) {
    detail::KeepLibrary();
    return Function(
        make_object<detail::LocalFunctionOf<State, Call>>(std::move(state), std::move(call)));
  }

  template <typename>
  friend class TypedFunction;
};

/*! \brief The names that Function::ListGlobalNames found. */
class GlobalNames {
 public:
  /*! \brief A place among the names, an input iterator. */
  class Iterator {
   public:
    /*! \brief What kind of iterator it is. */
    using iterator_category = std::input_iterator_tag;
    /*! \brief What it gives. */
    using value_type = String;
    /*! \brief Distance of two places. */
    using difference_type = int64_t;
    /*! \brief None: names are made when asked for. */
    using pointer = void;
    /*! \brief A name. */
    using reference = String;

    /*! \brief The place `index` of `names`, which must outlive it. */
    Iterator(const GlobalNames* names, int64_t index) : names_(names), index_(index) {}
    /*! \brief The name. */
    String operator*() const { return (*names_)[static_cast<size_t>(index_)]; }
    /*! \brief Goes to the next name. */
    Iterator& operator++() {
      ++index_;
      return *this;
    }
    /*! \brief Whether both are at the same place. */
    bool operator==(const Iterator& other) const { return index_ == other.index_; }
    /*! \brief Whether they are at different places. */
    bool operator!=(const Iterator& other) const { return index_ != other.index_; }

   private:
    const GlobalNames* names_;
    int64_t index_;
  };

  /*! \brief The names that a function of the index gives; it gives their number for -1. */
  explicit GlobalNames(Function names) : names_(std::move(names)) {}

  /*! \brief Number of names. */
  size_t size() const { return names_(-1).cast<size_t>(); }
  /*! \brief The name at `i`; an IndexError is thrown beyond the end. */
  String operator[](size_t i) const { return names_(i).cast<String>(); }
  /*! \brief The first name. */
  Iterator begin() const { return Iterator(this, 0); }
  /*! \brief Behind the last name. */
  Iterator end() const { return Iterator(this, static_cast<int64_t>(size())); }
  /*! \brief The names in a container, such as std::vector<String>. */
  template <typename Container, typename = std::enable_if_t<
                                    std::is_constructible<Container, Iterator, Iterator>::value>>
  operator Container() const {
    return Container(begin(), end());
  }

 private:
  Function names_;
};

/*!
 * \brief A Function with a signature, `TypedFunction<R(Args...)>`: calls convert their result.
 *
 * As a parameter it takes any function; that the signature fits shows when it is called.
 */
template <typename Signature>
class TypedFunction;

/*! \brief A Function that takes `Args...` and returns an R. */
template <typename R, typename... Args>
class TypedFunction<R(Args...)> {
 public:
  /*! \brief No function. */
  TypedFunction() = default;
  /*! \brief No function. */
  TypedFunction(std::nullptr_t) {}  // NOLINT(runtime/explicit)
  /*! \brief Gives `packed` the signature, unchecked. */
  TypedFunction(Function packed) : packed_(std::move(packed)) {}  // NOLINT(runtime/explicit)
  /*! \brief Wraps anything that can be called so; `name` is shown in its errors. */
  template <typename F,
            typename = std::enable_if_t<!std::is_base_of<ObjectRef, std::decay_t<F>>::value &&
                                        !std::is_same<std::decay_t<F>, TypedFunction>::value &&
                                        detail::kIsCallable<R, std::decay_t<F>&, Args...>>>
  TypedFunction(F&& function, std::string name = "function")  // NOLINT(runtime/explicit)
      : packed_(Function::FromTypedAs<R (*)(Args...)>(std::decay_t<F>(std::forward<F>(function)),
                                                      std::move(name))) {}

  /*! \brief Calls the function; a TypeError is thrown if the result does not convert to R. */
  R operator()(Args... args) const {
    if constexpr (std::is_void<R>::value) {
      packed_(args...);
    } else {
      return packed_(args...).template cast<R>();
    }
  }
  /*! \brief The function without the signature. */
  const Function& packed() const { return packed_; }
  /*! \brief The function without the signature. */
  operator Function() const { return packed_; }
  /*! \brief Whether there is no function. */
  bool operator==(std::nullptr_t) const { return packed_ == nullptr; }
  /*! \brief Whether there is a function. */
  bool operator!=(std::nullptr_t) const { return packed_ != nullptr; }

 private:
  Function packed_;
};

template <typename R, typename... Args>
struct TypeTraits<TypedFunction<R(Args...)>> : public detail::TypeTraitsBase {
  using Self = TypedFunction<R(Args...)>;

  static void CopyToAnyView(const Self& value, TVMFFIAny* out) {
    TypeTraits<Function>::CopyToAnyView(value.packed(), out);
  }
  static void MoveToAny(const Self& value, TVMFFIAny* out) {
    TypeTraits<Function>::MoveToAny(value.packed(), out);
  }
  static bool CheckAnyStrict(const TVMFFIAny* any) {
    return TypeTraits<Function>::CheckAnyStrict(any);
  }
  static Self CopyFromAnyViewAfterCheck(const TVMFFIAny* any) {
    return TypeTraits<Function>::CopyFromAnyViewAfterCheck(any);
  }
  static std::optional<Self> TryCastFromAnyView(const TVMFFIAny* any) {
    std::optional<Function> function = TypeTraits<Function>::TryCastFromAnyView(any);
    if (!function.has_value()) return std::nullopt;
    return Self(*std::move(function));
  }
  static std::string TypeStr() { return TypeTraits<Function>::TypeStr(); }
  static std::string TypeSchema() { return detail::FunctionSchema<R (*)(Args...)>(); }
};

namespace detail {

// Hands an error in a static init block to the runtime, which makes the loading of the library fail
// with it. A runtime that cannot take it has it on stderr.
TVM_FFI_COLD inline void ReportStaticInitError() noexcept {
  const int code = RaiseCurrentException();
  TVMFFIObjectHandle raised = nullptr;
  if (code == -1) TVMFFIErrorMoveFromRaised(&raised);
  try {
    ObjectRef error(ObjectUnsafe::PtrFromOwned<Object>(raised));
    std::optional<Function> report = Function::GetGlobal("ffi.StaticInitFailed");
    if (report.has_value()) {
      (*report)(error);
    } else if (const auto* cell = error.as<ErrorObj>()) {
      std::fprintf(stderr, "TVM_FFI_STATIC_INIT_BLOCK: %s: %s\n", cell->kind.data,
                   cell->message.data);
    }
  } catch (...) {
    std::fputs("TVM_FFI_STATIC_INIT_BLOCK: an error that cannot be reported\n", stderr);
  }
}

inline bool RunStaticInit(void (*block)()) noexcept {
  try {
    block();
    return true;
  } catch (...) {
    ReportStaticInitError();
    return false;
  }
}

}  // namespace detail
}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

/*!
 * \brief A block of code that runs when the library is loaded: `TVM_FFI_STATIC_INIT_BLOCK() {...}`.
 *
 * For registrations, at namespace scope. An error that leaves it makes the loading of the library
 * fail with that error. Where nobody loads it (in a program's own file), and under the published
 * runtime, the error is written to stderr and what the block did not do stays undone.
 */
#define TVM_FFI_STATIC_INIT_BLOCK() TVM_FFI_STATIC_INIT_BLOCK_NUMBERED(__COUNTER__)
/*! \brief Lets the counter be expanded. */
#define TVM_FFI_STATIC_INIT_BLOCK_NUMBERED(number) TVM_FFI_STATIC_INIT_BLOCK_NAMED(number)
/*! \brief What TVM_FFI_STATIC_INIT_BLOCK stands for. */
#define TVM_FFI_STATIC_INIT_BLOCK_NAMED(number)                          \
  static void tvm_ffi_static_init_##number();                            \
  [[maybe_unused]] static const bool tvm_ffi_static_init_done_##number = \
      ::tvm::ffi::detail::RunStaticInit(tvm_ffi_static_init_##number);   \
  static void tvm_ffi_static_init_##number()

/*! \brief The part of TVM_FFI_DLL_EXPORT_TYPED_FUNC that makes the function's own symbol. */
#define TVM_FFI_DLL_EXPORT_TYPED_FUNC_SYMBOL(ExportName, ...)                                     \
  extern "C" TVM_FFI_DLL_EXPORT int __tvm_ffi_##ExportName(void*, const TVMFFIAny* args,          \
                                                           int32_t num_args, TVMFFIAny* result) { \
    return ::tvm::ffi::detail::CallExported(#ExportName, __VA_ARGS__, args, num_args, result);    \
  }                                                                                               \
  static_assert(#ExportName[0] != '_', "expected a name that does not begin with an underscore")

/*!
 * \brief Exports a function or a lambda under a name, as the C symbol `__tvm_ffi_<name>`.
 *
 * Parameters and result are converted by TypeTraits. A wrong number or type of arguments raises a
 * TypeError that shows the signature; trailing Optional parameters may be left out.
 * Names that begin with an underscore are kept for what tells about a library.
 * With TVM_FFI_DLL_EXPORT_INCLUDE_METADATA, `__tvm_ffi__metadata_<name>` gives the signature.
 */
#if TVM_FFI_DLL_EXPORT_INCLUDE_METADATA
#define TVM_FFI_DLL_EXPORT_TYPED_FUNC(ExportName, ...)                                             \
  TVM_FFI_DLL_EXPORT_TYPED_FUNC_SYMBOL(ExportName, __VA_ARGS__);                                   \
  extern "C" TVM_FFI_DLL_EXPORT int __tvm_ffi__metadata_##ExportName(void*, const TVMFFIAny*,      \
                                                                     int32_t, TVMFFIAny* result) { \
    return ::tvm::ffi::detail::DescribeExported(__VA_ARGS__, result);                              \
  }                                                                                                \
  static_assert(true)
#else
#define TVM_FFI_DLL_EXPORT_TYPED_FUNC(ExportName, ...) \
  TVM_FFI_DLL_EXPORT_TYPED_FUNC_SYMBOL(ExportName, __VA_ARGS__)
#endif

/*!
 * \brief Exports the documentation of an exported function, as `__tvm_ffi__doc_<name>`.
 * \param ExportName The name that the function is exported by.
 * \param DocString A string literal.
 */
#define TVM_FFI_DLL_EXPORT_TYPED_FUNC_DOC(ExportName, DocString)                                  \
  extern "C" TVM_FFI_DLL_EXPORT int __tvm_ffi__doc_##ExportName(void*, const TVMFFIAny*, int32_t, \
                                                                TVMFFIAny* result) {              \
    return ::tvm::ffi::detail::ReturnText([] { return std::string(DocString); }, result);         \
  }                                                                                               \
  static_assert(true)

/*!
 * \brief Exports the names of an exported function's parameters, as `__tvm_ffi__arg_names_<name>`.
 *
 * Python then takes them as keywords. This runtime only: under another the symbol means nothing.
 * \param ExportName The name that the function is exported by.
 * \param ... The names in their order, string literals.
 */
#define TVM_FFI_DLL_EXPORT_TYPED_FUNC_ARG_NAMES(ExportName, ...)              \
  extern "C" TVM_FFI_DLL_EXPORT int __tvm_ffi__arg_names_##ExportName(        \
      void*, const TVMFFIAny*, int32_t, TVMFFIAny* result) {                  \
    return ::tvm::ffi::detail::ReturnText(                                    \
        [] { return ::tvm::ffi::detail::JoinNames({__VA_ARGS__}); }, result); \
  }                                                                           \
  static_assert(true)

#endif  // TVM_FFI_FUNCTION_H_
