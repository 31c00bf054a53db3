// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/object.h
 * \brief Reference-counted objects and the handles that own them.
 */
#ifndef TVM_FFI_OBJECT_H_
#define TVM_FFI_OBJECT_H_

// clang-format off: the order is the point
#include <tvm/ffi/object_macros.h>  // macros that declare an object type and its handle
#include <tvm/ffi/object_ptr.h>     // objects and their owners
#include <tvm/ffi/object_ref.h>     // handles
#include <tvm/ffi/make_object.h>    // object creation
// clang-format on

#endif  // TVM_FFI_OBJECT_H_
