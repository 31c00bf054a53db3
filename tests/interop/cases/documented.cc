// SPDX-License-Identifier: Apache-2.0
// Cases: functions whose library tells their types and documentation.
#define TVM_FFI_DLL_EXPORT_INCLUDE_METADATA 1
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/function.h>

namespace ffi = tvm::ffi;

namespace {

double Scale(ffi::TensorView, double factor, ffi::Optional<ffi::Array<int64_t>>) { return factor; }
void Nothing() {}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(scale, Scale);
TVM_FFI_DLL_EXPORT_TYPED_FUNC_DOC(scale, "Multiplies.");
TVM_FFI_DLL_EXPORT_TYPED_FUNC(nothing, Nothing);
