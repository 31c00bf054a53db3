// SPDX-License-Identifier: Apache-2.0
// Shared by the CPU and CUDA sources.
#ifndef HISTOGRAM_CHECKS_H_
#define HISTOGRAM_CHECKS_H_

#include <tvm/ffi/extra/storage.h>

#include "../tvm_ffi_utils.h"

namespace {

constexpr int64_t kMaxBins = 8192;
// The whole process shares the store, so the name starts with the library's.
constexpr const char* kWorkspace = "storage_example.histogram";

using BinTypes = TypeList<uint8_t, int32_t, int64_t>;

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

#endif  // HISTOGRAM_CHECKS_H_
