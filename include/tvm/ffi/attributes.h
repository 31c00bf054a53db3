// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/attributes.h
 * \brief Attributes of compilers by one name for each, and the warnings that the headers turn off.
 */
#ifndef TVM_FFI_ATTRIBUTES_H_
#define TVM_FFI_ATTRIBUTES_H_

/*!
 * \brief Keeps the inline code of each library to itself.
 *
 * Without it the loader merges inline variables and function-local statics of libraries that were
 * built with different headers.
 */
#ifdef _WIN32
#define TVM_FFI_HIDDEN
#else
#define TVM_FFI_HIDDEN __attribute__((visibility("hidden")))
#endif

/*!
 * \brief Exports a name from libtvm_ffi.so, where that is built; nothing anywhere else.
 *
 * Libraries that were built with the published headers import these names. Code that includes this
 * header has a hidden copy of its own.
 */
#ifdef TVM_FFI_BUILDS_RUNTIME
#define TVM_FFI_RUNTIME_API TVM_FFI_DLL_EXPORT
#else
#define TVM_FFI_RUNTIME_API
#endif

// A class in an unnamed namespace is hidden anyway, as nvcc would say of each of its statics.
#ifdef __CUDACC__
#pragma nv_diag_suppress 1407
#endif

// Any class of a user's that holds a Tensor is more visible than its field; that does no harm, and
// g++ would warn of it in the user's file.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wattributes"
#endif

/*! \brief Keeps a longer path out of the way of the common one. */
#ifdef _MSC_VER
#define TVM_FFI_NOINLINE __declspec(noinline)
#else
#define TVM_FFI_NOINLINE __attribute__((noinline))
#endif
/*! \brief The same for a rarely taken path, which is compiled for size. */
#ifdef _MSC_VER
#define TVM_FFI_COLD TVM_FFI_NOINLINE
#else
#define TVM_FFI_COLD __attribute__((noinline, cold))
#endif
/*! \brief Makes a short path part of its caller, where the compiler would weigh the size of rare
 * ones. */
#ifdef _MSC_VER
#define TVM_FFI_ALWAYS_INLINE __forceinline
#else
#define TVM_FFI_ALWAYS_INLINE inline __attribute__((always_inline))
#endif

#endif  // TVM_FFI_ATTRIBUTES_H_
