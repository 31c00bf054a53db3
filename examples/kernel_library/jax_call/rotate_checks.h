// SPDX-License-Identifier: Apache-2.0
// The checks of rotate, for every device.
#ifndef ROTATE_CHECKS_H_
#define ROTATE_CHECKS_H_

#include "../tvm_ffi_utils.h"

// [checks.begin]
#define CHECK_LIKE(y, x)     \
  do {                       \
    CHECK_SAME_DEVICE(y, x); \
    CHECK_SAME_DTYPE(y, x);  \
    CHECK_SAME_SHAPE(y, x);  \
    CHECK_CONTIGUOUS(y);     \
    CHECK_ALIGNED(y);        \
  } while (0)

// Macros, so that an error names the function and the argument.
#define CHECK_ROTATE(x, y, x_out, y_out)                                  \
  do {                                                                    \
    CHECK_DTYPE_IN(x, FloatingTypes);                                     \
    CHECK_CONTIGUOUS(x);                                                  \
    CHECK_ALIGNED(x);                                                     \
    CHECK_LIKE(y, x);                                                     \
    CHECK_LIKE(x_out, x);                                                 \
    CHECK_LIKE(y_out, x);                                                 \
    CHECK_NO_PARTIAL_OVERLAP(x_out, x);                                   \
    CHECK_NO_PARTIAL_OVERLAP(x_out, y);                                   \
    CHECK_NO_PARTIAL_OVERLAP(y_out, x);                                   \
    CHECK_NO_PARTIAL_OVERLAP(y_out, y);                                   \
    CHECK_NO_PARTIAL_OVERLAP(y_out, x_out);                               \
    CHECK_OR_THROW(                                                       \
        (x).numel() == 0 || data_of<char>(x_out) != data_of<char>(y_out), \
        ValueError, y_out, "apart from " #x_out, "the same memory");      \
  } while (0)
// [checks.end]

#endif  // ROTATE_CHECKS_H_
