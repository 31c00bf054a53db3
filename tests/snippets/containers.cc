// SPDX-License-Identifier: Apache-2.0
// What the page on containers shows of C++: functions that take, change and give them.
// [functions.begin]
#include <tvm/ffi/tvm_ffi.h>

namespace ffi = tvm::ffi;

// Tells about tensors: how many elements they have, and the one with the most.
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

// Adds a value to a list of the caller's.
void record(ffi::List<double> losses, double loss) { losses.push_back(loss); }

// Counts a word in a table of the caller's.
void count(ffi::Dict<ffi::String, int64_t> words, ffi::String word) {
  words.Set(word, words.Get(word).value_or(0) + 1);
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(describe, describe);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(record, record);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(count, count);
// [functions.end]
