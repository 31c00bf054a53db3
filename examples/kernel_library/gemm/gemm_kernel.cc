// SPDX-License-Identifier: Apache-2.0
// out = activation(alpha * a @ b + bias) on a CPU. Build with build_cpu.sh, run
// with load_gemm.py.

// [includes.begin]
#include "gemm_checks.h"
// [includes.end]

namespace {

// [multiply.begin]
// b is widened once, into dense rows, since each element is used m times.
template <typename T>
void widen_b(const Problem& p, const T* b, float* wide) {
  const int64_t down = p.b_columns ? 1 : p.step_b;
  const int64_t right = p.b_columns ? p.step_b : 1;
  for (int64_t row = 0; row < p.k; ++row) {
    for (int64_t column = 0; column < p.n; ++column)
      *wide++ = static_cast<float>(b[row * down + column * right]);
  }
}

template <typename T, typename Out>
void multiply(const Problem& p, int64_t matrix, float* wide, float* sums) {
  widen_b(p, static_cast<const T*>(p.b) + matrix * p.batch_step_b, wide);
  float scale = p.alpha;
  if (p.scale_a) scale *= *p.scale_a;
  if (p.scale_b) scale *= *p.scale_b;
  const Out* bias = static_cast<const Out*>(p.bias);
  for (int64_t row = 0; row < p.m; ++row) {
    const T* a =
        static_cast<const T*>(p.a) + matrix * p.batch_step_a + row * p.step_a;
    Out* out =
        static_cast<Out*>(p.out) + matrix * p.batch_step_out + row * p.step_out;
    for (int64_t j = 0; j < p.n; ++j) sums[j] = 0;
    for (int64_t i = 0; i < p.k; ++i) {
      const auto factor = static_cast<float>(a[i]);
      const float* row_of_b = wide + i * p.n;
      for (int64_t j = 0; j < p.n; ++j) sums[j] += factor * row_of_b[j];
    }
    for (int64_t j = 0; j < p.n; ++j) {
      const float shift = bias ? static_cast<float>(bias[j]) : 0.0f;
      out[j] =
          static_cast<Out>(activate(scale * sums[j] + shift, p.activation));
    }
  }
}

template <typename T, typename Out>
void multiply_all(const Problem& p, float* wide, float* sums) {
  for (int64_t i = 0; i < p.batch; ++i) multiply<T, Out>(p, i, wide, sums);
}
// [multiply.end]

// [workspace_bytes.begin]
// In float32: b, and the sums of one row.
int64_t workspace_bytes(const Problem& p) {
  return (int64_t{p.k} + 1) * p.n * static_cast<int64_t>(sizeof(float));
}
// [workspace_bytes.end]

}  // namespace

// [workspace_size.begin]
int64_t gemm_workspace_size(ffi::TensorView a, ffi::TensorView b,
                            ffi::TensorView out) {
  CHECK_CPU(a);
  CHECK_MATRICES(a, b, out);
  return workspace_bytes(problem_of(a, b, out));
}
// [workspace_size.end]

// [function.begin]
// This parameter order lets a caller omit the last ones.
void gemm(ffi::TensorView a, ffi::TensorView b, ffi::TensorView out,
          ffi::TensorView workspace, double alpha, ffi::String activation,
          ffi::Optional<ffi::TensorView> maybe_bias,
          ffi::Optional<ffi::TensorView> maybe_scale_a,
          ffi::Optional<ffi::TensorView> maybe_scale_b) {
  CHECK_CPU(a);
  CHECK_MATRICES(a, b, out);
  Problem problem = problem_of(a, b, out);
  CHECK_WORKSPACE(workspace, workspace_bytes(problem), a, b, out);
  TAKE_OTHERS(problem, alpha, activation, a, out, workspace);
  if (out.numel() == 0) return;
  auto* sums = data_of<float>(workspace);
  float* wide = sums + problem.n;
  switch (problem.type) {
    case Problem::Type::kFloat16:
      return multiply_all<float16, float16>(problem, wide, sums);
    case Problem::Type::kBfloat16:
      return multiply_all<bfloat16, bfloat16>(problem, wide, sums);
    case Problem::Type::kFloat8:
      return multiply_all<float8_e4m3fn, bfloat16>(problem, wide, sums);
  }
}
// [function.end]

// [export.begin]
TVM_FFI_DLL_EXPORT_TYPED_FUNC(gemm_workspace_size, gemm_workspace_size);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(gemm, gemm);
// [export.end]
