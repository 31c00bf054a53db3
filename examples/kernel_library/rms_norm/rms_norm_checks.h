// SPDX-License-Identifier: Apache-2.0
// Checks of a tensor with one number per column, for every device.
#ifndef RMS_NORM_CHECKS_H_
#define RMS_NORM_CHECKS_H_

#include "../tvm_ffi_utils.h"

// [check_like_a_row.begin]
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
// [check_like_a_row.end]

#endif  // RMS_NORM_CHECKS_H_
