// SPDX-License-Identifier: Apache-2.0
// Checks shared by the CPU and CUDA sources.
#ifndef WORKSPACE_CHECKS_H_
#define WORKSPACE_CHECKS_H_

#include "../tvm_ffi_utils.h"

namespace {

constexpr int64_t kMaxBins = 8192;
constexpr size_t kAlignment = 16;  // Of the workspace, in bytes.
constexpr DLDataType dl_uint8{kDLUInt, 8, 1};

using BinTypes = TypeList<uint8_t, int32_t, int64_t>;

// [check_workspace.begin]
// A workspace is given as bytes: enough of them, aligned, on the device of x.
#define CHECK_WORKSPACE(workspace, size, x)                                    \
  do {                                                                         \
    CHECK_DTYPE(workspace, dl_uint8);                                          \
    CHECK_SAME_DEVICE(workspace, x);                                           \
    CHECK_CONTIGUOUS(workspace);                                               \
    CHECK_OR_THROW((workspace).numel() >= (size), ValueError, workspace,       \
                   "of at least " << (size) << " bytes", (workspace).numel()); \
    CHECK_OR_THROW(is_aligned(data_of<char>(workspace), kAlignment),           \
                   ValueError, workspace,                                      \
                   "aligned to " << kAlignment << " bytes",                    \
                   "an address that is not");                                  \
    CHECK_APART(workspace, x);                                                 \
  } while (0)
// [check_workspace.end]

// [check_histogram.begin]
#define CHECK_HISTOGRAM(x, counts)                                          \
  do {                                                                      \
    CHECK_DTYPE_IN(x, BinTypes);                                            \
    CHECK_CONTIGUOUS(x);                                                    \
    CHECK_ALIGNED(x);                                                       \
    CHECK_SAME_DEVICE(counts, x);                                           \
    CHECK_DTYPE(counts, dl_int64);                                          \
    CHECK_DIM(1, counts);                                                   \
    CHECK_CONTIGUOUS(counts);                                               \
    CHECK_ALIGNED(counts);                                                  \
    CHECK_OR_THROW((counts).numel() <= kMaxBins, ValueError, counts,        \
                   "of at most " << kMaxBins << " bins", (counts).numel()); \
    CHECK_APART(counts, x);                                                 \
  } while (0)
// [check_histogram.end]

}  // namespace

#endif  // WORKSPACE_CHECKS_H_
