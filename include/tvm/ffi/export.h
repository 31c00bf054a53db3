// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/export.h
 * \brief Macros that export a library's functions, their documentation and their signatures.
 */
#ifndef TVM_FFI_EXPORT_H_
#define TVM_FFI_EXPORT_H_

#include <tvm/ffi/c_api.h>
#include <tvm/ffi/function_details.h>

/*!
 * \brief Define as 1 before the first include to export the signature of each exported function.
 *
 * TVM_FFI_DLL_EXPORT_TYPED_FUNC then also defines `__tvm_ffi__metadata_<name>`.
 */
#ifndef TVM_FFI_DLL_EXPORT_INCLUDE_METADATA
#define TVM_FFI_DLL_EXPORT_INCLUDE_METADATA 0
#endif

/*! \brief The part of TVM_FFI_DLL_EXPORT_TYPED_FUNC that defines the function's own symbol. */
#define TVM_FFI_DLL_EXPORT_TYPED_FUNC_SYMBOL(ExportName, ...)                                     \
  static_assert(#ExportName[0] != '_', "expected a name that does not begin with an underscore"); \
  extern "C" TVM_FFI_DLL_EXPORT int __tvm_ffi_##ExportName(void*, const TVMFFIAny* args,          \
                                                           int32_t num_args, TVMFFIAny* result) { \
    return ::tvm::ffi::detail::CallExported(#ExportName, __VA_ARGS__, args, num_args, result);    \
  }

/*!
 * \brief Exports a function or a lambda under a name, as the C symbol `__tvm_ffi_<name>`.
 *
 * TypeTraits convert the parameters and the result. A wrong number or type of arguments raises a
 * TypeError that shows the signature; trailing Optional parameters may be omitted.
 * Names that begin with an underscore are reserved for library metadata. Use it at namespace scope;
 * a semicolon after it is optional.
 * With TVM_FFI_DLL_EXPORT_INCLUDE_METADATA, `__tvm_ffi__metadata_<name>` returns the signature.
 */
#if TVM_FFI_DLL_EXPORT_INCLUDE_METADATA
#define TVM_FFI_DLL_EXPORT_TYPED_FUNC(ExportName, ...)                                             \
  TVM_FFI_DLL_EXPORT_TYPED_FUNC_SYMBOL(ExportName, __VA_ARGS__)                                    \
  extern "C" TVM_FFI_DLL_EXPORT int __tvm_ffi__metadata_##ExportName(void*, const TVMFFIAny*,      \
                                                                     int32_t, TVMFFIAny* result) { \
    return ::tvm::ffi::detail::DescribeExported(__VA_ARGS__, result);                              \
  }
#else
#define TVM_FFI_DLL_EXPORT_TYPED_FUNC(ExportName, ...) \
  TVM_FFI_DLL_EXPORT_TYPED_FUNC_SYMBOL(ExportName, __VA_ARGS__)
#endif

/*!
 * \brief Exports the documentation of an exported function, as `__tvm_ffi__doc_<name>`.
 * \param ExportName The name under which the function is exported.
 * \param DocString A string literal.
 */
#define TVM_FFI_DLL_EXPORT_TYPED_FUNC_DOC(ExportName, DocString)                                  \
  extern "C" TVM_FFI_DLL_EXPORT int __tvm_ffi__doc_##ExportName(void*, const TVMFFIAny*, int32_t, \
                                                                TVMFFIAny* result) {              \
    return ::tvm::ffi::detail::ReturnText([] { return std::string(DocString); }, result);         \
  }

/*!
 * \brief Exports the parameter names of an exported function, as `__tvm_ffi__arg_names_<name>`.
 *
 * Python then accepts them as keywords. This runtime only; others ignore the symbol.
 * \param ExportName The name under which the function is exported.
 * \param ... The names in order, as string literals.
 */
#define TVM_FFI_DLL_EXPORT_TYPED_FUNC_ARG_NAMES(ExportName, ...)              \
  extern "C" TVM_FFI_DLL_EXPORT int __tvm_ffi__arg_names_##ExportName(        \
      void*, const TVMFFIAny*, int32_t, TVMFFIAny* result) {                  \
    return ::tvm::ffi::detail::ReturnText(                                    \
        [] { return ::tvm::ffi::detail::JoinNames({__VA_ARGS__}); }, result); \
  }

#endif  // TVM_FFI_EXPORT_H_
