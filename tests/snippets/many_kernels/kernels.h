// SPDX-License-Identifier: Apache-2.0
// The kernels of a small library, each of which is defined in its own file.
#ifndef MANY_KERNELS_KERNELS_H_
#define MANY_KERNELS_KERNELS_H_

// [kernels.begin]
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/optional.h>

namespace my_library {

// y = x + by, for contiguous float32 tensors of one size; `by` is 1 if it is omitted.
void shift(tvm::ffi::TensorView x, tvm::ffi::TensorView y, tvm::ffi::Optional<double> by);

// The sum of the elements of a contiguous float32 tensor.
double total(tvm::ffi::TensorView x);

}  // namespace my_library
// [kernels.end]

#endif  // MANY_KERNELS_KERNELS_H_
