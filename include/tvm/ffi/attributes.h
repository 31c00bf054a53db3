// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/attributes.h
 * \brief One name for each compiler attribute, and the warnings that the headers turn off.
 */
#ifndef TVM_FFI_ATTRIBUTES_H_
#define TVM_FFI_ATTRIBUTES_H_

/*!
 * \brief Keeps each library's inline code private.
 *
 * Otherwise, the loader merges inline variables and function-local statics of libraries that were
 * built with different headers.
 */
#ifdef _WIN32
#define TVM_FFI_HIDDEN
#else
#define TVM_FFI_HIDDEN __attribute__((visibility("hidden")))
#endif

/*!
 * \brief Exports a name when building libtvm_ffi.so; empty otherwise.
 *
 * Libraries that were built with the published headers import these names. Code that includes this
 * header gets its own hidden copy.
 */
#ifdef TVM_FFI_BUILDS_RUNTIME
#define TVM_FFI_RUNTIME_API TVM_FFI_DLL_EXPORT
#else
#define TVM_FFI_RUNTIME_API
#endif

// A class in an unnamed namespace is already hidden; nvcc would warn about each of its statics.
#ifdef __CUDACC__
#pragma nv_diag_suppress 1407
#endif

// A user's class that holds a Tensor is more visible than its field. This is harmless, but g++
// would warn about it in the user's file.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wattributes"
#endif

/*! \brief Keeps a long path out of line, so that the fast path stays short. */
#ifdef _MSC_VER
#define TVM_FFI_NOINLINE __declspec(noinline)
#else
#define TVM_FFI_NOINLINE __attribute__((noinline))
#endif
/*! \brief Like TVM_FFI_NOINLINE, for a rarely taken path, which is optimised for size. */
#ifdef _MSC_VER
#define TVM_FFI_COLD TVM_FFI_NOINLINE
#else
#define TVM_FFI_COLD __attribute__((noinline, cold))
#endif
/*! \brief Inlines a short path even where the compiler would count the size of rare paths
 * against it. */
#ifdef _MSC_VER
#define TVM_FFI_ALWAYS_INLINE __forceinline
#else
#define TVM_FFI_ALWAYS_INLINE inline __attribute__((always_inline))
#endif

#endif  // TVM_FFI_ATTRIBUTES_H_
