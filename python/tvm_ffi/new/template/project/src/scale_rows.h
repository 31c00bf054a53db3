// SPDX-License-Identifier: Apache-2.0
// Shared by the two implementations of scale_rows: y = x * scale + bias, with
// one scale per row and one bias per column.
#ifndef SCALE_ROWS_H_
#define SCALE_ROWS_H_

#include "tvm_ffi_utils.h"

// binding.cc checks the arguments before it calls one of these.
void scale_rows_cpu(const ffi::TensorView& x, const ffi::TensorView& scale,
                    const ffi::TensorView& y, const ffi::TensorView* bias);
void scale_rows_cuda(const ffi::TensorView& x, const ffi::TensorView& scale,
                     const ffi::TensorView& y, const ffi::TensorView* bias);
namespace {

// [formula.begin]
// C is float for the 16-bit dtypes: the result is rounded once.
template <typename C>
HOST_DEVICE C scaled(C x, C scale, C bias) {
  return x * scale + bias;
}
// [formula.end]

// Number of elements from one row of a matrix to the next.
inline int64_t row_stride(const ffi::TensorView& x) {
  return x.IsContiguous() ? x.size(1) : x.stride(0);
}

}  // namespace

#endif  // SCALE_ROWS_H_
