// SPDX-License-Identifier: Apache-2.0
// The kernels, each with one implementation per device. All files include
// this one.
#ifndef VECTOR_KERNELS_KERNELS_H_
#define VECTOR_KERNELS_KERNELS_H_

// [kernels.begin]
#include "../../tvm_ffi_utils.h"

namespace vector_kernels {

// The arguments are valid: binding.cc has checked them.
namespace cpu {
void axpy(double a, ffi::TensorView x, ffi::TensorView y);
void lerp(ffi::TensorView x, ffi::TensorView y, double weight);
void vecdot(ffi::TensorView x, ffi::TensorView y, ffi::TensorView out);
}  // namespace cpu

namespace cuda {
void axpy(double a, ffi::TensorView x, ffi::TensorView y);
void lerp(ffi::TensorView x, ffi::TensorView y, double weight);
void vecdot(ffi::TensorView x, ffi::TensorView y, ffi::TensorView out);
}  // namespace cuda

}  // namespace vector_kernels
// [kernels.end]

#endif  // VECTOR_KERNELS_KERNELS_H_
