// SPDX-License-Identifier: Apache-2.0
// y = x / sqrt(mean(x * x) + eps) * weight + bias, for each row of x, on a CPU.
// Build with build_cpu.sh, run with load_rms_norm.py.

// [includes.begin]
#include <tvm/ffi/optional.h>

#include <cmath>

#include "rms_norm_checks.h"
// [includes.end]

// [sum.begin]
// Sum of squares. Compilers preserve the order of additions, so the loop has an
// order that vectorizes: kLanes sums in parallel. They are short and are
// accumulated in double, so the error does not grow with n.
template <typename T>
double sum_of_squares(const T* x, int64_t n) {
  using C = typename Compute<T>::Type;
  constexpr int64_t kLanes = 16;
  constexpr int64_t kBlock = 16 * kLanes;
  double total = 0;
  int64_t first = 0;
  for (; n - first >= kBlock; first += kBlock) {
    C values[kBlock];
    for (int64_t i = 0; i < kBlock; ++i)
      values[i] = static_cast<C>(x[first + i]);
    C sums[kLanes] = {};
    for (int64_t i = 0; i < kBlock; i += kLanes) {
      for (int64_t lane = 0; lane < kLanes; ++lane) {
        sums[lane] += values[i + lane] * values[i + lane];
      }
    }
    for (C sum : sums) total += static_cast<double>(sum);
  }
  for (; first < n; ++first) {
    const C value = static_cast<C>(x[first]);
    total += static_cast<double>(value * value);
  }
  return total;
}
// [sum.end]

// [row.begin]
template <typename T>
void normalize_row(const T* x, T* y, const T* weight, const T* bias, int64_t n,
                   double eps) {
  using C = typename Compute<T>::Type;
  const double mean = sum_of_squares(x, n) / static_cast<double>(n);
  const C factor = static_cast<C>(1 / std::sqrt(mean + eps));
  const auto normalized = [factor](T item) {
    return static_cast<C>(item) * factor;
  };
  const auto weighted = [normalized](T item, T scale) {
    return normalized(item) * static_cast<C>(scale);
  };
  if (weight && bias) {
    const auto all = [weighted](T item, T scale, T shift) {
      return static_cast<T>(weighted(item, scale) + static_cast<C>(shift));
    };
    map_elements(n, all, y, x, weight, bias);
  } else if (weight) {
    const auto most = [weighted](T item, T scale) {
      return static_cast<T>(weighted(item, scale));
    };
    map_elements(n, most, y, x, weight);
  } else if (bias) {
    const auto shifted = [normalized](T item, T shift) {
      return static_cast<T>(normalized(item) + static_cast<C>(shift));
    };
    map_elements(n, shifted, y, x, bias);
  } else {
    const auto plain = [normalized](T item) {
      return static_cast<T>(normalized(item));
    };
    map_elements(n, plain, y, x);
  }
}
// [row.end]

// [validate.begin]
// This parameter order lets a caller omit bias, or both.
void rms_norm(ffi::TensorView x, ffi::TensorView y, double eps,
              ffi::Optional<ffi::TensorView> maybe_weight,
              ffi::Optional<ffi::TensorView> maybe_bias) {
  CHECK_CPU(x);
  CHECK_DTYPE_IN(x, FloatingTypes);
  CHECK_ALIGNED(x);
  CHECK_DENSE_ROWS(x);
  CHECK_SAME_DEVICE(y, x);
  CHECK_SAME_DTYPE(y, x);
  CHECK_SAME_SHAPE(y, x);
  CHECK_CONTIGUOUS(y);
  CHECK_ALIGNED(y);
  CHECK_NO_PARTIAL_OVERLAP(y, x);
  const Rows rows("rms_norm", x);
  if (maybe_weight.has_value()) {
    const ffi::TensorView weight = *maybe_weight;
    CHECK_LIKE_A_ROW(weight, x, rows);
    CHECK_APART(y, weight);
  }
  if (maybe_bias.has_value()) {
    const ffi::TensorView bias = *maybe_bias;
    CHECK_LIKE_A_ROW(bias, x, rows);
    CHECK_APART(y, bias);
  }
  // [validate.end]

  // [run.begin]
  if (x.numel() == 0) return;  // There may be billions of empty rows.
  dispatch<FloatingTypes>(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* weight = maybe_weight ? data_of<T>(*maybe_weight) : nullptr;
    const T* bias = maybe_bias ? data_of<T>(*maybe_bias) : nullptr;
    for (int64_t row = 0; row < rows.count; ++row) {
      normalize_row(data_of<T>(x) + rows.starts.offset(row),
                    data_of<T>(y) + row * rows.length, weight, bias,
                    rows.length, eps);
    }
  });
}
// [run.end]

// [export.begin]
TVM_FFI_DLL_EXPORT_TYPED_FUNC(rms_norm, rms_norm);
// [export.end]
