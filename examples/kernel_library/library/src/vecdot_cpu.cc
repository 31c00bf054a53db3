// SPDX-License-Identifier: Apache-2.0
// out = sum of x * y over the last dimension, on a CPU.
#include <algorithm>

#include "kernels.h"

namespace vector_kernels {
namespace {

// Independent sums, which the compiler keeps in vector registers, over blocks
// short enough for float; the sums of the blocks are added in double.
template <typename T>
double dot(const T* x, const T* y, int64_t n) {
  using C = typename Compute<T>::Type;
  constexpr int64_t kBlock = 4096;
  constexpr int64_t kLanes = 16;
  double total = 0;
  for (int64_t begin = 0; begin < n; begin += kBlock) {
    const int64_t end = std::min(n, begin + kBlock);
    C lanes[kLanes] = {};
    int64_t i = begin;
    for (; i + kLanes <= end; i += kLanes) {
      for (int64_t k = 0; k < kLanes; ++k)
        lanes[k] += static_cast<C>(x[i + k]) * static_cast<C>(y[i + k]);
    }
    for (; i < end; ++i) {
      lanes[0] += static_cast<C>(x[i]) * static_cast<C>(y[i]);
    }
    for (C lane : lanes) total += static_cast<double>(lane);
  }
  return total;
}

}  // namespace

void cpu::vecdot(ffi::TensorView x, ffi::TensorView y, ffi::TensorView out) {
  dispatch<FloatingTypes>(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    using C = typename Compute<T>::Type;
    const T* left = data_of<T>(x);
    const T* right = data_of<T>(y);
    T* to = data_of<T>(out);
    const int64_t n = x.size(-1);
    const int64_t rows = out.numel();
    for (int64_t row = 0; row < rows; ++row) {
      const double sum = dot(left + row * n, right + row * n, n);
      to[row] = static_cast<T>(static_cast<C>(sum));
    }
  });
}

}  // namespace vector_kernels
