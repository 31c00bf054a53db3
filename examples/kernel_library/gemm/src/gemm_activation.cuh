// SPDX-License-Identifier: Apache-2.0
// The activation as a CUTLASS function object, selected at run time: one kernel
// serves all of them.
#ifndef GEMM_ACTIVATION_CUH_
#define GEMM_ACTIVATION_CUH_

#include <cutlass/array.h>

#include "gemm_problem.h"

namespace {

// [activate.begin]
template <typename T>
struct Activate;

template <>
struct Activate<float> {
  struct Arguments {
    Activation activation = Activation::kNone;
  };
};

template <int kCount>
struct Activate<cutlass::Array<float, kCount>> {
  using Arguments = Activate<float>::Arguments;

  CUTLASS_HOST_DEVICE cutlass::Array<float, kCount> operator()(
      const cutlass::Array<float, kCount>& x,
      const Arguments& arguments) const {
    cutlass::Array<float, kCount> y;
    CUTLASS_PRAGMA_UNROLL
    for (int i = 0; i < kCount; ++i)
      y[i] = activate(x[i], arguments.activation);
    return y;
  }
};
// [activate.end]

}  // namespace

#endif  // GEMM_ACTIVATION_CUH_
