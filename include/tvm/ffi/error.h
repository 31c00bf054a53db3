// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/error.h
 * \brief Errors that cross languages, and the macros that throw them and check for them.
 */
#ifndef TVM_FFI_ERROR_H_
#define TVM_FFI_ERROR_H_

// clang-format off: the order is the point
#include <tvm/ffi/error_object.h>  // errors, thrown and raised
#include <tvm/ffi/throw_macros.h>  // macros that throw or catch
#include <tvm/ffi/check_macros.h>  // macros that throw unless a condition holds
// clang-format on

#endif  // TVM_FFI_ERROR_H_
