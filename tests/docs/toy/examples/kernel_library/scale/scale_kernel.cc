// SPDX-License-Identifier: Apache-2.0
// Multiply n numbers by a factor.
#include "../check.h"

// [kernel.begin]
extern "C" void scale(const float* x, float* y, long n, float factor) {
  //! [guard]
  if (!is_valid(n)) return;
  //! [guard]
  // [loop.begin]
  for (long i = 0; i < n; ++i) {
    y[i] = x[i] * factor;
  }
  // [loop.end]
}
// [kernel.end]
