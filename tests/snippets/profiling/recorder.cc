// SPDX-License-Identifier: Apache-2.0
// Stands in for a profiler: NVTX loads it, and it records the ranges that are pushed and popped.
#include <nvtx3/nvToolsExt.h>

#include <string>

namespace {

std::string events;
int depth = 0;

int NVTX_API push(const char* name) {
  events += "push " + std::string(name) + "\n";
  return depth++;
}

int NVTX_API pop() {
  events += "pop\n";
  return --depth;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(
    NvtxGetExportTableFunc_t get_table) {
  const auto* callbacks =
      static_cast<const NvtxExportTableCallbacks*>(get_table(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable table = nullptr;
  unsigned int size = 0;
  if (callbacks == nullptr ||
      callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &size) == 0 ||
      size <= NVTX_CBID_CORE_RangePop) {
    return 0;
  }
  *table[NVTX_CBID_CORE_RangePushA] = reinterpret_cast<NvtxFunctionPointer>(push);
  *table[NVTX_CBID_CORE_RangePop] = reinterpret_cast<NvtxFunctionPointer>(pop);
  return 1;
}

// Returns what was recorded since the last call.
extern "C" __attribute__((visibility("default"))) const char* take_events() {
  static std::string taken;
  taken.swap(events);
  events.clear();
  return taken.c_str();
}

// Number of open ranges.
extern "C" __attribute__((visibility("default"))) int open_ranges() { return depth; }
