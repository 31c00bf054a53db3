// SPDX-License-Identifier: Apache-2.0
// Shared by both kernels of elu: the formula and the checks.

// [formula.begin]
#include <cmath>

#include "../tvm_ffi_utils.h"

// x where it is positive, otherwise alpha * (exp(x) - 1).
template <typename C>
HOST_DEVICE C elu_of(C x, C alpha) {
  return x > C(0) ? x : alpha * std::expm1(x);
}
// [formula.end]

// [checks.begin]
// x and y are (..., columns), alpha is (columns,).
#define CHECK_ELU(x, alpha, y)                                               \
  do {                                                                       \
    CHECK_DTYPE_IN(x, FloatingTypes);                                        \
    CHECK_OR_THROW((x).ndim() >= 1, ValueError, x, "at least 1-dimensional", \
                   (x).ndim());                                              \
    CHECK_CONTIGUOUS(x);                                                     \
    CHECK_ALIGNED(x);                                                        \
    CHECK_SAME_DEVICE(alpha, x);                                             \
    CHECK_SAME_DTYPE(alpha, x);                                              \
    CHECK_DIM(1, alpha);                                                     \
    CHECK_OR_THROW((alpha).size(0) == (x).size(-1), ValueError, alpha,       \
                   "as long as a row of x, " << (x).size(-1),                \
                   (alpha).size(0));                                         \
    CHECK_CONTIGUOUS(alpha);                                                 \
    CHECK_ALIGNED(alpha);                                                    \
    CHECK_SAME_DEVICE(y, x);                                                 \
    CHECK_SAME_DTYPE(y, x);                                                  \
    CHECK_SAME_SHAPE(y, x);                                                  \
    CHECK_CONTIGUOUS(y);                                                     \
    CHECK_ALIGNED(y);                                                        \
    CHECK_NO_PARTIAL_OVERLAP(y, x);                                          \
    CHECK_OR_THROW(!overlaps_in_part(y, alpha), ValueError, y,               \
                   "apart from alpha", "overlapping ranges");                \
  } while (0)
// [checks.end]
