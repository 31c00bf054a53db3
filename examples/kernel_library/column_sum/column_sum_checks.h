// SPDX-License-Identifier: Apache-2.0
// Checks shared by the CPU and CUDA sources.
#ifndef COLUMN_SUM_CHECKS_H_
#define COLUMN_SUM_CHECKS_H_

#include <tvm/ffi/optional.h>

#include "../tvm_ffi_utils.h"

namespace {

constexpr size_t kAlignment = 16;  // Of the workspace, in bytes.
constexpr DLDataType dl_uint8{kDLUInt, 8, 1};

using MaybeTensor = ffi::Optional<ffi::TensorView>;

// Number of elements from the start of one row to the start of the next.
inline int64_t row_stride(const ffi::TensorView& x) {
  return x.IsContiguous() ? x.size(1) : x.stride(0);
}

// [check_inputs.begin]
// One number for each row or column of x.
#define CHECK_VECTOR(vector, extent, x)                                  \
  do {                                                                   \
    CHECK_SAME_DEVICE(vector, x);                                        \
    CHECK_SAME_DTYPE(vector, x);                                         \
    CHECK_OR_THROW((vector).ndim() == 1 && (vector).size(0) == (extent), \
                   ValueError, vector,                                   \
                   "of shape (" << (extent) << ",) for " #x " of shape " \
                                << text_of((x).shape()),                 \
                   text_of((vector).shape()));                           \
    CHECK_CONTIGUOUS(vector);                                            \
    CHECK_ALIGNED(vector);                                               \
  } while (0)

#define CHECK_INPUTS(x, maybe_weight)                 \
  do {                                                \
    CHECK_DTYPE_IN(x, FloatingTypes);                 \
    CHECK_DIM(2, x);                                  \
    CHECK_DENSE_ROWS(x);                              \
    CHECK_ALIGNED(x);                                 \
    if ((maybe_weight).has_value()) {                 \
      const ffi::TensorView weight = *(maybe_weight); \
      CHECK_VECTOR(weight, (x).size(0), x);           \
    }                                                 \
  } while (0)
// [check_inputs.end]

// [check_memory.begin]
// The output, and the workspace: enough bytes, aligned, on the device of x.
// Neither overlaps any other argument.
#define CHECK_MEMORY(x, maybe_weight, y, workspace, bytes)                   \
  do {                                                                       \
    CHECK_VECTOR(y, (x).size(1), x);                                         \
    CHECK_APART(y, x);                                                       \
    CHECK_SAME_DEVICE(workspace, x);                                         \
    CHECK_DTYPE(workspace, dl_uint8);                                        \
    CHECK_CONTIGUOUS(workspace);                                             \
    CHECK_OR_THROW((workspace).numel() >= (bytes), ValueError, workspace,    \
                   "at least " << (bytes) << " bytes", (workspace).numel()); \
    CHECK_OR_THROW(is_aligned(data_of<char>(workspace), kAlignment),         \
                   ValueError, workspace,                                    \
                   "aligned to " << kAlignment << " bytes",                  \
                   "an address that is not");                                \
    CHECK_APART(workspace, x);                                               \
    CHECK_APART(workspace, y);                                               \
    if ((maybe_weight).has_value()) {                                        \
      const ffi::TensorView weight = *(maybe_weight);                        \
      CHECK_APART(y, weight);                                                \
      CHECK_APART(workspace, weight);                                        \
    }                                                                        \
  } while (0)
// [check_memory.end]

}  // namespace

#endif  // COLUMN_SUM_CHECKS_H_
