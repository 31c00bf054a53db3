// SPDX-License-Identifier: Apache-2.0
// Functions that lend views to callbacks, and functions that create tensors from arguments, for
// test_lent_views.py.
#define TVM_FFI_DLL_EXPORT_INCLUDE_METADATA 1
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/tvm_ffi.h>

#include <algorithm>
#include <vector>

namespace ffi = tvm::ffi;

namespace {

// Calls `callback` with a view of memory that is then overwritten; size < 0 gives 0 dimensions.
ffi::Any Lend(const ffi::Function& callback, int64_t size) {
  std::vector<float> values(static_cast<size_t>(std::max(size, int64_t{1})));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  int64_t stride = 1;
  DLTensor view{};
  view.data = values.data();
  view.device = {kDLCPU, 0};
  view.ndim = size < 0 ? 0 : 1;
  view.dtype = {kDLFloat, 32, 1};
  view.shape = &size;
  view.strides = &stride;
  ffi::Any result;
  try {
    result = callback(&view);
  } catch (...) {
    std::fill(values.begin(), values.end(), -1.0f);
    throw;
  }
  std::fill(values.begin(), values.end(), -1.0f);
  return result;
}

ffi::Any LendArgument(const ffi::TensorView& tensor, const ffi::Function& callback) {
  return callback(tensor);
}

ffi::Any CallWith(const ffi::Tensor& tensor, const ffi::Function& callback) {
  return callback(tensor);
}

double Sum(const ffi::TensorView& tensor) {
  const auto* values = static_cast<const float*>(tensor.data_ptr());
  double sum = 0;
  for (int64_t i = 0; i < tensor.numel(); ++i) sum += static_cast<double>(values[i]);
  return sum;
}

ffi::Tensor Restrided(const ffi::Tensor& tensor) {
  return tensor.as_strided(tensor.shape(), tensor.strides());
}

ffi::Tensor RestridedFirst(const ffi::Array<ffi::Tensor>& tensors) { return Restrided(tensors[0]); }

ffi::Tensor ThroughDLPack(const ffi::Tensor& tensor) {
  return ffi::Tensor::FromDLPackVersioned(tensor.ToDLPackVersioned());
}

ffi::Any Same(ffi::Any value) { return value; }

ffi::Array<ffi::Any> InArray(ffi::AnyView value) { return {ffi::Any(value)}; }

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(lend, Lend);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(lend_argument, LendArgument);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(call_with, CallWith);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(sum, Sum);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(restrided, Restrided);
TVM_FFI_DLL_EXPORT_TYPED_FUNC_ARG_NAMES(restrided, "tensor");
TVM_FFI_DLL_EXPORT_TYPED_FUNC(restrided_first, RestridedFirst);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(through_dlpack, ThroughDLPack);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(same, Same);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(in_array, InArray);
