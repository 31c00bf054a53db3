// SPDX-License-Identifier: Apache-2.0
// Cases: tensors from allocators of a library's own.
#include <tvm/ffi/container/tensor.h>

#include <cstdlib>
#include <cstring>

#include "case.h"

namespace ffi = tvm::ffi;

namespace {

using ffi::Any;
using ffi::Tensor;

int64_t freed = 0;  // how often this library freed a tensor
constexpr DLDataType kF32 = {kDLFloat, 32, 1};

// An allocator of the library's own.
struct Malloc {
  void AllocData(DLTensor* tensor) {
    tensor->data = std::malloc(ffi::GetDataSize(*tensor) + 1);
    std::memset(tensor->data, fill, ffi::GetDataSize(*tensor));
  }
  void FreeData(DLTensor* tensor) {
    ++freed;
    std::free(tensor->data);
  }
  int fill;
};
Tensor MakeFromAllocator(int64_t i) {
  const DLDevice cpu{kDLCPU, 0};
  if (i == 0) return Tensor::FromNDAlloc(Malloc{7}, ffi::Shape({2, 3}), kF32, cpu);
  return Tensor::FromNDAlloc(Malloc{7}, ffi::Shape({0, 3}), kF32, cpu);
}
void CheckFromAllocator(int64_t i, const Any& value) {
  const auto tensor = value.cast<Tensor>();
  EXPECT(tensor.size(0) == (i == 0 ? 2 : 0));
  EXPECT(tensor.size(1) == 3);
  EXPECT(tensor.IsContiguous());
  EXPECT(i == 1 || static_cast<char*>(tensor.data_ptr())[23] == 7);
}
Tensor MakeFromStridedAllocator(int64_t) {
  return Tensor::FromNDAllocStrided(Malloc{7}, ffi::Shape({2, 3}), ffi::Shape({3, 1}), kF32,
                                    DLDevice{kDLCPU, 0});
}
void CheckFromStridedAllocator(int64_t, const Any& value) {
  EXPECT(value.cast<Tensor>().strides().size() == 2);
  EXPECT(value.cast<Tensor>().stride(0) == 3);
}

int64_t FreedCount() { return freed; }

}  // namespace

INTEROP_CASE(FromAllocator, 2, "tensor from a library's own allocator");
INTEROP_CASE(FromStridedAllocator, 1, "tensor with strides from a library's own allocator");

TVM_FFI_DLL_EXPORT_TYPED_FUNC(freed_count, FreedCount);
