// SPDX-License-Identifier: Apache-2.0
// y[c] = sum over r of weight[r] * x[r, c], on a CPU, in a workspace from the
// caller. Build with build_cpu.sh, run with load_column_sum.py.

// [includes.begin]
#include <algorithm>

#include "column_sum_checks.h"
// [includes.end]

namespace {

// [add_rows.begin]
// Adds rows to one sum per column. Four rows at a time, so that a sum is
// loaded and stored once per four elements.
template <typename T, typename C>
void add_rows(const T* x, int64_t stride, const T* weight, int64_t rows,
              int64_t columns, C* sums) {
  const auto factor = [weight](int64_t row) {
    return weight ? static_cast<C>(weight[row]) : C{1};
  };
  int64_t row = 0;
  for (; row + 4 <= rows; row += 4) {
    const C f0 = factor(row), f1 = factor(row + 1);
    const C f2 = factor(row + 2), f3 = factor(row + 3);
    const auto add = [=](C sum, T x0, T x1, T x2, T x3) {
      return sum + ((f0 * static_cast<C>(x0) + f1 * static_cast<C>(x1)) +
                    (f2 * static_cast<C>(x2) + f3 * static_cast<C>(x3)));
    };
    const T* at = x + row * stride;
    map_elements(columns, add, sums, sums, at, at + stride, at + 2 * stride,
                 at + 3 * stride);
  }
  for (; row < rows; ++row) {
    const auto add = [f = factor(row)](C sum, T item) {
      return sum + f * static_cast<C>(item);
    };
    map_elements(columns, add, sums, sums, x + row * stride);
  }
}
// [add_rows.end]

// [workspace.begin]
// The workspace holds a total per column in float64, then a sum of the latest
// rows in C. The totals keep the error from growing with the number of rows.
constexpr int64_t kRowsOfSum = 256;

template <typename T>
void sum_columns(const ffi::TensorView& x, const T* weight, T* y,
                 void* workspace) {
  using C = typename Compute<T>::Type;
  const int64_t rows = x.size(0), columns = x.size(1), stride = row_stride(x);
  auto* totals = static_cast<double*>(workspace);
  auto* sums = reinterpret_cast<C*>(totals + columns);
  std::fill_n(totals, columns, 0.0);
  for (int64_t row = 0; row < rows; row += kRowsOfSum) {
    std::fill_n(sums, columns, C{0});
    add_rows(data_of<T>(x) + row * stride, stride,
             weight ? weight + row : nullptr, std::min(kRowsOfSum, rows - row),
             columns, sums);
    const auto add = [](double total, C sum) {
      return total + static_cast<double>(sum);
    };
    map_elements(columns, add, totals, totals, sums);
  }
  const auto rounded = [](double total) {
    return static_cast<T>(static_cast<C>(total));
  };
  map_elements(columns, rounded, y, totals);
}

int64_t workspace_bytes(const ffi::TensorView& x) {
  const int64_t of_sum = std::max<int64_t>(item_size(x), sizeof(float));
  return x.size(1) * (static_cast<int64_t>(sizeof(double)) + of_sum);
}
// [workspace.end]

}  // namespace

// [workspace_size.begin]
int64_t column_sum_workspace_size(ffi::TensorView x, MaybeTensor maybe_weight) {
  CHECK_CPU(x);
  CHECK_INPUTS(x, maybe_weight);
  return workspace_bytes(x);
}
// [workspace_size.end]

// [function.begin]
void column_sum(ffi::TensorView x, MaybeTensor maybe_weight, ffi::TensorView y,
                ffi::TensorView workspace) {
  CHECK_CPU(x);
  CHECK_INPUTS(x, maybe_weight);
  CHECK_MEMORY(x, maybe_weight, y, workspace, workspace_bytes(x));
  if (y.numel() == 0) return;  // There may be billions of empty rows.
  dispatch<FloatingTypes>(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* weight = maybe_weight ? data_of<T>(*maybe_weight) : nullptr;
    sum_columns(x, weight, data_of<T>(y), data_of<char>(workspace));
  });
}
// [function.end]

// [export.begin]
TVM_FFI_DLL_EXPORT_TYPED_FUNC(column_sum_workspace_size,
                              column_sum_workspace_size);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(column_sum, column_sum);
// [export.end]
