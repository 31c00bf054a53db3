// SPDX-License-Identifier: Apache-2.0
// The implementation file: it computes, and does not depend on its callers.
#include "norms.h"

#include <cmath>

// [implementation.begin]
double l2_norm(const float* x, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += static_cast<double>(x[i]) * static_cast<double>(x[i]);
  return std::sqrt(sum);
}
// [implementation.end]
