// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/cast.h
 * \brief The header that other libraries include for GetRef and GetObjectPtr.
 */
#ifndef TVM_FFI_CAST_H_
#define TVM_FFI_CAST_H_

// clang-format off: the order is the point
#include <tvm/ffi/object.h>    // GetRef, GetObjectPtr, as and as_or_throw of handles
#include <tvm/ffi/any.h>       // cast, try_cast, as and as_or_throw of values
#include <tvm/ffi/optional.h>  // what a cast may return
// clang-format on

#endif  // TVM_FFI_CAST_H_
