// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/extra/base.h
 * \brief The export macro for C++ functions and classes.
 */
#ifndef TVM_FFI_EXTRA_BASE_H_
#define TVM_FFI_EXTRA_BASE_H_

#include <tvm/ffi/attributes.h>
#include <tvm/ffi/c_api.h>

/*!
 * \brief Exports a C++ function or class from the library that defines it.
 *
 * Nothing in this library uses it: its C++ code is inline, and only C functions are exported.
 */
#ifndef TVM_FFI_EXTRA_CXX_API
#define TVM_FFI_EXTRA_CXX_API TVM_FFI_DLL_EXPORT
#endif

#endif  // TVM_FFI_EXTRA_BASE_H_
