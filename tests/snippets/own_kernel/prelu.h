// SPDX-License-Identifier: Apache-2.0
// What both kernels of prelu share: the formula and the checks.
#include "../tvm_ffi_utils.h"

// [formula.begin]
// x where it is positive, else slope * x.
template <typename C>
HOST_DEVICE C prelu_of(C x, C slope) {
  return x > C(0) ? x : slope * x;
}
// [formula.end]

// [checks.begin]
// x and y are (..., columns), slope is (columns,).
#define CHECK_PRELU(x, slope, y)                                             \
  do {                                                                       \
    CHECK_DTYPE_IN(x, FloatingTypes);                                        \
    CHECK_OR_THROW((x).ndim() >= 1, ValueError, x, "at least 1-dimensional", \
                   (x).ndim());                                              \
    CHECK_CONTIGUOUS(x);                                                     \
    CHECK_ALIGNED(x);                                                        \
    CHECK_SAME_DEVICE(slope, x);                                             \
    CHECK_SAME_DTYPE(slope, x);                                              \
    CHECK_DIM(1, slope);                                                     \
    CHECK_OR_THROW((slope).size(0) == (x).size(-1), ValueError, slope,       \
                   "as long as a row of x, " << (x).size(-1),                \
                   (slope).size(0));                                         \
    CHECK_CONTIGUOUS(slope);                                                 \
    CHECK_ALIGNED(slope);                                                    \
    CHECK_SAME_DEVICE(y, x);                                                 \
    CHECK_SAME_DTYPE(y, x);                                                  \
    CHECK_SAME_SHAPE(y, x);                                                  \
    CHECK_CONTIGUOUS(y);                                                     \
    CHECK_ALIGNED(y);                                                        \
    CHECK_NO_PARTIAL_OVERLAP(y, x);                                          \
    CHECK_OR_THROW(!overlaps_in_part(y, slope), ValueError, y,               \
                   "apart from slope", "overlapping ranges");                \
  } while (0)
// [checks.end]
