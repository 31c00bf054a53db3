// SPDX-License-Identifier: Apache-2.0
// Called by peers.py through pybind11; PyTorch's own header converts its tensors.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <torch/csrc/utils/pybind.h>

#include <cstdint>
#include <string>
#include <vector>

namespace py = pybind11;
using Tensor = at::Tensor;

PYBIND11_MODULE(pybind11_peer, m) {
  m.def("none", [] {});
  m.def("one_int", [](int64_t) {});
  m.def("three_floats", [](double, double, double) {});
  m.def("same_string", [](const std::string& x) { return x; });
  m.def("ints", [](const std::vector<int64_t>& x) { return x.size(); });
  m.def("one_tensor", [](const Tensor&) {});
  m.def("three_tensors", [](const Tensor&, const Tensor&, const Tensor&) {});
  m.def("fail", [] { throw py::value_error("on purpose"); });
}
