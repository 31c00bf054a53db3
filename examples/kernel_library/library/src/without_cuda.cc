// SPDX-License-Identifier: Apache-2.0
// Replaces the CUDA files in a library that is built without CUDA.

// [stubs.begin]
#include "kernels.h"

namespace vector_kernels {
namespace cuda {

namespace {
[[noreturn]] void refuse(const char* name, const ffi::TensorView& x) {
  TVM_FFI_THROW(ValueError)
      << name << ": x must be on the CPU, got " << text_of(x.device())
      << "; this library was built without CUDA";
}
}  // namespace

void axpy(double, ffi::TensorView x, ffi::TensorView) { refuse("axpy", x); }

void lerp(ffi::TensorView x, ffi::TensorView, double) { refuse("lerp", x); }

void vecdot(ffi::TensorView x, ffi::TensorView, ffi::TensorView) {
  refuse("vecdot", x);
}

}  // namespace cuda
}  // namespace vector_kernels
// [stubs.end]
