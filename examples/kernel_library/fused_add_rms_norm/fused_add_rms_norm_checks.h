// SPDX-License-Identifier: Apache-2.0
// Checks of the dtypes, the weight and the scale, for every device.
#ifndef FUSED_ADD_RMS_NORM_CHECKS_H_
#define FUSED_ADD_RMS_NORM_CHECKS_H_

#include <tvm/ffi/optional.h>

#include "../tvm_ffi_utils.h"

namespace {

using Types = TypeList<float, float16, bfloat16>;

// [check_arguments.begin]
#define CHECK_LIKE_A_ROW(weight, x, rows)                                     \
  do {                                                                        \
    CHECK_SAME_DEVICE(weight, x);                                             \
    CHECK_SAME_DTYPE(weight, x);                                              \
    CHECK_OR_THROW((weight).ndim() == 1 && (weight).size(0) == (rows).length, \
                   ValueError, weight,                                        \
                   "of shape (" << (rows).length << ",) like a row of " #x,   \
                   text_of((weight).shape()));                                \
    CHECK_CONTIGUOUS(weight);                                                 \
    CHECK_ALIGNED(weight);                                                    \
  } while (0)

// A scale for the whole tensor stays on the device: reading it on the host
// would wait for the GPU.
#define CHECK_ONE_NUMBER_BESIDE(scale, x)                                   \
  do {                                                                      \
    CHECK_SAME_DEVICE(scale, x);                                            \
    CHECK_DTYPE(scale, dl_float32);                                         \
    CHECK_OR_THROW((scale).numel() == 1, ValueError, scale, "of 1 element", \
                   "shape " << text_of((scale).shape()));                   \
    CHECK_ALIGNED(scale);                                                   \
  } while (0)
// [check_arguments.end]

}  // namespace

#endif  // FUSED_ADD_RMS_NORM_CHECKS_H_
