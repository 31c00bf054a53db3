// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/tvm_ffi.h
 * \brief Everything that needs no CUDA, in the order in which one part builds on another.
 */
#ifndef TVM_FFI_TVM_FFI_H_
#define TVM_FFI_TVM_FFI_H_

// clang-format off: the order is the point
#include <tvm/ffi/c_api.h>              // the C ABI
#include <tvm/ffi/object.h>             // reference-counted objects
#include <tvm/ffi/memory.h>             // new objects, by another name
#include <tvm/ffi/endian.h>             // the order of bytes
#include <tvm/ffi/message.h>            // the text of an error
#include <tvm/ffi/error.h>              // errors, throw and check macros
#include <tvm/ffi/base_detail.h>        // small macros
#include <tvm/ffi/device.h>             // DLDevice
#include <tvm/ffi/dtype.h>              // DLDataType
#include <tvm/ffi/type_traits.h>        // how a type goes into a value
#include <tvm/ffi/any.h>                // values of any type
#include <tvm/ffi/expected.h>           // a value or an error, and macros that return one
#include <tvm/ffi/optional.h>           // a value or none
#include <tvm/ffi/cast.h>               // casts, by another name
#include <tvm/ffi/string.h>             // strings and bytes
#include <tvm/ffi/container/shape.h>    // extents
#include <tvm/ffi/container/tensor.h>   // tensors
#include <tvm/ffi/container/array.h>    // sequences that are copied when shared ones change
#include <tvm/ffi/container/list.h>     // sequences that all handles share
#include <tvm/ffi/container/tuple.h>    // a fixed number of values
#include <tvm/ffi/container/variant.h>  // a value of one of several types
#include <tvm/ffi/any_hash.h>           // which values are the same key
#include <tvm/ffi/container/map.h>      // pairs that are copied when they change
#include <tvm/ffi/container/dict.h>     // pairs that all handles share
#include <tvm/ffi/function.h>           // functions and their export
#include <tvm/ffi/extra/c_env_api.h>    // streams and allocators
#include <tvm/ffi/extra/module.h>       // loaded libraries
// clang-format on

#endif  // TVM_FFI_TVM_FFI_H_
