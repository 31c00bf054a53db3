// SPDX-License-Identifier: Apache-2.0
// Helpers shared by the allocators in this folder.
#ifndef ALLOCATORS_H_
#define ALLOCATORS_H_

#include "../tvm_ffi_utils.h"

namespace {

// [span_bytes.begin]
// Bytes from the first element to the end of the last one, including gaps.
inline size_t span_bytes(const DLTensor& tensor) {
  if (tensor.strides == nullptr) return ffi::GetDataSize(tensor);
  int64_t elements = 1;
  for (int32_t i = 0; i < tensor.ndim; ++i) {
    if (tensor.shape[i] == 0) return 0;
    elements += (tensor.shape[i] - 1) * tensor.strides[i];
  }
  DLTensor dense = tensor;
  dense.ndim = 1;
  dense.shape = &elements;
  return ffi::GetDataSize(dense);
}
// [span_bytes.end]

// [report_failed_free.begin]
// FreeData runs when the last owner is destroyed, often in a destructor, where
// nothing could catch an exception. So a failed free is reported, and nothing
// else happens.
inline void report_failed_free(const char* call, const char* why) noexcept {
  std::fprintf(stderr, "%s: %s: the memory is lost\n", call, why);
}
// [report_failed_free.end]

}  // namespace

#endif  // ALLOCATORS_H_
