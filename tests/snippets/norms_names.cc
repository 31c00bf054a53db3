// SPDX-License-Identifier: Apache-2.0
// The names of a function's parameters, which only this package's headers can export.
#include <tvm/ffi/tvm_ffi.h>

// [arg_names.begin]
TVM_FFI_DLL_EXPORT_TYPED_FUNC_ARG_NAMES(norm, "x", "scale");
// [arg_names.end]
