// SPDX-License-Identifier: Apache-2.0
// Called by peers.py through this runtime.
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/string.h>

namespace ffi = tvm::ffi;
using Tensor = ffi::TensorView;

namespace {

void none() {}
void one_int(int64_t) {}
void three_floats(double, double, double) {}
ffi::String same_string(ffi::String x) { return x; }
int64_t ints(ffi::Array<int64_t> x) { return static_cast<int64_t>(x.size()); }
void one_tensor(Tensor) {}
void three_tensors(Tensor, Tensor, Tensor) {}
void fail() { TVM_FFI_THROW(ValueError) << "on purpose"; }

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(none, none);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(one_int, one_int);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(three_floats, three_floats);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(same_string, same_string);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(ints, ints);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(one_tensor, one_tensor);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(three_tensors, three_tensors);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(fail, fail);
