// SPDX-License-Identifier: Apache-2.0
// The only file that exports: it knows all kernels, and no kernel knows it.
// [binding.begin]
#define TVM_FFI_DLL_EXPORT_INCLUDE_METADATA 1  // before the first include
#include <tvm/ffi/function.h>

#include "kernels.h"

TVM_FFI_DLL_EXPORT_TYPED_FUNC(shift, my_library::shift);
TVM_FFI_DLL_EXPORT_TYPED_FUNC_DOC(shift, "y = x + by; by is 1 if it is not given.");
TVM_FFI_DLL_EXPORT_TYPED_FUNC(total, my_library::total);
// [binding.end]
