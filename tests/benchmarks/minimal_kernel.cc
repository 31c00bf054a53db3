// SPDX-License-Identifier: Apache-2.0
// The minimal kernel file: one function, one check that throws, one export.
#include <tvm/ffi/tvm_ffi.h>

namespace ffi = tvm::ffi;

namespace {

void add_one(ffi::TensorView x, ffi::TensorView y) {
  if (x.numel() != y.numel()) {
    TVM_FFI_THROW(ValueError) << "add_one: y must have " << x.numel() << " elements, got "
                              << y.numel();
  }
  const float* from = static_cast<const float*>(x.data_ptr());
  float* to = static_cast<float*>(y.data_ptr());
  for (int64_t i = 0; i < x.numel(); ++i) to[i] = from[i] + 1;
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(add_one, add_one);
