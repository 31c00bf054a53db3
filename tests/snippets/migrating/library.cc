// SPDX-License-Identifier: Apache-2.0
// After the migration: the same as a kernel library, which does not depend on PyTorch. Its
// functions have the names and the order of those in extension.cc.

// [includes.begin]
#include <tvm/ffi/extra/stl.h>
#include <tvm/ffi/tvm_ffi.h>

#include "tvm_ffi_utils.h"
// [includes.end]

#include <cmath>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

// [kernel.begin]
// y[..., i] = silu(x[..., i]) * x[..., n + i], where 2 * n is the size of the last dimension.
void silu_and_mul(ffi::TensorView x, ffi::TensorView y) {
  CHECK_CPU(x);
  CHECK_DTYPE_IN(x, FloatingTypes);
  CHECK_CONTIGUOUS(x);
  CHECK_SAME_DEVICE(y, x);
  CHECK_SAME_DTYPE(y, x);
  CHECK_CONTIGUOUS(y);
  TVM_FFI_CHECK(x.dim() > 0 && x.size(-1) % 2 == 0, ValueError)
      << "silu_and_mul: the last size of x must be even";
  TVM_FFI_CHECK(y.dim() == x.dim() && 2 * y.numel() == x.numel() && 2 * y.size(-1) == x.size(-1),
                ValueError)
      << "silu_and_mul: y must be like x, with half of its last size";
  CHECK_NO_PARTIAL_OVERLAP(y, x);
  const int64_t n = y.size(-1);
  dispatch<FloatingTypes>(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* from = data_of<T>(x);
    T* to = data_of<T>(y);
    for (int64_t i = 0; i < y.numel(); ++i) {
      using C = typename Compute<T>::Type;
      const int64_t first = i / n * 2 * n + i % n;
      const C gate = static_cast<C>(from[first]);
      const C value = static_cast<C>(from[first + n]);
      to[i] = static_cast<T>(gate / (1 + std::exp(-gate)) * value);
    }
  });
}
// [kernel.end]

// [metadata.begin]
std::tuple<std::vector<int64_t>, bool> describe(ffi::TensorView x) {
  const int64_t dim = x.dim();
  const ffi::ShapeView sizes = x.sizes();
  const ffi::ShapeView strides = x.strides();
  const int64_t last = x.size(-1);
  const int64_t step = x.stride(0);
  const int64_t numel = x.numel();
  const bool dense = x.is_contiguous();
  const bool cuda = x.device().device_type == kDLCUDA;
  const int64_t index = cuda ? x.device().device_id : -1;
  const int64_t item = item_size(x);
  const int64_t bytes = x.numel() * item_size(x);
  const bool is_float = same_dtype(x.dtype(), dl_float32);
  const void* data = data_of<char>(x);
  // [metadata.end]
  std::vector<int64_t> all = {dim, last, step, numel, cuda, index, item, bytes, is_float};
  all.push_back(static_cast<int64_t>(reinterpret_cast<intptr_t>(data)));
  all.insert(all.end(), sizes.begin(), sizes.end());
  all.insert(all.end(), strides.begin(), strides.end());
  return {all, dense};
}

// [elements.begin]
double second(ffi::TensorView x) {
  TVM_FFI_CHECK(x.numel() > 1, IndexError) << "second: x has no second element";
  CHECK_DTYPE(x, dl_float32);
  return data_of<float>(x)[1];
}
// [elements.end]

// [accessor.begin]
ffi::Tensor row_sums(ffi::TensorView x) {
  CHECK_CPU(x);
  CHECK_DTYPE(x, dl_float32);
  CHECK_DIM(2, x);
  ffi::Tensor y = alloc_tensor({x.size(0)}, x.dtype(), x.device());
  const float* from = data_of<float>(x);
  float* to = data_of<float>(y);
  for (int64_t i = 0; i < x.size(0); ++i) {
    to[i] = 0;
    for (int64_t j = 0; j < x.size(1); ++j) to[i] += from[i * x.stride(0) + j * x.stride(1)];
  }
  return y;
}
// [accessor.end]

// [empty.begin]
ffi::Tensor pairs(ffi::TensorView x, int64_t n) {
  return ffi::Tensor::FromEnvAlloc(TVMFFIEnvTensorAlloc, {n, 2}, x.dtype(), x.device());
}
// [empty.end]

// [empty_like.begin]
ffi::Tensor same_again(ffi::TensorView x) { return alloc_tensor(x.shape(), x.dtype(), x.device()); }
// [empty_like.end]

