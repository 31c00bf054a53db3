// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/check_macros.h
 * \brief Macros that throw unless a condition holds.
 */
#ifndef TVM_FFI_CHECK_MACROS_H_
#define TVM_FFI_CHECK_MACROS_H_

#include <tvm/ffi/error_object.h>
#include <tvm/ffi/message.h>
#include <tvm/ffi/throw_macros.h>

#include <optional>
#include <string>
#include <type_traits>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

namespace detail {

// Returns the pointer; throws if it is null.
template <typename T>
T CheckNotNull(T pointer, const Thrower& thrower) {
  if (pointer == nullptr) thrower = Message().self();
  return pointer;
}

// A call, because compilers warn about a bare name as a statement.
template <typename T>
T NotChecked(T pointer) {
  return pointer;
}

// The operands of a comparison that C++ itself gets right.
template <typename X, typename Y>
struct Compared {
  const X& a;
  const Y& b;
};

// Integers of different signedness: C++ itself would convert a negative one to a large one.
template <typename X, typename Y>
constexpr bool kDifferInSign =
    std::is_integral<X>::value && std::is_integral<Y>::value && !std::is_same<X, bool>::value &&
    !std::is_same<Y, bool>::value && std::is_signed<X>::value != std::is_signed<Y>::value;

template <typename X, typename Y>
auto ForComparison(const X& a, const Y& b) {
  if constexpr (kDifferInSign<X, Y>) {
    struct Order {
      uint64_t a, b;
    } order{static_cast<uint64_t>(a), static_cast<uint64_t>(b)};
    if constexpr (std::is_signed<X>::value) {
      if (a < 0) order = {0, 1};
    } else {
      if (b < 0) order = {1, 0};
    }
    return order;
  } else {
    return Compared<X, Y>{a, b};
  }
}

// The text " (a vs. b) " for a comparison that does not hold.
template <typename X, typename Y>
TVM_FFI_COLD std::optional<std::string> Operands(const X& x, const Y& y) {
  Message message;
  message << " (" << x << " vs. " << y << ") ";
  return message.take();
}

}  // namespace detail
}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

/*!
 * \brief Throws an error of the given kind unless the condition holds; stream the message into it.
 *
 * Without a message, the condition's text is used. A single expression, safe in an unbraced
 * if/else.
 */
