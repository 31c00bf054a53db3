// SPDX-License-Identifier: Apache-2.0
// What the kernels check, on every device.
#ifndef NORMALIZE_CHECKS_H_
#define NORMALIZE_CHECKS_H_

#include "../tvm_ffi_utils.h"

// [checks.begin]
// Parts of the sum, each of which has a number in the workspace.
constexpr int64_t kParts = 1024;

// Macros, so that an error names the function and the argument.
#define CHECK_INPUTS(x, workspace)                                     \
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
  CHECK_APART(workspace, x)

#define CHECK_OUTPUT(y, x, workspace) \
  CHECK_SAME_DEVICE(y, x);            \
  CHECK_SAME_DTYPE(y, x);             \
  CHECK_SAME_SHAPE(y, x);             \
  CHECK_CONTIGUOUS(y);                \
  CHECK_ALIGNED(y);                   \
  CHECK_NO_PARTIAL_OVERLAP(y, x);     \
  CHECK_APART(y, workspace)

// Not even the same tensor.
#define CHECK_APART(a, b)                                          \
  CHECK_OR_THROW(are_apart(a, b), ValueError, a, "apart from " #b, \
                 "overlapping ranges")

inline bool are_apart(const ffi::TensorView& a, const ffi::TensorView& b) {
  if (a.numel() == 0 || b.numel() == 0) return true;
  const ByteRange first = byte_range(a);
  const ByteRange second = byte_range(b);
  return first.last <= second.first || second.last <= first.first;
}
// [checks.end]

#endif  // NORMALIZE_CHECKS_H_
