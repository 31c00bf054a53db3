// SPDX-License-Identifier: Apache-2.0
// The implementation's interface: plain C++, without TVM FFI.
#ifndef TESTS_SNIPPETS_NORMS_H_
#define TESTS_SNIPPETS_NORMS_H_

#include <cstdint>

// [interface.begin]
// The Euclidean norm of x, an array of n numbers.
double l2_norm(const float* x, int64_t n);
// [interface.end]

#endif  // TESTS_SNIPPETS_NORMS_H_