#define TVM_FFI_CHECK(cond, ErrorKind)                                                    \
  (cond) ? (void)0                                                                        \
         : ::tvm::ffi::detail::Thrower{#ErrorKind, __FILE__, __LINE__, __func__, #cond} = \
               ::tvm::ffi::Message().self()

/*! \brief Throws an InternalError, which signals a library bug, unless the condition holds. */
#define TVM_FFI_ICHECK(cond) TVM_FFI_CHECK(cond, InternalError) << "check failed: " #cond << ": "

/*!
 * \brief Throws unless `x op y`; implements the named comparisons below.
 *
 * A statement that starts with `while`, so that it cannot capture an enclosing `else`. Each operand
 * is evaluated once. Integers are compared by value, even if their signedness differs. The macro
 * ends with a string literal, so that another may follow without `<<`.
 */
#define TVM_FFI_CHECK_COMPARED(x, op, y, ErrorKind)                                             \
  while (const std::optional<std::string> tvm_ffi_operands = [](const auto& a, const auto& b) { \
    const auto compared = ::tvm::ffi::detail::ForComparison(a, b);                              \
    return (compared.a op compared.b) ? std::optional<std::string>()                            \
                                      : ::tvm::ffi::detail::Operands(a, b);                     \
  }(x, y))                                                                                      \
  TVM_FFI_THROW(ErrorKind) << "check failed: " #x " " #op " " #y << *tvm_ffi_operands << ""

/*! \brief Throws unless x == y; the message shows both. */
#define TVM_FFI_CHECK_EQ(x, y, ErrorKind) TVM_FFI_CHECK_COMPARED(x, ==, y, ErrorKind)
/*! \brief Throws unless x != y; the message shows both. */
#define TVM_FFI_CHECK_NE(x, y, ErrorKind) TVM_FFI_CHECK_COMPARED(x, !=, y, ErrorKind)
/*! \brief Throws unless x < y; the message shows both. */
#define TVM_FFI_CHECK_LT(x, y, ErrorKind) TVM_FFI_CHECK_COMPARED(x, <, y, ErrorKind)
/*! \brief Throws unless x <= y; the message shows both. */
#define TVM_FFI_CHECK_LE(x, y, ErrorKind) TVM_FFI_CHECK_COMPARED(x, <=, y, ErrorKind)
/*! \brief Throws unless x > y; the message shows both. */
#define TVM_FFI_CHECK_GT(x, y, ErrorKind) TVM_FFI_CHECK_COMPARED(x, >, y, ErrorKind)
/*! \brief Throws unless x >= y; the message shows both. */
#define TVM_FFI_CHECK_GE(x, y, ErrorKind) TVM_FFI_CHECK_COMPARED(x, >=, y, ErrorKind)
/*! \brief TVM_FFI_CHECK_EQ with kind InternalError. */
#define TVM_FFI_ICHECK_EQ(x, y) TVM_FFI_CHECK_EQ(x, y, InternalError)
/*! \brief TVM_FFI_CHECK_NE with kind InternalError. */
#define TVM_FFI_ICHECK_NE(x, y) TVM_FFI_CHECK_NE(x, y, InternalError)
/*! \brief TVM_FFI_CHECK_LT with kind InternalError. */
#define TVM_FFI_ICHECK_LT(x, y) TVM_FFI_CHECK_LT(x, y, InternalError)
/*! \brief TVM_FFI_CHECK_LE with kind InternalError. */
#define TVM_FFI_ICHECK_LE(x, y) TVM_FFI_CHECK_LE(x, y, InternalError)
/*! \brief TVM_FFI_CHECK_GT with kind InternalError. */
#define TVM_FFI_ICHECK_GT(x, y) TVM_FFI_CHECK_GT(x, y, InternalError)
/*! \brief TVM_FFI_CHECK_GE with kind InternalError. */
#define TVM_FFI_ICHECK_GE(x, y) TVM_FFI_CHECK_GE(x, y, InternalError)

/*! \brief Evaluates to the pointer `ptr`; throws if it is null. */
#define TVM_FFI_CHECK_NOTNULL(ptr, ErrorKind) \
  ::tvm::ffi::detail::CheckNotNull(           \
      ptr,                                    \
      ::tvm::ffi::detail::Thrower{#ErrorKind, __FILE__, __LINE__, __func__, #ptr " != nullptr"})
/*! \brief TVM_FFI_CHECK_NOTNULL with kind InternalError. */
#define TVM_FFI_ICHECK_NOTNULL(ptr) TVM_FFI_CHECK_NOTNULL(ptr, InternalError)

#ifndef NDEBUG
/*! \brief TVM_FFI_ICHECK in debug builds; where NDEBUG is defined, nothing is evaluated. */
#define TVM_FFI_DCHECK(cond) TVM_FFI_ICHECK(cond)
/*! \brief TVM_FFI_ICHECK_EQ in debug builds. */
#define TVM_FFI_DCHECK_EQ(x, y) TVM_FFI_ICHECK_EQ(x, y)
/*! \brief TVM_FFI_ICHECK_NE in debug builds. */
#define TVM_FFI_DCHECK_NE(x, y) TVM_FFI_ICHECK_NE(x, y)
/*! \brief TVM_FFI_ICHECK_LT in debug builds. */
#define TVM_FFI_DCHECK_LT(x, y) TVM_FFI_ICHECK_LT(x, y)
/*! \brief TVM_FFI_ICHECK_LE in debug builds. */
#define TVM_FFI_DCHECK_LE(x, y) TVM_FFI_ICHECK_LE(x, y)
/*! \brief TVM_FFI_ICHECK_GT in debug builds. */
#define TVM_FFI_DCHECK_GT(x, y) TVM_FFI_ICHECK_GT(x, y)
/*! \brief TVM_FFI_ICHECK_GE in debug builds. */
#define TVM_FFI_DCHECK_GE(x, y) TVM_FFI_ICHECK_GE(x, y)
/*! \brief TVM_FFI_ICHECK_NOTNULL in debug builds; the unchecked pointer `ptr` otherwise. */
#define TVM_FFI_DCHECK_NOTNULL(ptr) TVM_FFI_ICHECK_NOTNULL(ptr)
#else
#define TVM_FFI_DCHECK(cond) TVM_FFI_ICHECK(true || (cond))
#define TVM_FFI_DCHECK_EQ(x, y) \
  while (false) TVM_FFI_ICHECK_EQ(x, y)
#define TVM_FFI_DCHECK_NE(x, y) \
  while (false) TVM_FFI_ICHECK_NE(x, y)
#define TVM_FFI_DCHECK_LT(x, y) \
  while (false) TVM_FFI_ICHECK_LT(x, y)
#define TVM_FFI_DCHECK_LE(x, y) \
  while (false) TVM_FFI_ICHECK_LE(x, y)
#define TVM_FFI_DCHECK_GT(x, y) \
  while (false) TVM_FFI_ICHECK_GT(x, y)
#define TVM_FFI_DCHECK_GE(x, y) \
  while (false) TVM_FFI_ICHECK_GE(x, y)
#define TVM_FFI_DCHECK_NOTNULL(ptr) ::tvm::ffi::detail::NotChecked(ptr)
#endif

#endif  // TVM_FFI_CHECK_MACROS_H_
