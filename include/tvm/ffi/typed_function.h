// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/typed_function.h
 * \brief A function with a signature.
 */
#ifndef TVM_FFI_TYPED_FUNCTION_H_
#define TVM_FFI_TYPED_FUNCTION_H_

#include <tvm/ffi/function_details.h>
#include <tvm/ffi/function_object.h>
#include <tvm/ffi/type_traits.h>

#include <cstddef>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

/*!
 * \brief A Function with a signature, `TypedFunction<R(Args...)>`: calls convert their result.
 *
 * As a parameter, it accepts any function; a signature mismatch is detected only when it is called.
 */
template <typename Signature>
class TypedFunction;

/*! \brief A Function that takes `Args...` and returns an R. */
template <typename R, typename... Args>
class TypedFunction<R(Args...)> {
 public:
  /*! \brief A null function. */
  TypedFunction() = default;
  /*! \brief A null function. */
  TypedFunction(std::nullptr_t) {}  // NOLINT(runtime/explicit)
  /*! \brief Wraps `packed` with the signature, unchecked. */
  TypedFunction(Function packed) : packed_(std::move(packed)) {}  // NOLINT(runtime/explicit)
  /*! \brief Wraps a callable with that signature; error messages name it "function". */
  template <typename F,
            typename = std::enable_if_t<!std::is_base_of<ObjectRef, std::decay_t<F>>::value &&
                                        !std::is_same<std::decay_t<F>, TypedFunction>::value &&
                                        detail::kIsCallable<R, std::decay_t<F>&, Args...>>>
  TypedFunction(F&& function)  // NOLINT(runtime/explicit)
      : packed_(Function::FromTypedAs<R (*)(Args...)>(std::decay_t<F>(std::forward<F>(function)),
                                                      "function")) {}
  /*! \brief Wraps a callable with that signature; error messages name it `name`. */
  template <typename F,
            typename = std::enable_if_t<!std::is_base_of<ObjectRef, std::decay_t<F>>::value &&
                                        !std::is_same<std::decay_t<F>, TypedFunction>::value &&
                                        detail::kIsCallable<R, std::decay_t<F>&, Args...>>>
  TypedFunction(F&& function, std::string name)
      : packed_(Function::FromTypedAs<R (*)(Args...)>(std::decay_t<F>(std::forward<F>(function)),
                                                      std::move(name))) {}

  /*! \brief Calls the function; throws a TypeError if the result does not convert to R. */
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

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_TYPED_FUNCTION_H_