// [zeros.begin]
ffi::Tensor counters(ffi::TensorView x, int64_t n) {
  ffi::Tensor zeros = alloc_tensor({n}, dl_int64, x.device());
  CHECK_CPU(zeros);  // on a GPU: cudaMemsetAsync on the tensor's stream
  if (n > 0) std::memset(zeros.data_ptr(), 0, ffi::GetDataSize(n, dl_int64));
  return zeros;
}
// [zeros.end]

// [as_strided.begin]
ffi::Tensor diagonal(ffi::Tensor x) {
  CHECK_DIM(2, x);
  TVM_FFI_CHECK(x.size(0) <= x.size(1), ValueError) << "diagonal: x has more rows than columns";
  return x.as_strided({x.size(0)}, {x.stride(0) + x.stride(1)});
}
// [as_strided.end]

// [view.begin]
ffi::Tensor as_rows(ffi::Tensor x, int64_t cols) {
  CHECK_CONTIGUOUS(x);
  TVM_FFI_CHECK(cols > 0 && x.numel() % cols == 0, ValueError)
      << "as_rows: cols must divide " << x.numel() << ", got " << cols;
  return x.as_strided({x.numel() / cols, cols}, {cols, 1});
}
// [view.end]

// [slice.begin]
ffi::Tensor rows_between(ffi::Tensor x, int64_t first, int64_t last) {
  CHECK_DIM(2, x);
  TVM_FFI_CHECK(0 <= first && first <= last && last <= x.size(0), IndexError)
      << "rows_between: expected rows of " << x.size(0) << ", got " << first << " to " << last;
  return x.as_strided({last - first, x.size(1)}, x.strides(), first * x.stride(0));
}
// [slice.end]

// [checks.begin]
void check(ffi::TensorView x) {
  TVM_FFI_CHECK(x.numel() > 0, RuntimeError) << "check: x must not be empty";
  TVM_FFI_CHECK(x.dim() == 2, ValueError) << "check: x must be 2-dimensional, got " << x.dim();
  TVM_FFI_CHECK(x.dtype() == dl_float32, TypeError) << "check: x must be float32";
  TVM_FFI_CHECK(x.size(0) > 1, IndexError) << "check: x has no row 1";
  TVM_FFI_CHECK(x.is_contiguous(), NotImplementedError) << "check: x has strides";
  if (x.size(0) == 13) TVM_FFI_THROW(ValueError) << "check: x has 13 rows";
}
// [checks.end]

// [dispatch.begin]
double total(ffi::TensorView x) {
  double sum = 0;
  dispatch<FloatingTypes>(x.dtype(), [&](auto zero) {
    using scalar_t = decltype(zero);
    const scalar_t* data = data_of<scalar_t>(x);
    for (int64_t i = 0; i < x.numel(); ++i) sum += static_cast<float>(data[i]);
  });
  return sum;
}
// [dispatch.end]

// [narrow.begin]
double round_to_bfloat16(double value) {
  return static_cast<float>(bfloat16(static_cast<float>(value)));
}
// [narrow.end]

// [values.begin]
std::string describe_call(std::optional<double> scale, ffi::Shape pads, bool causal,
                          std::string name) {
  int64_t sum = 0;
  for (int64_t pad : pads) sum += pad;
  return name + (scale.has_value() ? " scaled" : "") + (causal ? " causal " : " ") + text_of(sum);
}
// [values.end]

// [lists.begin]
std::tuple<ffi::Tensor, int64_t> largest(std::vector<ffi::Tensor> xs) {
  TVM_FFI_CHECK(!xs.empty(), ValueError) << "largest: xs must not be empty";
  ffi::Tensor best = xs[0];
  for (const ffi::Tensor& x : xs) {
    if (x.numel() > best.numel()) best = x;
  }
  return {best, best.numel()};
}
// [lists.end]

// [dtypes.begin]
ffi::Tensor empty_of(ffi::Shape sizes, DLDataType dtype, DLDevice device) {
  return ffi::Tensor::FromEnvAlloc(TVMFFIEnvTensorAlloc, sizes, dtype, device);
}
// [dtypes.end]

// [export.begin]
TVM_FFI_DLL_EXPORT_TYPED_FUNC(silu_and_mul, silu_and_mul);
// [export.end]
TVM_FFI_DLL_EXPORT_TYPED_FUNC(describe, describe);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(second, second);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(row_sums, row_sums);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(pairs, pairs);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(same_again, same_again);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(counters, counters);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(diagonal, diagonal);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(as_rows, as_rows);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(rows_between, rows_between);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(check, check);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(total, total);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(round_to_bfloat16, round_to_bfloat16);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(describe_call, describe_call);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(largest, largest);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(empty_of, empty_of);
