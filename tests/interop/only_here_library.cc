// SPDX-License-Identifier: Apache-2.0
// A library that uses what our headers alone have, and in one function nothing of it.
#include <tvm/ffi/extra/storage.h>
#include <tvm/ffi/tvm_ffi.h>

#include <cstdlib>

namespace ffi = tvm::ffi;

TVM_FFI_DLL_EXPORT_TYPED_FUNC(remember, [](int64_t x) {
  return ffi::storage::GetOrCreate<int64_t>("interop.remembered", [x] { return x; });
});

TVM_FFI_DLL_EXPORT_TYPED_FUNC(add_one, [](int64_t x) { return x + 1; });

TVM_FFI_DLL_EXPORT_TYPED_FUNC(subtract, [](int64_t x, int64_t y) { return x - y; });
TVM_FFI_DLL_EXPORT_TYPED_FUNC_ARG_NAMES(subtract, "x", "y");

// A strided tensor of an environment whose allocator is malloc.
TVM_FFI_DLL_EXPORT_TYPED_FUNC(strided, [] {
  struct Malloc {
    void AllocData(DLTensor* tensor) { tensor->data = std::malloc(ffi::GetDataSize(*tensor)); }
    void FreeData(DLTensor* tensor) { std::free(tensor->data); }
  };
  auto allocate = [](DLTensor* prototype, TVMFFIObjectHandle* out) -> int {
    TVM_FFI_SAFE_CALL_BEGIN();
    const ffi::ShapeView shape(prototype->shape, static_cast<size_t>(prototype->ndim));
    ffi::Tensor made =
        ffi::Tensor::FromNDAlloc(Malloc(), shape, prototype->dtype, prototype->device);
    *out = ffi::ObjectUnsafe::MoveToOwned(std::move(made));
    TVM_FFI_SAFE_CALL_END();
  };
  return ffi::Tensor::FromEnvAllocStrided(allocate, {3, 2}, {1, 4}, DLDataType{kDLFloat, 32, 1},
                                          DLDevice{kDLCPU, 0});
});
