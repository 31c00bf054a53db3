// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/base_detail.h
 * \brief Small macros that libraries written for the published headers use.
 */
#ifndef TVM_FFI_BASE_DETAIL_H_
#define TVM_FFI_BASE_DETAIL_H_

#include <tvm/ffi/attributes.h>
#include <tvm/ffi/c_api.h>
#include <tvm/ffi/endian.h>
#include <tvm/ffi/throw_macros.h>

/*! \brief Before a short function: it becomes part of its caller. */
#define TVM_FFI_INLINE TVM_FFI_ALWAYS_INLINE
/*! \brief Before a function that does not become part of its caller. */
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
/*! \brief Before a function that seldom runs, such as one that throws. */
#define TVM_FFI_COLD_CODE
/*! \brief The condition as 0 or 1, which the compiler expects to be 1. */
#define TVM_FFI_PREDICT_TRUE(cond) (static_cast<bool>(cond))
/*! \brief The condition as 0 or 1, which the compiler expects to be 0. */
#define TVM_FFI_PREDICT_FALSE(cond) (static_cast<bool>(cond))
/*! \brief A statement: the compiler may rely on the condition. One that is false breaks the program
 * in any way. */
#define TVM_FFI_UNSAFE_ASSUME(cond) static_cast<void>(0)
/*! \brief The function that is being compiled, with its signature, as text. */
#define TVM_FFI_FUNC_SIG __func__
#endif

/*! \brief One name made of two, after macros in them are expanded. */
#define TVM_FFI_STR_CONCAT(a, b) TVM_FFI_STR_CONCAT_(a, b)
/*! \brief One name made of two as they are. */
#define TVM_FFI_STR_CONCAT_(a, b) a##b

/*! \brief Inside a class: the constructors and assignments that copy and move it are the default
 * ones. */
#define TVM_FFI_DEFINE_DEFAULT_COPY_MOVE_AND_ASSIGN(TypeName) \
  TypeName(const TypeName&) = default;                        \
  TypeName(TypeName&&) = default;                             \
  TypeName& operator=(const TypeName&) = default;             \
  TypeName& operator=(TypeName&&) = default

/*! \brief Clears what a pointer leaves of the 8 bytes of a TVMFFIAny's value; call it before the
 * pointer is written. Nothing where pointers have 8 bytes. */
#define TVM_FFI_CLEAR_PTR_PADDING_IN_FFI_ANY(result)             \
  do {                                                           \
    if (sizeof(void*) < sizeof(int64_t)) (result)->v_uint64 = 0; \
  } while (0)

#endif  // TVM_FFI_BASE_DETAIL_H_
