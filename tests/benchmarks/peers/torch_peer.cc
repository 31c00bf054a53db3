// SPDX-License-Identifier: Apache-2.0
// Called by peers.py through torch.ops.
#include <ATen/core/Tensor.h>
#include <torch/library.h>

#include <cstdint>
#include <string>

namespace {

using at::Tensor;

void none() {}
void one_int(int64_t) {}
void three_floats(double, double, double) {}
std::string same_string(std::string x) { return x; }
int64_t ints(at::IntArrayRef x) { return static_cast<int64_t>(x.size()); }
void one_tensor(const Tensor&) {}
void three_tensors(const Tensor&, const Tensor&, const Tensor&) {}
void fail() { TORCH_CHECK_VALUE(false, "on purpose"); }

}  // namespace

TORCH_LIBRARY(peers, m) {
  m.def("none() -> ()", &none);
  m.def("one_int(int a) -> ()", &one_int);
  m.def("three_floats(float a, float b, float c) -> ()", &three_floats);
  m.def("same_string(str x) -> str", &same_string);
  m.def("ints(int[] x) -> int", &ints);
  m.def("one_tensor(Tensor a) -> ()", &one_tensor);
  m.def("three_tensors(Tensor a, Tensor b, Tensor c) -> ()", &three_tensors);
  m.def("fail() -> ()", &fail);
}
