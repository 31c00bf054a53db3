// SPDX-License-Identifier: Apache-2.0
// Checks shared by the kernels of all devices.
#ifndef NORMALIZE_CHECKS_H_
#define NORMALIZE_CHECKS_H_

#include "../tvm_ffi_utils.h"

// [checks.begin]
// The number of partial sums, each of which is one element of the workspace.
constexpr int64_t kParts = 1024;

// Macros, so that an error names the function and the argument.
#define CHECK_INPUTS(x, workspace)                                       \
  do {                                                                   \
    CHECK_DTYPE(x, dl_float32);                                          \
    CHECK_CONTIGUOUS(x);                                                 \
    CHECK_ALIGNED(x);                                                    \
    CHECK_SAME_DEVICE(workspace, x);                                     \
    CHECK_DTYPE(workspace, dl_float32);                                  \
    CHECK_DIM(1, workspace);                                             \
    CHECK_CONTIGUOUS(workspace);                                         \
    CHECK_ALIGNED(workspace);                                            \
    CHECK_OR_THROW((workspace).numel() >= kParts, ValueError, workspace, \
                   "of workspace_size() elements, which is " << kParts,  \
                   (workspace).numel());                                 \
    CHECK_APART(workspace, x);                                           \
  } while (0)

#define CHECK_OUTPUT(y, x, workspace) \
  do {                                \
    CHECK_SAME_DEVICE(y, x);          \
    CHECK_SAME_DTYPE(y, x);           \
    CHECK_SAME_SHAPE(y, x);           \
    CHECK_CONTIGUOUS(y);              \
    CHECK_ALIGNED(y);                 \
    CHECK_NO_PARTIAL_OVERLAP(y, x);   \
    CHECK_APART(y, workspace);        \
  } while (0)
// [checks.end]

#endif  // NORMALIZE_CHECKS_H_
