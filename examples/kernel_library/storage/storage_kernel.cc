// SPDX-License-Identifier: Apache-2.0
// counts[v] = the number of elements of x equal to v, on a CPU, in a workspace
// kept between calls. Build with build_cpu.sh, run with load_storage.py.

// [includes.begin]
#include <algorithm>

#include "histogram_checks.h"
// [includes.end]

namespace {

// [get_workspace.begin]
// At least `counters` zeroed counters that outlive the call. The CPU's stream
// does not distinguish threads, so each thread has its own workspace: `here`
// has a different address in each running thread.
ffi::Tensor get_workspace(int64_t counters, DLDevice device) {
  thread_local char here;
  const ffi::String key = ffi::storage::Key(kWorkspace, device, &here);
  auto create = [&] {
    ffi::Tensor made = alloc_tensor({counters}, dl_int64, device);
    std::fill_n(static_cast<int64_t*>(made.data_ptr()), counters, 0);
    return made;
  };
  auto workspace = ffi::storage::GetOrCreate<ffi::Tensor>(key, create);
  if (workspace.numel() >= counters) return workspace;
  workspace = create();
  ffi::storage::Set(key, workspace);
  return workspace;
}
// [get_workspace.end]

// [tables.begin]
// Adjacent elements are counted in separate tables, so that equal ones do not
// wait for one counter. An extra counter in each table is for all other values.
constexpr int64_t kTables = 4;

template <typename T>
void count(const T* x, int64_t n, int64_t bins, int64_t* tables) {
  auto counter = [&](int64_t i) -> int64_t& {
    // As an unsigned integer, a negative number is a large one.
    const auto bin = static_cast<uint64_t>(static_cast<int64_t>(x[i]));
    const int64_t table = i % kTables * (bins + 1);
    return tables[table + static_cast<int64_t>(
                              std::min(bin, static_cast<uint64_t>(bins)))];
  };
  int64_t i = 0;
  for (; i + kTables <= n; i += kTables) {
    for (int64_t k = 0; k < kTables; ++k) ++counter(i + k);
  }
  for (; i < n; ++i) ++counter(i);
}

// Adds up the tables and leaves them zeroed, as it found them.
void take(int64_t* tables, int64_t bins, int64_t* counts) {
  std::fill_n(counts, bins, 0);
  for (int64_t table = 0; table < kTables; ++table) {
    int64_t* of_table = tables + table * (bins + 1);
    for (int64_t b = 0; b < bins; ++b) counts[b] += of_table[b];
    std::fill_n(of_table, bins + 1, 0);
  }
}
// [tables.end]

}  // namespace

// [function.begin]
void histogram(ffi::TensorView x, ffi::TensorView counts) {
  CHECK_CPU(x);
  CHECK_HISTOGRAM(x, counts);
  const int64_t bins = counts.numel();
  // This reference keeps the workspace alive until the call returns.
  ffi::Tensor workspace = get_workspace(kTables * (bins + 1), x.device());
  auto* tables = static_cast<int64_t*>(workspace.data_ptr());
  dispatch<BinTypes>(x.dtype(), [&](auto zero) {
    count(data_of<decltype(zero)>(x), x.numel(), bins, tables);
  });
  take(tables, bins, data_of<int64_t>(counts));
}
// [function.end]

// [export.begin]
TVM_FFI_DLL_EXPORT_TYPED_FUNC(histogram, histogram);
// [export.end]
