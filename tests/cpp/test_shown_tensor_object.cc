// SPDX-License-Identifier: Apache-2.0
// Rows: R1, R8
// Shown by tensor.rst: a tensor and the object it points to.
#include <tvm/ffi/tvm_ffi.h>

#include <cstdlib>

#include "expect.h"

namespace ffi = tvm::ffi;

namespace {

struct MallocAllocator {
  void AllocData(DLTensor* tensor) { tensor->data = std::malloc(ffi::GetDataSize(*tensor)); }
  void FreeData(DLTensor* tensor) { std::free(tensor->data); }
};

ffi::Tensor NewTensor(ffi::ShapeView shape) {
  return ffi::Tensor::FromNDAlloc(MallocAllocator(), shape, {kDLFloat, 32, 1}, {kDLCPU, 0});
}

}  // namespace

// A pointer to the object owns nothing, but suffices to create another owner.
void tensor_object() {
  // [tensor_object.begin]
  ffi::Tensor tensor = NewTensor({2, 3});
  const ffi::TensorObj* object = tensor.get();  // Borrowed: valid as long as tensor is.
  EXPECT_EQ(tensor.use_count(), 1);
  const DLTensor* described = object;  // The object is a DLTensor, too.
  EXPECT_EQ(described->ndim, 2);

  ffi::Tensor again = ffi::GetRef<ffi::Tensor>(object);  // Another owner of the same object.
  EXPECT_EQ(tensor.use_count(), 2);
  EXPECT(again.same_as(tensor));
  // [tensor_object.end]
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_tensor_object, tensor_object);
