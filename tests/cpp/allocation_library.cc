// SPDX-License-Identifier: Apache-2.0
// The library that test_allocation.cc loads and unloads: it creates objects that are freed later.
#include <tvm/ffi/tvm_ffi.h>

#include <cstdio>
#include <cstdlib>
#include <optional>

namespace ffi = tvm::ffi;

namespace {

constexpr DLDataType kFloat32{kDLFloat, 32, 1};
constexpr DLDevice kCPU{kDLCPU, 0};

// Counts its frees in memory of the caller.
struct Counting {
  int* freed;

  void AllocData(DLTensor* tensor) { tensor->data = std::malloc(ffi::GetDataSize(*tensor)); }
  void FreeData(DLTensor* tensor) {
    std::free(tensor->data);
    ++*freed;
  }
};

// Destroyed at process exit: the library stays loaded once it has created a tensor.
std::optional<ffi::Tensor>& Kept() {
  static std::optional<ffi::Tensor> kept;
  return kept;
}

ffi::Tensor Make(void* freed) {
  return ffi::Tensor::FromNDAlloc(Counting{static_cast<int*>(freed)}, {3}, kFloat32, kCPU);
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(make, [](void* freed) { return Make(freed); });

// A tensor that the library's own code frees at process exit, and reports it.
TVM_FFI_DLL_EXPORT_TYPED_FUNC(keep, [] {
  struct Telling {
    void AllocData(DLTensor*) {}
    void FreeData(DLTensor*) { std::fputs("freed by its library\n", stderr); }
  };
  Kept() = ffi::Tensor::FromNDAlloc(Telling(), {3}, kFloat32, kCPU);
});

// A function whose code is in this library.
TVM_FFI_DLL_EXPORT_TYPED_FUNC(adder, [](int64_t n) {
  return ffi::Function::FromTyped([n](int64_t x) { return x + n; });
});
