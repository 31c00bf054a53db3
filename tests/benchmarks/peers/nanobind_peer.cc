// SPDX-License-Identifier: Apache-2.0
// Called by peers.py through nanobind.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <string>
#include <vector>

namespace nb = nanobind;
using Tensor = nb::ndarray<>;

NB_MODULE(nanobind_peer, m) {
  m.def("none", [] {});
  m.def("one_int", [](int64_t) {});
  m.def("three_floats", [](double, double, double) {});
  m.def("same_string", [](const std::string& x) { return x; });
  m.def("ints", [](const std::vector<int64_t>& x) { return x.size(); });
  m.def("one_tensor", [](const Tensor&) {});
  m.def("three_tensors", [](const Tensor&, const Tensor&, const Tensor&) {});
  m.def("fail", [] { throw nb::value_error("on purpose"); });
}
