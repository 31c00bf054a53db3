// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/function.h
 * \brief Functions that any language can call, and the macros that export them from a library.
 */
#ifndef TVM_FFI_FUNCTION_H_
#define TVM_FFI_FUNCTION_H_

// clang-format off: the order is the point
#include <tvm/ffi/function_details.h>  // how a C++ function is described and called
#include <tvm/ffi/function_object.h>   // functions as objects
#include <tvm/ffi/global_names.h>      // the names of global functions
#include <tvm/ffi/typed_function.h>    // functions with a signature
#include <tvm/ffi/static_init.h>       // code that runs when a library is loaded
#include <tvm/ffi/export.h>            // exported functions of a library
// clang-format on

#endif  // TVM_FFI_FUNCTION_H_
