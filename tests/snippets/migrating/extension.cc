// SPDX-License-Identifier: Apache-2.0
// Before the migration: a PyTorch extension, with its kernel, and a function for each pair of
// the page. One file, since PyTorch's headers take most of the time to compile.

// [includes.begin]
#include <ATen/ATen.h>
#include <ATen/Dispatch.h>
#include <ATen/OpMathType.h>
#include <ATen/Parallel.h>
#include <torch/library.h>
// [includes.end]

#include <cmath>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

// [kernel.begin]
// y[..., i] = silu(x[..., i]) * x[..., n + i], where 2 * n is the size of the last dimension.
at::Tensor silu_and_mul(const at::Tensor& input) {
  TORCH_CHECK_VALUE(input.device().is_cpu(), "silu_and_mul: x must be on the CPU");
  TORCH_CHECK_VALUE(input.dim() > 0 && input.size(-1) % 2 == 0,
                    "silu_and_mul: the last size of x must be even");
  const at::Tensor x = input.contiguous();
  std::vector<int64_t> sizes = x.sizes().vec();
  const int64_t n = sizes.back() /= 2;
  at::Tensor y = at::empty(sizes, x.options());
  AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, x.scalar_type(), "silu_and_mul", [&] {
    const scalar_t* from = x.const_data_ptr<scalar_t>();
    scalar_t* to = y.mutable_data_ptr<scalar_t>();
    for (int64_t i = 0; i < y.numel(); ++i) {
      using acc_t = at::opmath_type<scalar_t>;
      const int64_t first = i / n * 2 * n + i % n;
      const acc_t gate = static_cast<acc_t>(from[first]);
      const acc_t value = static_cast<acc_t>(from[first + n]);
      to[i] = static_cast<scalar_t>(gate / (1 + std::exp(-gate)) * value);
    }
  });
  return y;
}
// [kernel.end]

// [metadata.begin]
std::tuple<std::vector<int64_t>, bool> describe(const at::Tensor& x) {
  const int64_t dim = x.dim();
  const at::IntArrayRef sizes = x.sizes();
  const at::IntArrayRef strides = x.strides();
  const int64_t last = x.size(-1);
  const int64_t step = x.stride(0);
  const int64_t numel = x.numel();
  const bool dense = x.is_contiguous();
  const bool cuda = x.is_cuda();
  const int64_t index = x.get_device();
  const int64_t item = x.element_size();
  const int64_t bytes = static_cast<int64_t>(x.nbytes());
  const bool is_float = x.scalar_type() == at::kFloat;
  const void* data = x.const_data_ptr();
  // [metadata.end]
  std::vector<int64_t> all = {dim, last, step, numel, cuda, index, item, bytes, is_float};
  all.push_back(static_cast<int64_t>(reinterpret_cast<intptr_t>(data)));
  all.insert(all.end(), sizes.begin(), sizes.end());
  all.insert(all.end(), strides.begin(), strides.end());
  return {all, dense};
}

// [elements.begin]
double second(const at::Tensor& x) {
  TORCH_CHECK_INDEX(x.numel() > 1, "second: x has no second element");
  return x.data_ptr<float>()[1];
}
// [elements.end]

// [accessor.begin]
at::Tensor row_sums(const at::Tensor& x) {
  at::Tensor y = at::empty({x.size(0)}, x.options());
  const auto from = x.accessor<float, 2>();
  auto to = y.accessor<float, 1>();
  at::parallel_for(0, x.size(0), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      to[i] = 0;
      for (int64_t j = 0; j < x.size(1); ++j) to[i] += from[i][j];
    }
  });
  return y;
}
// [accessor.end]

// [empty.begin]
at::Tensor pairs(const at::Tensor& x, int64_t n) { return at::empty({n, 2}, x.options()); }
// [empty.end]

// [empty_like.begin]
at::Tensor same_again(const at::Tensor& x) {
  return at::empty_like(x, at::MemoryFormat::Contiguous);
}
// [empty_like.end]

// [empty_strided.begin]
at::Tensor columns(const at::Tensor& x, int64_t rows, int64_t cols) {
  return at::empty_strided({rows, cols}, {1, rows}, x.options());
}
// [empty_strided.end]

// [zeros.begin]
at::Tensor counters(const at::Tensor& x, int64_t n) {
  return at::zeros({n}, x.options().dtype(at::kLong));
}
// [zeros.end]

