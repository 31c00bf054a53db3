// SPDX-License-Identifier: Apache-2.0
// A range that a profiler shows under a name, from construction to the end of the scope.
#ifndef NVTX_RANGE_H_
#define NVTX_RANGE_H_
// [range.begin]
#include <nvtx3/nvToolsExt.h>

namespace {

class NvtxRange {
 public:
  explicit NvtxRange(const char* name) { nvtxRangePushA(name); }
  ~NvtxRange() { nvtxRangePop(); }
  NvtxRange(const NvtxRange&) = delete;
  NvtxRange& operator=(const NvtxRange&) = delete;
};

}  // namespace
// [range.end]
#endif  // NVTX_RANGE_H_
