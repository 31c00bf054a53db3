// SPDX-License-Identifier: Apache-2.0
// y = x / sum(x) in two steps with a workspace between them, on a CPU. Build
// with build_cpu.sh, run with load_streams_and_graphs.py.

// [includes.begin]
#include <algorithm>
#include <cmath>

#include "normalize_checks.h"
// [includes.end]

// [sum.begin]
// The sum of n numbers in float32, as parallel partial sums, which vectorize.
float sum_of(const float* x, int64_t n) {
  constexpr int kLanes = 16;
  float lanes[kLanes] = {};
  const int64_t whole = n / kLanes * kLanes;
  for (int64_t i = 0; i < whole; i += kLanes)
    for (int lane = 0; lane < kLanes; ++lane) lanes[lane] += x[i + lane];
  float sum = 0;
  for (float each : lanes) sum += each;
  for (int64_t i = whole; i < n; ++i) sum += x[i];
  return sum;
}
// [sum.end]

// [functions.begin]
// workspace[p] = the sum of the p-th part of x.
void partial_sums(ffi::TensorView x, ffi::TensorView workspace) {
  CHECK_CPU(x);
  CHECK_INPUTS(x, workspace);
  const int64_t n = x.numel();
  const int64_t part = (n + kParts - 1) / kParts;
  for (int64_t p = 0; p < kParts; ++p) {
    const int64_t first = std::min(n, p * part);
    data_of<float>(workspace)[p] =
        sum_of(data_of<float>(x) + first, std::min(n, first + part) - first);
  }
}

// y = x / the sum of the workspace's parts.
void divide_by_sum(ffi::TensorView x, ffi::TensorView workspace,
                   ffi::TensorView y) {
  CHECK_CPU(x);
  CHECK_INPUTS(x, workspace);
  CHECK_OUTPUT(y, x, workspace);
  const float sum = sum_of(data_of<float>(workspace), kParts);
  const float* from = data_of<float>(x);
  float* to = data_of<float>(y);
  // A product is faster than a quotient, at the cost of one more rounding.
  const float inverse = 1 / sum;
  if (std::isnormal(inverse)) {
    const auto times = [inverse](float value) { return value * inverse; };
    map_elements(x.numel(), times, to, from);
  } else {
    const auto over = [sum](float value) { return value / sum; };
    map_elements(x.numel(), over, to, from);
  }
}

void normalize(ffi::TensorView x, ffi::TensorView workspace,
               ffi::TensorView y) {
  CHECK_CPU(x);
  CHECK_INPUTS(x, workspace);
  CHECK_OUTPUT(y, x, workspace);
  partial_sums(x, workspace);
  divide_by_sum(x, workspace, y);
}

int64_t workspace_size() { return kParts; }
// [functions.end]

// [export.begin]
TVM_FFI_DLL_EXPORT_TYPED_FUNC(partial_sums, partial_sums);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(divide_by_sum, divide_by_sum);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(normalize, normalize);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(workspace_size, workspace_size);
// [export.end]
