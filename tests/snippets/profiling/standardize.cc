// SPDX-License-Identifier: Apache-2.0
// y = (x - mean) / deviation of a vector, with a range around each part.
// [function.begin]
#include <cmath>

#include "nvtx_range.h"
#include "tvm_ffi_utils.h"

namespace {

void standardize(ffi::TensorView x, ffi::TensorView y) {
  NvtxRange whole("standardize");
  CHECK_CPU(x);
  CHECK_DIM(1, x);
  CHECK_DTYPE(x, dl_float32);
  CHECK_CONTIGUOUS(x);
  CHECK_ALIGNED(x);
  CHECK_SAME_DEVICE(y, x);
  CHECK_SAME_DTYPE(y, x);
  CHECK_SAME_SHAPE(y, x);
  CHECK_CONTIGUOUS(y);
  CHECK_ALIGNED(y);
  CHECK_NO_PARTIAL_OVERLAP(y, x);
  const float* in = data_of<float>(x);
  float* out = data_of<float>(y);
  const int64_t n = x.numel();
  double mean = 0, deviation = 0;
  {
    NvtxRange part("standardize: statistics");
    for (int64_t i = 0; i < n; ++i) mean += in[i];
    mean /= static_cast<double>(n);
    for (int64_t i = 0; i < n; ++i) deviation += (in[i] - mean) * (in[i] - mean);
    deviation = std::sqrt(deviation / static_cast<double>(n));
    CHECK_OR_THROW(n == 0 || deviation != 0, ValueError, x, "of different values", "equal ones");
  }
  NvtxRange part("standardize: output");
  for (int64_t i = 0; i < n; ++i) out[i] = static_cast<float>((in[i] - mean) / deviation);
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(standardize, standardize);
// [function.end]
