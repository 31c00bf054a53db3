// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/throw_macros.h
 * \brief Macros that throw errors, and macros that keep errors inside a function.
 */
#ifndef TVM_FFI_THROW_MACROS_H_
#define TVM_FFI_THROW_MACROS_H_

#include <tvm/ffi/error_object.h>
#include <tvm/ffi/message.h>

/*!
 * \brief Throws an error of the given kind; stream the message into it.
 *
 * A single expression, safe in an unbraced if/else.
 */
#define TVM_FFI_THROW(ErrorKind)                                          \
  ::tvm::ffi::detail::Thrower{#ErrorKind, __FILE__, __LINE__, __func__} = \
      ::tvm::ffi::Message().self()

/*! \brief TVM_FFI_THROW that also writes the message to stderr, for start-up code, where
 * nothing catches errors. */
#define TVM_FFI_LOG_AND_THROW(ErrorKind)                                           \
  ::tvm::ffi::detail::LoggingThrower{{#ErrorKind, __FILE__, __LINE__, __func__}} = \
      ::tvm::ffi::Message().self()

/*!
 * \brief Marks unreachable code; throws an InternalError if reached.
 *
 * Does not return: a function that ends with it needs no `return`.
 */
#define TVM_FFI_UNREACHABLE() \
  TVM_FFI_THROW(InternalError) << "a place was reached that is marked as unreachable"

/*!
 * \brief Starts code that must not throw, such as a destructor that calls user code.
 *
 * An exception before TVM_FFI_LOG_EXCEPTION_CALL_END is logged to stderr and swallowed.
 */
#define TVM_FFI_LOG_EXCEPTION_CALL_BEGIN() \
  try {                                    \
  (void)0
/*! \brief Ends the code started by TVM_FFI_LOG_EXCEPTION_CALL_BEGIN; the log contains `Name`. */
#define TVM_FFI_LOG_EXCEPTION_CALL_END(Name)        \
  }                                                 \
  catch (...) {                                     \
    ::tvm::ffi::detail::LogCurrentException(#Name); \
  }                                                 \
  static_assert(true, "")

/*! \brief Starts the body of a C ABI function: no exception escapes it. */
#define TVM_FFI_SAFE_CALL_BEGIN() try {
/*! \brief Ends the body of a C ABI function: returns 0, or raises the exception that was thrown. */
#define TVM_FFI_SAFE_CALL_END()                         \
  return 0;                                             \
  }                                                     \
  catch (...) {                                         \
    return ::tvm::ffi::detail::RaiseCurrentException(); \
  }

/*! \brief Calls a C ABI function and throws the error that it raised, if any. */
#define TVM_FFI_CHECK_SAFE_CALL(call)                                             \
  do {                                                                            \
    if (int tvm_ffi_code = (call)) ::tvm::ffi::detail::ThrowRaised(tvm_ffi_code); \
  } while (0)

#endif  // TVM_FFI_THROW_MACROS_H_
