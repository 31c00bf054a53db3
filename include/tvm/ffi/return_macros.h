// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/return_macros.h
 * \brief Macros that return an error, unless a condition holds, from a function that does not
 * throw.
 */
#ifndef TVM_FFI_RETURN_MACROS_H_
#define TVM_FFI_RETURN_MACROS_H_

#include <tvm/ffi/check_macros.h>
#include <tvm/ffi/error_object.h>
#include <tvm/ffi/message.h>

#include <optional>  // NOLINT(misc-include-cleaner): in a macro
#include <string>    // NOLINT(misc-include-cleaner): in a macro
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

template <typename E>
class Unexpected;  // in expected.h, which includes this header
template <typename T>
class Expected;

namespace detail {

// Collects an error's message and converts to a function's return value.
class UnexpectedBuilder {
 public:
  UnexpectedBuilder(const char* kind, const char* file, int line, const char* function,
                    const char* condition = nullptr)
      : thrower_{kind, file, line, function, condition} {}

  template <typename T>
  UnexpectedBuilder&& operator<<(const T& value) && {
    message_ << value;
    return std::move(*this);
  }

  // Templates, because the two classes are only declared here.
  template <typename E, typename = std::enable_if_t<std::is_same<E, Error>::value>>
  operator Unexpected<E>() && {  // NOLINT(runtime/explicit)
    return Unexpected<E>(thrower_.Made(message_));
  }
  template <typename T>
  operator Expected<T>() && {  // NOLINT(runtime/explicit)
    return Expected<T>(thrower_.Made(message_));
  }

 private:
  Thrower thrower_;
  Message message_;
};

}  // namespace detail
}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

/*!
 * \brief An error of a kind as a value: `return TVM_FFI_UNEXPECTED(ValueError) << "x is " << x;`.
 *
 * It converts to Unexpected<Error>, and to an Expected of any type.
 */
#define TVM_FFI_UNEXPECTED(ErrorKind) \
  ::tvm::ffi::detail::UnexpectedBuilder(#ErrorKind, __FILE__, __LINE__, __func__)

/*!
 * \brief Returns an error of the given kind unless the condition holds; stream the message into it.
 *
 * A statement in a function that returns an Expected; safe in an unbraced if/else. Without a
 * message, the condition's text is used, as with TVM_FFI_CHECK.
 */
#define TVM_FFI_RET_CHECK(cond, ErrorKind) \
  while (!(cond))                          \
  return ::tvm::ffi::detail::UnexpectedBuilder(#ErrorKind, __FILE__, __LINE__, __func__, #cond)

/*! \brief Returns an InternalError, which signals a library bug, unless the condition holds. */
#define TVM_FFI_RET_ICHECK(cond) \
  TVM_FFI_RET_CHECK(cond, InternalError) << "check failed: " #cond << ": "

/*!
 * \brief Returns an error unless `x op y`; implements the named comparisons below.
 * \param name Name of the comparison; not shown in the message.
 * \param op The operator.
 * \param x Left operand, evaluated once.
 * \param y Right operand, evaluated once; integers of different signedness compare by value.
 * \param ErrorKind The kind of the error.
 */
#define TVM_FFI_RET_CHECK_BINARY_OP(name, op, x, y, ErrorKind)                                  \
  while (const std::optional<std::string> tvm_ffi_operands = [](const auto& a, const auto& b) { \
    const auto compared = ::tvm::ffi::detail::ForComparison(a, b);                              \
    return (compared.a op compared.b) ? std::optional<std::string>()                            \
                                      : ::tvm::ffi::detail::Operands(a, b);                     \
  }(x, y))                                                                                      \
  return TVM_FFI_UNEXPECTED(ErrorKind) << "check failed: " #x " " #op " " #y << *tvm_ffi_operands

/*! \brief Returns an error unless x < y; the message shows both. */
#define TVM_FFI_RET_CHECK_LT(x, y, ErrorKind) TVM_FFI_RET_CHECK_BINARY_OP(_LT, <, x, y, ErrorKind)
/*! \brief Returns an error unless x > y; the message shows both. */
#define TVM_FFI_RET_CHECK_GT(x, y, ErrorKind) TVM_FFI_RET_CHECK_BINARY_OP(_GT, >, x, y, ErrorKind)
/*! \brief Returns an error unless x <= y; the message shows both. */
#define TVM_FFI_RET_CHECK_LE(x, y, ErrorKind) TVM_FFI_RET_CHECK_BINARY_OP(_LE, <=, x, y, ErrorKind)
/*! \brief Returns an error unless x >= y; the message shows both. */
#define TVM_FFI_RET_CHECK_GE(x, y, ErrorKind) TVM_FFI_RET_CHECK_BINARY_OP(_GE, >=, x, y, ErrorKind)
/*! \brief Returns an error unless x == y; the message shows both. */
#define TVM_FFI_RET_CHECK_EQ(x, y, ErrorKind) TVM_FFI_RET_CHECK_BINARY_OP(_EQ, ==, x, y, ErrorKind)
/*! \brief Returns an error unless x != y; the message shows both. */
#define TVM_FFI_RET_CHECK_NE(x, y, ErrorKind) TVM_FFI_RET_CHECK_BINARY_OP(_NE, !=, x, y, ErrorKind)
/*! \brief TVM_FFI_RET_CHECK_LT with kind InternalError. */
#define TVM_FFI_RET_ICHECK_LT(x, y) TVM_FFI_RET_CHECK_LT(x, y, InternalError)
/*! \brief TVM_FFI_RET_CHECK_GT with kind InternalError. */
#define TVM_FFI_RET_ICHECK_GT(x, y) TVM_FFI_RET_CHECK_GT(x, y, InternalError)
/*! \brief TVM_FFI_RET_CHECK_LE with kind InternalError. */
#define TVM_FFI_RET_ICHECK_LE(x, y) TVM_FFI_RET_CHECK_LE(x, y, InternalError)
/*! \brief TVM_FFI_RET_CHECK_GE with kind InternalError. */
#define TVM_FFI_RET_ICHECK_GE(x, y) TVM_FFI_RET_CHECK_GE(x, y, InternalError)
/*! \brief TVM_FFI_RET_CHECK_EQ with kind InternalError. */
#define TVM_FFI_RET_ICHECK_EQ(x, y) TVM_FFI_RET_CHECK_EQ(x, y, InternalError)
/*! \brief TVM_FFI_RET_CHECK_NE with kind InternalError. */
#define TVM_FFI_RET_ICHECK_NE(x, y) TVM_FFI_RET_CHECK_NE(x, y, InternalError)

#endif  // TVM_FFI_RETURN_MACROS_H_
