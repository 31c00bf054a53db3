// SPDX-License-Identifier: Apache-2.0
// One multiplication, as passed to the kernels. Does not use the runtime's
// headers, so that files that include CUTLASS compile without them.
#ifndef GEMM_PROBLEM_H_
#define GEMM_PROBLEM_H_

#include <cmath>
#include <cstddef>
#include <cstdint>

#ifdef __CUDACC__
#include <cuda_runtime.h>
#define GEMM_BOTH __host__ __device__
#else
#define GEMM_BOTH
#endif

// [activation.begin]
// In the order of their names in gemm_checks.h.
enum class Activation { kNone, kRelu, kSilu, kGelu };

// GELU with tanh is a product with a sigmoid, like SiLU:
// (1 + tanh(t)) / 2 = 1 / (1 + exp(-2 t)).
GEMM_BOTH inline float activate(float x, Activation activation) {
  if (activation == Activation::kNone) return x;
  if (activation == Activation::kRelu) return x < 0 ? 0 : x;  // Keeps NaN.
  float t = x;
  if (activation == Activation::kGelu)
    t = 1.59576912f * (x + 0.044715f * x * x * x);
#ifdef __CUDA_ARCH__
  // Avoids a function call, which would stall the tensor cores.
  return __fdividef(x, 1 + __expf(-t));
#else
  return x / (1 + std::exp(-t));
#endif
}
// [activation.end]

// [problem.begin]
// out = activation(alpha * scale_a * scale_b * a @ b + bias). a is (m, k) and
// out is (m, n), both with dense rows; b is (k, n), dense in its rows or, if
// b_columns, in its columns. There are `batch` of each. Steps are in elements.
struct Problem {
  enum class Type { kFloat16, kBfloat16, kFloat8 };

  Type type;  // of a and b; out and bias have it too, or bfloat16 for float8
  int batch, m, n, k;
  const void* a;
  const void* b;
  void* out;
  int64_t step_a, step_b, step_out;  // from one row or column to the next
  int64_t batch_step_a, batch_step_b, batch_step_out;  // to the next matrix
  bool b_columns;
  const void* bias;      // null: none
  const float* scale_a;  // null: 1
  const float* scale_b;
  float alpha;
  Activation activation;
  int device;
};
// [problem.end]

#ifdef __CUDACC__
// [paths.begin]
// The workspace size of a path in bytes, and the path itself, which returns
// null, or why it did not start.
size_t workspace_of_sm80(const Problem& problem);
size_t workspace_of_sm90a(const Problem& problem);
const char* run_sm80(const Problem& problem, void* workspace,
                     cudaStream_t stream);
const char* run_sm90a(const Problem& problem, void* workspace,
                      cudaStream_t stream);
// [paths.end]
#endif

#endif  // GEMM_PROBLEM_H_
