// SPDX-License-Identifier: Apache-2.0
// container/tensor.h, container/shape.h, dtype.h: sizes, strides and kinds of element types.
#include <tvm/ffi/tvm_ffi.h>

#include <cstdlib>

#include "print.h"

namespace ffi = tvm::ffi;

struct Allocator {
  void AllocData(DLTensor* tensor) { tensor->data = std::malloc(ffi::GetDataSize(*tensor) + 1); }
  void FreeData(DLTensor* tensor) { std::free(tensor->data); }
};

int main() {
  for (const char* name : {"int4", "int32x4", "uint1", "bfloat16", "bool", "float8_e4m3fn",
                           "float6_e3m2fn", "float4_e2m1fnx2", "float64", "handle"}) {
    const DLDataType dtype = ffi::StringToDLDataType(name);
    const ffi::Tensor tensor =
        ffi::Tensor::FromNDAlloc(Allocator(), {3, 5}, dtype, DLDevice{kDLCPU, 0});
    const ffi::TensorView view = tensor;
    std::cout << ffi::GetDataSize(tensor) << " " << ffi::GetDataSize(view) << " "
              << ffi::DTypeIsBool(dtype) << ffi::DTypeIsInt(dtype) << ffi::DTypeIsFloat(dtype)
              << " " << ffi::DTypeAbbrev(dtype) << "\n";
  }
  std::cout << ffi::kDLExtCustomBegin << "\n";
  for (const ffi::Shape& shape : {ffi::Shape({2, 3, 4}), ffi::Shape({2, 0, 3}), ffi::Shape()}) {
    for (int64_t stride : ffi::Shape::StridesFromShape(shape)) std::cout << stride << " ";
    std::cout << "\n";
  }
  for (int type = kDLCPU; type <= kDLROCM + 3; ++type) {
    std::cout << ffi::IsDirectAddressDevice(DLDevice{static_cast<DLDeviceType>(type), 0});
  }
  std::cout << "\n" << ffi::TypeIndexToTypeKey(kTVMFFITensor) << "\n";
}
