// SPDX-License-Identifier: Apache-2.0
// The library that test_storage.cc loads and unloads: it stores values that its own code frees.
#include <tvm/ffi/extra/storage.h>
#include <tvm/ffi/tvm_ffi.h>

#include <cstdio>

namespace ffi = tvm::ffi;

// A Shape is freed by code of the library that created it.
TVM_FFI_DLL_EXPORT_TYPED_FUNC(store_shape, [](const ffi::String& key) {
  ffi::storage::Set(key, ffi::Shape{2, 3});
});

// A tensor that reports when it is freed.
TVM_FFI_DLL_EXPORT_TYPED_FUNC(store_tensor, [](const ffi::String& key) {
  struct Telling {
    void AllocData(DLTensor*) {}
    void FreeData(DLTensor*) { std::fputs("freed\n", stderr); }
  };
  ffi::storage::Set(key, ffi::Tensor::FromNDAlloc(Telling(), {3}, DLDataType{kDLFloat, 32, 1},
                                                  DLDevice{kDLCPU, 0}));
});
