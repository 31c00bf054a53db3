// SPDX-License-Identifier: Apache-2.0
// The checks shared by both devices, and the problem that passed them.
#ifndef GEMM_CHECKS_H_
#define GEMM_CHECKS_H_

#include "../tvm_ffi_utils.h"
#include "src/gemm_problem.h"

namespace {

constexpr DLDataType dl_uint8{kDLUInt, 8, 1};
constexpr int64_t kMost = int64_t{1} << 30;       // rows, columns and terms
constexpr int64_t kMostColumns = 65535 * 128;     // Blocks in y of a grid.
constexpr int64_t kMostMatrices = 65535;          // Blocks in z.
constexpr int64_t kMostBytes = int64_t{1} << 40;  // TMA strides are shorter.

using GemmTypes = TypeList<float16, bfloat16, float8_e4m3fn>;

inline bool is_float8(const ffi::TensorView& a) {
  return same_dtype(a.dtype(), dl_float8_e4m3fn);
}

// The dtype of the result and of the bias.
inline DLDataType out_dtype(const ffi::TensorView& a) {
  return is_float8(a) ? dl_bfloat16 : a.dtype();
}

// [lines.begin]
// A matrix, or a batch of them: the last two dimensions are rows and columns.
inline int64_t rows_of(const ffi::TensorView& x) {
  return x.size(x.ndim() - 2);
}

inline int64_t columns_of(const ffi::TensorView& x) {
  return x.size(x.ndim() - 1);
}

inline int64_t matrices_of(const ffi::TensorView& x) {
  return x.ndim() == 3 ? x.size(0) : 1;
}

// Whether TMA supports a step, in elements.
inline bool is_step(const ffi::TensorView& x, int64_t step) {
  return step > 0 && step < kMostBytes / item_size(x) &&
         step * item_size(x) % 16 == 0;
}

// The lines of a matrix are its rows or its columns. Whether the elements of a
// line are adjacent, and each line begins at a multiple of 16 bytes, after the
// previous one; each matrix of a batch must also begin at such a multiple.
inline bool has_lines(const ffi::TensorView& x, bool columns) {
  if (x.numel() == 0) return true;
  if (!is_aligned(data_of<char>(x))) return false;
  const int32_t along = x.ndim() - (columns ? 2 : 1);
  const int32_t across = x.ndim() - (columns ? 1 : 2);
  if (x.size(along) > 1 && x.stride(along) != 1) return false;
  if (x.size(across) > 1 &&
      (!is_step(x, x.stride(across)) || x.stride(across) < x.size(along)))
    return false;
  return matrices_of(x) == 1 || is_step(x, x.stride(0));
}

// The step from one line to the next, in elements.
inline int64_t step_of(const ffi::TensorView& x, bool columns) {
  const int32_t across = x.ndim() - (columns ? 1 : 2);
  if (x.size(across) > 1) return x.stride(across);
  return columns ? rows_of(x) : columns_of(x);
}

// The step from one matrix to the next, in elements.
inline int64_t batch_step_of(const ffi::TensorView& x) {
  return matrices_of(x) > 1 ? x.stride(0) : 0;
}

// Whether no element of the result belongs to two matrices, which follow one
// another or are interleaved row by row. The result has dense rows.
inline bool matrices_are_apart(const ffi::TensorView& x) {
  if (matrices_of(x) <= 1 || x.numel() == 0) return true;
  const int64_t row = columns_of(x);
  const int64_t rows = (rows_of(x) - 1) * step_of(x, false);
  const int64_t matrices = (matrices_of(x) - 1) * batch_step_of(x);
  return batch_step_of(x) >= rows + row ||
         (batch_step_of(x) >= row &&
          (rows_of(x) == 1 || step_of(x, false) >= matrices + row));
}

inline std::string lines_of(const ffi::TensorView& x) {
  return "shape " + text_of(x.shape()) + " with strides " +
         text_of(x.strides()) +
         (is_aligned(data_of<char>(x)) ? "" : " at an address that is not");
}

inline std::string shape_of_product(const ffi::TensorView& a,
                                    const ffi::TensorView& b) {
  const std::string batch = a.ndim() == 3 ? text_of(matrices_of(a)) + ", " : "";
  return "(" + batch + text_of(rows_of(a)) + ", " + text_of(columns_of(b)) +
         ")";
}
// [lines.end]

// [checks.begin]
// Rows of `columns` elements must be whole vectors of 16 bytes.
#define CHECK_WHOLE_VECTORS(x, columns)                                  \
  CHECK_OR_THROW((columns) * item_size(x) % 16 == 0, ValueError, x,      \
                 "of a multiple of " << 16 / item_size(x) << " columns", \
                 (columns))

// Everything the workspace size depends on.
#define CHECK_MATRICES(a, b, out)                                              \
  do {                                                                         \
    CHECK_DTYPE_IN(a, GemmTypes);                                              \
    CHECK_OR_THROW((a).ndim() == 2 || (a).ndim() == 3, ValueError, a,          \
                   "2- or 3-dimensional", (a).ndim());                         \
    CHECK_OR_THROW(rows_of(a) <= kMost && columns_of(a) <= kMost, ValueError,  \
                   a, "of at most " << kMost << " rows and columns",           \
                   text_of((a).shape()));                                      \
    CHECK_OR_THROW(matrices_of(a) <= kMostMatrices, ValueError, a,             \
                   "of at most " << kMostMatrices << " matrices",              \
                   matrices_of(a));                                            \
    CHECK_WHOLE_VECTORS(a, columns_of(a));                                     \
    CHECK_OR_THROW(has_lines(a, false), ValueError, a,                         \
                   "made of dense rows at multiples of 16 bytes",              \
                   lines_of(a));                                               \
    CHECK_SAME_DEVICE(b, a);                                                   \
    CHECK_SAME_DTYPE(b, a);                                                    \
    CHECK_DIM((a).ndim(), b);                                                  \
    CHECK_OR_THROW(matrices_of(b) == matrices_of(a), ValueError, b,            \
                   "of " << matrices_of(a) << " matrices like " #a,            \
                   matrices_of(b));                                            \
    CHECK_OR_THROW(rows_of(b) == columns_of(a), ValueError, b,                 \
                   "of " << columns_of(a) << " rows like the columns of " #a,  \
                   rows_of(b));                                                \
    CHECK_OR_THROW(columns_of(b) <= kMostColumns, ValueError, b,               \
                   "of at most " << kMostColumns << " columns",                \
                   columns_of(b));                                             \
    CHECK_OR_THROW(                                                            \
        has_lines(b, true) || (!is_float8(b) && has_lines(b, false)),          \
        ValueError, b,                                                         \
        (is_float8(b) ? "made of dense columns at multiples of 16 bytes"       \
                      : "made of dense rows or dense columns at multiples of " \
                        "16 bytes"),                                           \
        lines_of(b));                                                          \
    CHECK_SAME_DEVICE(out, a);                                                 \
    CHECK_DTYPE(out, out_dtype(a));                                            \
    CHECK_DIM((a).ndim(), out);                                                \
    CHECK_OR_THROW(matrices_of(out) == matrices_of(a) &&                       \
                       rows_of(out) == rows_of(a) &&                           \
                       columns_of(out) == columns_of(b),                       \
                   ValueError, out, "of shape " << shape_of_product(a, b),     \
                   text_of((out).shape()));                                    \
    CHECK_WHOLE_VECTORS(out, columns_of(out));                                 \
    CHECK_OR_THROW(has_lines(out, false), ValueError, out,                     \
                   "made of dense rows at multiples of 16 bytes",              \
                   lines_of(out));                                             \
    CHECK_OR_THROW(matrices_are_apart(out), ValueError, out,                   \
                   "made of matrices apart from each other", lines_of(out));   \
    CHECK_APART(out, a);                                                       \
    CHECK_APART(out, b);                                                       \
  } while (0)

#define CHECK_BIAS(bias, a, out)                                      \
  do {                                                                \
    CHECK_SAME_DEVICE(bias, a);                                       \
    CHECK_DTYPE(bias, out_dtype(a));                                  \
    CHECK_DIM(1, bias);                                               \
    CHECK_OR_THROW(                                                   \
        (bias).size(0) == columns_of(out), ValueError, bias,          \
        "of " << columns_of(out) << " elements like a row of " #out,  \
        (bias).size(0));                                              \
    CHECK_CONTIGUOUS(bias);                                           \
    CHECK_OR_THROW(is_aligned(data_of<char>(bias)), ValueError, bias, \
                   "aligned to 16 bytes", "an address that is not");  \
    CHECK_APART(out, bias);                                           \
  } while (0)

#define CHECK_SCALE(scale, a, out)                                          \
  do {                                                                      \
    CHECK_OR_THROW(is_float8(a), ValueError, scale,                         \
                   "None unless " #a " is float8_e4m3fn", "a tensor");      \
    CHECK_SAME_DEVICE(scale, a);                                            \
    CHECK_DTYPE(scale, dl_float32);                                         \
    CHECK_OR_THROW((scale).numel() == 1, ValueError, scale, "of 1 element", \
                   (scale).numel());                                        \
    CHECK_ALIGNED(scale);                                                   \
    CHECK_APART(out, scale);                                                \
  } while (0)

#define CHECK_WORKSPACE(workspace, bytes, a, b, out)                      \
  do {                                                                    \
    CHECK_SAME_DEVICE(workspace, a);                                      \
    CHECK_DTYPE(workspace, dl_uint8);                                     \
    CHECK_CONTIGUOUS(workspace);                                          \
    CHECK_OR_THROW((workspace).numel() >= (bytes), ValueError, workspace, \
                   "of at least " << (bytes) << " bytes",                 \
                   (workspace).numel());                                  \
    CHECK_OR_THROW(is_aligned(data_of<char>(workspace)), ValueError,      \
                   workspace, "aligned to 16 bytes",                      \
                   "an address that is not");                             \
    CHECK_APART(workspace, a);                                            \
    CHECK_APART(workspace, b);                                            \
    CHECK_APART(workspace, out);                                          \
  } while (0)
// [checks.end]

// [problem_of.begin]
// The problem of matrices that passed CHECK_MATRICES.
inline Problem problem_of(const ffi::TensorView& a, const ffi::TensorView& b,
                          const ffi::TensorView& out) {
  Problem problem = {};
  problem.type = is_float8(a)                        ? Problem::Type::kFloat8
                 : same_dtype(a.dtype(), dl_float16) ? Problem::Type::kFloat16
                                                     : Problem::Type::kBfloat16;
  problem.batch = static_cast<int>(matrices_of(a));
  problem.m = static_cast<int>(rows_of(a));
  problem.n = static_cast<int>(columns_of(b));
  problem.k = static_cast<int>(columns_of(a));
  problem.a = data_of<void>(a);
  problem.b = data_of<void>(b);
  problem.out = data_of<void>(out);
  problem.b_columns = is_float8(a) || !has_lines(b, false);
  problem.step_a = step_of(a, false);
  problem.step_b = step_of(b, problem.b_columns);
  problem.step_out = step_of(out, false);
  problem.batch_step_a = batch_step_of(a);
  problem.batch_step_b = batch_step_of(b);
  problem.batch_step_out = batch_step_of(out);
  problem.device = a.device().device_id;
  return problem;
}

inline Activation activation_of(const ffi::String& name) {
  const char* const names[] = {"none", "relu", "silu", "gelu_tanh"};
  const std::string text(name.data(), name.size());
  int i = 0;
  while (i < 4 && text != names[i]) ++i;
  if (i == 4) {
    TVM_FFI_THROW(ValueError)
        << "gemm: activation must be none, relu, silu or gelu_tanh, got "
        << text;
  }
  return static_cast<Activation>(i);
}

// Checks the optional arguments, and stores all arguments that are not matrices
// in the problem.
#define TAKE_OTHERS(problem, alpha, activation, a, out, workspace) \
  do {                                                             \
    (problem).alpha = static_cast<float>(alpha);                   \
    (problem).activation = activation_of(activation);              \
    if (maybe_bias.has_value()) {                                  \
      const ffi::TensorView bias = *maybe_bias;                    \
      CHECK_BIAS(bias, a, out);                                    \
      CHECK_APART(workspace, bias);                                \
      (problem).bias = data_of<void>(bias);                        \
    }                                                              \
    if (maybe_scale_a.has_value()) {                               \
      const ffi::TensorView scale_a = *maybe_scale_a;              \
      CHECK_SCALE(scale_a, a, out);                                \
      CHECK_APART(workspace, scale_a);                             \
      (problem).scale_a = data_of<float>(scale_a);                 \
    }                                                              \
    if (maybe_scale_b.has_value()) {                               \
      const ffi::TensorView scale_b = *maybe_scale_b;              \
      CHECK_SCALE(scale_b, a, out);                                \
      CHECK_APART(workspace, scale_b);                             \
      (problem).scale_b = data_of<float>(scale_b);                 \
    }                                                              \
  } while (0)
// [problem_of.end]

}  // namespace

#endif  // GEMM_CHECKS_H_
