// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/tvm_ffi.h
 * \brief All headers that do not require CUDA, in dependency order.
 */
#ifndef TVM_FFI_TVM_FFI_H_
#define TVM_FFI_TVM_FFI_H_

// clang-format off: the order is the point
#include <tvm/ffi/c_api.h>              // the C ABI
#include <tvm/ffi/object.h>             // reference-counted objects
#include <tvm/ffi/memory.h>             // object creation, by another name
#include <tvm/ffi/endian.h>             // byte order
#include <tvm/ffi/message.h>            // the text of an error
#include <tvm/ffi/error.h>              // errors, throw and check macros
#include <tvm/ffi/base_detail.h>        // small macros
#include <tvm/ffi/device.h>             // DLDevice
#include <tvm/ffi/dtype.h>              // DLDataType
#include <tvm/ffi/type_traits.h>        // conversion between types and values
#include <tvm/ffi/any.h>                // values of any type
#include <tvm/ffi/expected.h>           // a value or an error, and macros that return errors
#include <tvm/ffi/optional.h>           // a value or none
#include <tvm/ffi/cast.h>               // casts, by another name
#include <tvm/ffi/string.h>             // strings and bytes
#include <tvm/ffi/container/shape.h>    // extents
#include <tvm/ffi/container/tensor.h>   // tensors
#include <tvm/ffi/container/array.h>    // copy-on-write sequences
#include <tvm/ffi/container/list.h>     // sequences shared by all handles
#include <tvm/ffi/container/tuple.h>    // a fixed number of values
#include <tvm/ffi/container/variant.h>  // a value of one of several types
#include <tvm/ffi/any_hash.h>           // hash and equality of keys
#include <tvm/ffi/container/map.h>      // copy-on-write mappings
#include <tvm/ffi/container/dict.h>     // mappings shared by all handles
#include <tvm/ffi/function.h>           // functions and their export
#include <tvm/ffi/reflection/registry.h>  // a library's own object types and global functions
#include <tvm/ffi/extra/c_env_api.h>    // streams and allocators
#include <tvm/ffi/extra/module.h>       // loaded libraries
// clang-format on

#endif  // TVM_FFI_TVM_FFI_H_