// [as_strided.begin]
at::Tensor diagonal(const at::Tensor& x) {
  return x.as_strided({x.size(0)}, {x.stride(0) + x.stride(1)});
}
// [as_strided.end]

// [view.begin]
at::Tensor as_rows(const at::Tensor& x, int64_t cols) { return x.view({-1, cols}); }
// [view.end]

// [slice.begin]
at::Tensor rows_between(const at::Tensor& x, int64_t first, int64_t last) {
  return x.slice(0, first, last);
}
// [slice.end]

// [checks.begin]
void check(const at::Tensor& x) {
  TORCH_CHECK(x.numel() > 0, "check: x must not be empty");
  TORCH_CHECK_VALUE(x.dim() == 2, "check: x must be 2-dimensional, got ", x.dim());
  TORCH_CHECK_TYPE(x.scalar_type() == at::kFloat, "check: x must be float32");
  TORCH_CHECK_INDEX(x.size(0) > 1, "check: x has no row 1");
  TORCH_CHECK_NOT_IMPLEMENTED(x.is_contiguous(), "check: x has strides");
  if (x.size(0) == 13) C10_THROW_ERROR(ValueError, "check: x has 13 rows");
}
// [checks.end]

// [dispatch.begin]
double total(const at::Tensor& x) {
  double sum = 0;
  AT_DISPATCH_FLOATING_TYPES_AND2(at::ScalarType::Half, at::ScalarType::BFloat16, x.scalar_type(),
                                  "total", [&] {
                                    const scalar_t* data = x.const_data_ptr<scalar_t>();
                                    for (int64_t i = 0; i < x.numel(); ++i)
                                      sum += static_cast<float>(data[i]);
                                  });
  return sum;
}
// [dispatch.end]

// [narrow.begin]
double round_to_bfloat16(double value) {
  return static_cast<float>(c10::BFloat16(static_cast<float>(value)));
}
// [narrow.end]

// [values.begin]
std::string describe_call(std::optional<double> scale, at::IntArrayRef pads, bool causal,
                          std::string name) {
  int64_t sum = 0;
  for (int64_t pad : pads) sum += pad;
  return name + (scale.has_value() ? " scaled" : "") + (causal ? " causal " : " ") +
         std::to_string(sum);
}
// [values.end]

// [lists.begin]
std::tuple<at::Tensor, int64_t> largest(at::TensorList xs) {
  TORCH_CHECK_VALUE(!xs.empty(), "largest: xs must not be empty");
  at::Tensor best = xs[0];
  for (const at::Tensor& x : xs) {
    if (x.numel() > best.numel()) best = x;
  }
  return {best, best.numel()};
}
// [lists.end]

// [dtypes.begin]
at::Tensor empty_of(at::IntArrayRef sizes, at::ScalarType dtype, at::Device device) {
  return at::empty(sizes, at::TensorOptions().dtype(dtype).device(device));
}
// [dtypes.end]

// [export.begin]
TORCH_LIBRARY(silu, m) { m.def("silu_and_mul(Tensor x) -> Tensor", &silu_and_mul); }
// [export.end]

TORCH_LIBRARY_FRAGMENT(silu, m) {
  m.def("describe(Tensor x) -> (int[], bool)", &describe);
  m.def("second(Tensor x) -> float", &second);
  m.def("row_sums(Tensor x) -> Tensor", &row_sums);
  m.def("pairs(Tensor x, int n) -> Tensor", &pairs);
  m.def("same_again(Tensor x) -> Tensor", &same_again);
  m.def("columns(Tensor x, int rows, int cols) -> Tensor", &columns);
  m.def("counters(Tensor x, int n) -> Tensor", &counters);
  m.def("diagonal(Tensor(a) x) -> Tensor(a)", &diagonal);
  m.def("as_rows(Tensor(a) x, int cols) -> Tensor(a)", &as_rows);
  m.def("rows_between(Tensor(a) x, int first, int last) -> Tensor(a)", &rows_between);
  m.def("check(Tensor x) -> ()", &check);
  m.def("total(Tensor x) -> float", &total);
  m.def("round_to_bfloat16(float value) -> float", &round_to_bfloat16);
  m.def("describe_call(float? scale, int[] pads, bool causal, str name) -> str", &describe_call);
  m.def("largest(Tensor[] xs) -> (Tensor, int)", &largest);
  m.def("empty_of(int[] sizes, ScalarType dtype, Device device) -> Tensor", &empty_of);
}
