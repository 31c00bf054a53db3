// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/base_detail.h
 * \brief Small macros used by libraries written for the published headers.
 */
#ifndef TVM_FFI_BASE_DETAIL_H_
#define TVM_FFI_BASE_DETAIL_H_

#include <tvm/ffi/attributes.h>
#include <tvm/ffi/c_api.h>
#include <tvm/ffi/endian.h>
#include <tvm/ffi/throw_macros.h>

/*! \brief Placed before a short function: always inlines it. */
#define TVM_FFI_INLINE TVM_FFI_ALWAYS_INLINE
/*! \brief Placed before a function: never inlines it. */
#define TVM_FFI_NO_INLINE TVM_FFI_NOINLINE

#if defined(__GNUC__)
#define TVM_FFI_COLD_CODE __attribute__((cold))
#define TVM_FFI_PREDICT_TRUE(cond) (__builtin_expect(static_cast<bool>(cond), 1))
#define TVM_FFI_PREDICT_FALSE(cond) (__builtin_expect(static_cast<bool>(cond), 0))
#define TVM_FFI_UNSAFE_ASSUME(cond)       \
  do {                                    \
    if (!(cond)) __builtin_unreachable(); \
  } while (0)
#define TVM_FFI_FUNC_SIG __PRETTY_FUNCTION__
#else
/*! \brief Placed before a function that rarely runs, such as one that throws. */
#define TVM_FFI_COLD_CODE
/*! \brief The condition as 0 or 1; the compiler expects 1. */
#define TVM_FFI_PREDICT_TRUE(cond) (static_cast<bool>(cond))
/*! \brief The condition as 0 or 1; the compiler expects 0. */
#define TVM_FFI_PREDICT_FALSE(cond) (static_cast<bool>(cond))
/*! \brief A statement that lets the compiler assume the condition. The behaviour is undefined if it
 * is false. */
#define TVM_FFI_UNSAFE_ASSUME(cond) static_cast<void>(0)
/*! \brief The enclosing function's signature, as text. */
#define TVM_FFI_FUNC_SIG __func__
#endif

/*! \brief Joins two tokens into one name, after expanding macros in them. */
#define TVM_FFI_STR_CONCAT(a, b) TVM_FFI_STR_CONCAT_(a, b)
/*! \brief Joins two tokens into one name without expanding macros. */
#define TVM_FFI_STR_CONCAT_(a, b) a##b

/*! \brief Inside a class: defaults the copy and move constructors and the copy and move
 * assignments. */
#define TVM_FFI_DEFINE_DEFAULT_COPY_MOVE_AND_ASSIGN(TypeName) \
  TypeName(const TypeName&) = default;                        \
  TypeName(TypeName&&) = default;                             \
  TypeName& operator=(const TypeName&) = default;             \
  TypeName& operator=(TypeName&&) = default

/*! \brief Clears the bytes of a TVMFFIAny's 8-byte value that a pointer does not cover; use before
 * writing the pointer. Does nothing where pointers have 8 bytes. */
#define TVM_FFI_CLEAR_PTR_PADDING_IN_FFI_ANY(result)             \
  do {                                                           \
    if (sizeof(void*) < sizeof(int64_t)) (result)->v_uint64 = 0; \
  } while (0)

#endif  // TVM_FFI_BASE_DETAIL_H_
