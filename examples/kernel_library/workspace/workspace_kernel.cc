// SPDX-License-Identifier: Apache-2.0
// counts[v] = the number of elements of x equal to v, on a CPU, in a workspace
// from the caller. Build with build_cpu.sh, run with load_workspace.py.

// [includes.begin]
#include <algorithm>

#include "workspace_checks.h"
// [includes.end]

namespace {

// [tables.begin]
// Adjacent elements are counted in separate tables, so that equal ones do not
// wait for one counter. An extra counter in each table is for all other values.
constexpr int64_t kTables = 4;

int64_t size_of_tables(int64_t bins) {
  return kTables * (bins + 1) * static_cast<int64_t>(sizeof(int64_t));
}

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
// [tables.end]

}  // namespace

// [workspace_size.begin]
int64_t histogram_workspace_size(ffi::TensorView x, ffi::TensorView counts) {
  CHECK_CPU(x);
  CHECK_HISTOGRAM(x, counts);
  return size_of_tables(counts.numel());
}
// [workspace_size.end]

// [function.begin]
void histogram(ffi::TensorView x, ffi::TensorView counts,
               ffi::TensorView workspace) {
  CHECK_CPU(x);
  CHECK_HISTOGRAM(x, counts);
  const int64_t bins = counts.numel();
  CHECK_WORKSPACE(workspace, size_of_tables(bins), x);
  CHECK_APART(workspace, counts);
  auto* tables = data_of<int64_t>(workspace);
  std::fill_n(tables, kTables * (bins + 1), 0);
  dispatch<BinTypes>(x.dtype(), [&](auto zero) {
    count(data_of<decltype(zero)>(x), x.numel(), bins, tables);
  });
  auto* out = data_of<int64_t>(counts);
  std::fill_n(out, bins, 0);
  for (int64_t table = 0; table < kTables; ++table) {
    const int64_t* of_table = tables + table * (bins + 1);
    for (int64_t b = 0; b < bins; ++b) out[b] += of_table[b];
  }
}
// [function.end]

// [export.begin]
TVM_FFI_DLL_EXPORT_TYPED_FUNC(histogram_workspace_size,
                              histogram_workspace_size);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(histogram, histogram);
// [export.end]
