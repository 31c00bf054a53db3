// SPDX-License-Identifier: Apache-2.0
// Rows: R7
// src/structural_parts.h: elements smaller than a byte.
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/tvm_ffi.h>

#include <cstring>
#include <string>

#include "expect.h"

namespace ffi = tvm::ffi;

namespace {

struct Memory {
  void AllocData(DLTensor* tensor) {
    tensor->data = bytes;
    std::memset(bytes, 0x21, sizeof(bytes));
  }
  void FreeData(DLTensor*) {}
  char bytes[32];
};

// 64 elements of 4 bits.
ffi::Tensor Packed(DLDataType dtype) {
  const auto count = static_cast<int64_t>(sizeof(Memory::bytes) * 8 / (dtype.bits * dtype.lanes));
  return ffi::Tensor::FromNDAlloc(Memory(), ffi::Shape({count}), dtype, DLDevice{kDLCPU, 0});
}

int64_t HashOf(const ffi::Tensor& tensor, bool skip_content) {
  return ffi::Function::GetGlobalRequired("ffi.StructuralHash")(tensor, false, skip_content)
      .cast<int64_t>();
}

bool AreEqual(const ffi::Tensor& a, const ffi::Tensor& b, bool skip_content) {
  return ffi::Function::GetGlobalRequired("ffi.StructuralEqual")(a, b, false, skip_content)
      .cast<bool>();
}

}  // namespace

// Elements smaller than a byte are compared and hashed if the tensor is contiguous.
void elements_of_less_than_a_byte() {
  for (DLDataType dtype : {DLDataType{kDLInt, 4, 1}, DLDataType{kDLFloat4_e2m1fn, 4, 1}}) {
    const ffi::Tensor a = Packed(dtype);
    const ffi::Tensor b = Packed(dtype);
    EXPECT(AreEqual(a, b, false));
    EXPECT_EQ(HashOf(a, false), HashOf(b, false));
    const ffi::Tensor part = a.as_strided(ffi::Shape({4, 8}), ffi::Shape({16, 2}));
    const ffi::Tensor other = b.as_strided(ffi::Shape({4, 8}), ffi::Shape({16, 2}));
    const std::string expected =
        ": expected elements of whole bytes in a tensor that is not contiguous, got " +
        ffi::DLDataTypeToString(dtype) + "; skip_tensor_content leaves them out";
    EXPECT_EQ(error_of([&] { HashOf(part, false); }), "ValueError: ffi.StructuralHash" + expected);
    EXPECT_EQ(error_of([&] { AreEqual(part, other, false); }),
              "ValueError: ffi.StructuralEqual" + expected);
    EXPECT(AreEqual(part, other, true));
    EXPECT_EQ(HashOf(part, true), HashOf(other, true));
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_elements_of_less_than_a_byte, elements_of_less_than_a_byte);

// Two 4-bit elements in one byte can be skipped together.
void lanes_of_whole_bytes() {
  const ffi::Tensor a = Packed({kDLInt, 4, 2});
  const ffi::Tensor b = Packed({kDLInt, 4, 2});
  static_cast<char*>(b.data_ptr())[1] = 0;
  const ffi::Shape shape({16}), strides({2});
  EXPECT(!AreEqual(a, b, false));
  EXPECT(AreEqual(a.as_strided(shape, strides), b.as_strided(shape, strides), false));
  EXPECT_EQ(HashOf(a.as_strided(shape, strides), false),
            HashOf(b.as_strided(shape, strides), false));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_lanes_of_whole_bytes, lanes_of_whole_bytes);
