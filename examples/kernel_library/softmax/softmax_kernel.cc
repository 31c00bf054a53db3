// SPDX-License-Identifier: Apache-2.0
// y = exp(x) / sum(exp(x)), for each row of x, on a CPU. Build with
// build_cpu.sh, run with load_softmax.py.

// [includes.begin]
#include <algorithm>
#include <cmath>
#include <limits>

#include "../tvm_ffi_utils.h"
// [includes.end]

// [power.begin]
inline double power(double x) { return std::exp(x); }

// exp(x) for x <= 0, written so that a loop of it vectorizes: x = n * ln(2) + r
// with an integer n and |r| <= ln(2) / 2, so exp(x) = 2^n * exp(r). The error
// is less than 2^-22 of the value, or a subnormal number; NaN maps to NaN.
inline float power(float x) {
  // Adding 1.5 * 2^23 leaves the nearest integer in the last bits.
  const float shifted = x * 1.44269504f + 12582912.0f;
  const float n = shifted - 12582912.0f;
  // ln(2) in two parts; the product of n with the first is exact.
  const float r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
  float sum = 1.0f / 5040;
  sum = sum * r + 1.0f / 720;
  sum = sum * r + 1.0f / 120;
  sum = sum * r + 1.0f / 24;
  sum = sum * r + 1.0f / 6;
  sum = sum * r + 0.5f;
  sum = sum * (r * r) + (r + 1.0f);
  // 2^n as 2^h * 2^(n - h), since 2^n may be too small for a float.
  const uint32_t whole = bits_of(shifted) - bits_of(12582912.0f);
  const uint32_t h = ((whole + 256u) >> 1) - 128u;
  const float value =
      sum * float_of((h + 127u) << 23) * float_of((whole - h + 127u) << 23);
  // Below -104 the result is 0 in float. A branch would not vectorize.
  return float_of(bits_of(value) & (x < -104.0f ? 0u : ~0u));
}
// [power.end]

// [row.begin]
// A row passes through registers a block at a time. Sixteen maxima, or sixteen
// sums, run in parallel: compilers preserve the order of operations, and this
// order vectorizes.
constexpr int64_t kLanes = 16;
constexpr int64_t kBlock = 16 * kLanes;

// The largest element that is not NaN; -inf if there is none.
template <typename C, typename T>
C largest_of(const T* x, int64_t n) {
  C largest[kLanes];
  for (C& lane : largest) lane = -std::numeric_limits<C>::infinity();
  int64_t first = 0;
  for (; n - first >= kBlock; first += kBlock) {
    C values[kBlock];
    for (int64_t i = 0; i < kBlock; ++i) {
      values[i] = static_cast<C>(x[first + i]);
    }
    for (int64_t i = 0; i < kBlock; i += kLanes) {
      for (int64_t lane = 0; lane < kLanes; ++lane) {
        const C value = values[i + lane];
        largest[lane] = value > largest[lane] ? value : largest[lane];
      }
    }
  }
  for (; first < n; ++first) {
    largest[0] = std::max(largest[0], static_cast<C>(x[first]));
  }
  return *std::max_element(largest, largest + kLanes);
}

// The sum of exp(x - largest). Blocks are summed in C, and accumulated in
// double: the error does not grow with n.
template <typename C, typename T>
double sum_of_powers(const T* x, int64_t n, C largest) {
  double total = 0;
  int64_t first = 0;
  for (; n - first >= kBlock; first += kBlock) {
    C powers[kBlock];
    for (int64_t i = 0; i < kBlock; ++i) {
      powers[i] = power(static_cast<C>(x[first + i]) - largest);
    }
    C sums[kLanes] = {};
    for (int64_t i = 0; i < kBlock; i += kLanes) {
      for (int64_t lane = 0; lane < kLanes; ++lane) {
        sums[lane] += powers[i + lane];
      }
    }
    for (C sum : sums) total += static_cast<double>(sum);
  }
  for (; first < n; ++first) {
    total += static_cast<double>(power(static_cast<C>(x[first]) - largest));
  }
  return total;
}

template <typename T>
void softmax_row(const T* x, T* y, int64_t n) {
  using C = typename Compute<T>::Type;
  const C largest = largest_of<C>(x, n);
  const C factor = static_cast<C>(1 / sum_of_powers<C>(x, n, largest));
  const auto scaled = [largest, factor](T item) {
    return static_cast<T>(power(static_cast<C>(item) - largest) * factor);
  };
  map_elements(n, scaled, y, x);
}
// [row.end]

// [function.begin]
void softmax(ffi::TensorView x, ffi::TensorView y) {
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
  const Rows rows("softmax", x);
  if (x.numel() == 0) return;  // There may be billions of empty rows.
  dispatch<FloatingTypes>(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for (int64_t row = 0; row < rows.count; ++row) {
      softmax_row(data_of<T>(x) + rows.starts.offset(row),
                  data_of<T>(y) + row * rows.length, rows.length);
    }
  });
}
// [function.end]

// [export.begin]
TVM_FFI_DLL_EXPORT_TYPED_FUNC(softmax, softmax);
// [export.end]
