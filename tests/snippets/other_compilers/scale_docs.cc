// SPDX-License-Identifier: Apache-2.0
// The binding of the kernel-builder project: the kernels export themselves, this documents them.
// [docs.begin]
#define TVM_FFI_DLL_EXPORT_INCLUDE_METADATA 1
#include <tvm/ffi/tvm_ffi.h>

TVM_FFI_DLL_EXPORT_TYPED_FUNC_DOC(scale, "Writes x * factor to y.");
// [docs.end]
