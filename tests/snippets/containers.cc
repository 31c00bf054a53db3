// SPDX-License-Identifier: Apache-2.0
// The C++ functions of the page on containers: they take, change and return containers.
// [functions.begin]
#include <tvm/ffi/tvm_ffi.h>

namespace ffi = tvm::ffi;

// Describes tensors: how many elements each has, and which one has the most.
ffi::Map<ffi::String, ffi::Any> describe(ffi::Array<ffi::Tensor> tensors) {
  TVM_FFI_CHECK(!tensors.empty(), ValueError) << "describe: expected a tensor, got none";
  ffi::Array<int64_t> sizes;
  ffi::Tensor largest = tensors[0];
  for (ffi::Tensor tensor : tensors) {
    sizes.push_back(tensor.numel());
    if (tensor.numel() > largest.numel()) largest = tensor;
  }
  return {{"sizes", sizes}, {"largest", largest}};
}

// Appends a value to the caller's list.
void record(ffi::List<double> losses, double loss) { losses.push_back(loss); }

// Counts a word in the caller's table.
void count(ffi::Dict<ffi::String, int64_t> words, ffi::String word) {
  words.Set(word, words.Get(word).value_or(0) + 1);
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(describe, describe);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(record, record);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(count, count);
// [functions.end]
