// SPDX-License-Identifier: Apache-2.0
// residual += x; y = residual / sqrt(mean(residual * residual) + eps) * weight,
// or that divided by scale in float8_e4m3fn, for each row, on a CPU. Build with
// build_cpu.sh, run with load_fused_add_rms_norm.py.

// [includes.begin]
#include <cmath>

#include "fused_add_rms_norm_checks.h"
// [includes.end]

// [row.begin]
// Sum of squares, as in rms_norm: an order of additions that vectorizes, and
// short sums that are accumulated in double.
template <typename T>
double sum_of_squares(const T* x, int64_t n) {
  constexpr int64_t kLanes = 16;
  constexpr int64_t kBlock = 16 * kLanes;
  double total = 0;
  int64_t first = 0;
  for (; n - first >= kBlock; first += kBlock) {
    float values[kBlock];
    for (int64_t i = 0; i < kBlock; ++i)
      values[i] = static_cast<float>(x[first + i]);
    float sums[kLanes] = {};
    for (int64_t i = 0; i < kBlock; i += kLanes) {
      for (int64_t lane = 0; lane < kLanes; ++lane) {
        sums[lane] += values[i + lane] * values[i + lane];
      }
    }
    for (float sum : sums) total += static_cast<double>(sum);
  }
  for (; first < n; ++first) {
    const float value = static_cast<float>(x[first]);
    total += static_cast<double>(value * value);
  }
  return total;
}

template <typename T, typename Out>
void add_and_normalize_row(const T* x, T* residual, Out* y, const T* weight,
                           int64_t n, double eps, float scale) {
  const auto sum = [](T old, T item) {
    return static_cast<T>(static_cast<float>(old) + static_cast<float>(item));
  };
  map_elements(n, sum, residual, residual, x);
  const double mean = sum_of_squares(residual, n) / static_cast<double>(n);
  const float factor = static_cast<float>(1 / std::sqrt(mean + eps)) / scale;
  const auto normalized = [factor](T item) {
    return static_cast<float>(item) * factor;
  };
  if (weight) {
    const auto weighted = [=](T item, T times) {
      return static_cast<Out>(normalized(item) * static_cast<float>(times));
    };
    map_elements(n, weighted, y, residual, weight);
  } else {
    const auto plain = [=](T item) {
      return static_cast<Out>(normalized(item));
    };
    map_elements(n, plain, y, residual);
  }
}
// [row.end]

// [validate.begin]
// This parameter order lets a caller omit scale, or both.
void fused_add_rms_norm(ffi::TensorView x, ffi::TensorView residual,
                        ffi::TensorView y, double eps,
                        ffi::Optional<ffi::TensorView> maybe_weight,
                        ffi::Optional<ffi::TensorView> maybe_scale) {
  CHECK_CPU(x);
  CHECK_DTYPE_IN(x, Types);
  CHECK_ALIGNED(x);
  CHECK_DENSE_ROWS(x);
  CHECK_SAME_DEVICE(residual, x);
  CHECK_SAME_DTYPE(residual, x);
  CHECK_SAME_SHAPE(residual, x);
  CHECK_CONTIGUOUS(residual);
  CHECK_ALIGNED(residual);
  CHECK_APART(residual, x);
  CHECK_SAME_DEVICE(y, x);
  CHECK_DTYPE(y, maybe_scale.has_value() ? dl_float8_e4m3fn : x.dtype());
  CHECK_SAME_SHAPE(y, x);
  CHECK_CONTIGUOUS(y);
  CHECK_ALIGNED(y);
  CHECK_NO_PARTIAL_OVERLAP(y, x);
  CHECK_APART(y, residual);
  const Rows rows("fused_add_rms_norm", x);
  if (maybe_weight.has_value()) {
    const ffi::TensorView weight = *maybe_weight;
    CHECK_LIKE_A_ROW(weight, x, rows);
    CHECK_APART(y, weight);
    CHECK_APART(residual, weight);
  }
  if (maybe_scale.has_value()) {
    const ffi::TensorView scale = *maybe_scale;
    CHECK_ONE_NUMBER_BESIDE(scale, x);
    CHECK_APART(y, scale);
    CHECK_APART(residual, scale);
  }
  // [validate.end]

  // [run.begin]
  if (x.numel() == 0) return;  // There may be billions of empty rows.
  dispatch<Types>(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* weight = maybe_weight ? data_of<T>(*maybe_weight) : nullptr;
    const auto run = [&](auto* to, float scale) {
      for (int64_t row = 0; row < rows.count; ++row) {
        const int64_t first = row * rows.length;
        add_and_normalize_row(data_of<T>(x) + rows.starts.offset(row),
                              data_of<T>(residual) + first, to + first, weight,
                              rows.length, eps, scale);
      }
    };
    if (maybe_scale) {
      run(data_of<float8_e4m3fn>(y), *data_of<float>(*maybe_scale));
    } else {
      run(data_of<T>(y), 1.0f);
    }
  });
}
// [run.end]

// [export.begin]
TVM_FFI_DLL_EXPORT_TYPED_FUNC(fused_add_rms_norm, fused_add_rms_norm);
// A CPU has no kernels to overlap.
TVM_FFI_DLL_EXPORT_TYPED_FUNC(fused_add_rms_norm_early, fused_add_rms_norm);
// [export.end]
