// SPDX-License-Identifier: Apache-2.0
// The library that test_shown_tensor.cc loads and unloads: it creates a tensor that is freed later.
#include <tvm/ffi/tvm_ffi.h>

#include <cstdlib>

namespace ffi = tvm::ffi;

// Counts its frees in memory of the caller.
struct Counting {
  int* freed;

  void AllocData(DLTensor* tensor) { tensor->data = std::malloc(ffi::GetDataSize(*tensor)); }
  void FreeData(DLTensor* tensor) {
    std::free(tensor->data);
    ++*freed;
  }
};

ffi::Tensor make(void* freed) {
  return ffi::Tensor::FromNDAlloc(Counting{static_cast<int*>(freed)}, {3}, {kDLFloat, 32, 1},
                                  {kDLCPU, 0});
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(make, make);
