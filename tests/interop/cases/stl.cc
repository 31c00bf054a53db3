// SPDX-License-Identifier: Apache-2.0
// Cases: types of the standard library, which cross as containers of this one.
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/extra/stl.h>
#include <tvm/ffi/function.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "case.h"

namespace ffi = tvm::ffi;

namespace {

using ffi::Any;
using ffi::Array;

std::vector<int64_t> MakeVector(int64_t i) {
  std::vector<int64_t> numbers;
  for (int64_t k = 0; k < i * 100; ++k) numbers.push_back(k - 3);
  return numbers;
}
void CheckVector(int64_t i, const Any& value) {
  EXPECT(value.type_index() == kTVMFFIArray);
  EXPECT(value.cast<std::vector<int64_t>>() == MakeVector(i));
  EXPECT(static_cast<int64_t>(value.cast<Array<int64_t>>().size()) == i * 100);
}

std::vector<std::vector<std::string>> MakeNestedVector(int64_t) {
  return {{"a", "a long text for a string"}, {}};
}
void CheckNestedVector(int64_t, const Any& value) {
  EXPECT(value.cast<std::vector<std::vector<std::string>>>() == MakeNestedVector(0));
}

std::tuple<int64_t, std::string, double> MakeStdTuple(int64_t) { return {1, "two", 3.5}; }
void CheckStdTuple(int64_t, const Any& value) {
  EXPECT((value.cast<std::tuple<int64_t, std::string, double>>()) == MakeStdTuple(0));
}

std::optional<int64_t> MakeStdOptional(int64_t i) {
  return i == 0 ? std::nullopt : std::optional<int64_t>(7);
}
void CheckStdOptional(int64_t i, const Any& value) {
  EXPECT(value.cast<std::optional<int64_t>>() == MakeStdOptional(i));
}

std::map<std::string, int64_t> MakeStdMap(int64_t i) {
  std::map<std::string, int64_t> map;
  for (int64_t k = 0; k < i * 50; ++k) map.emplace("key " + Text(k), k);
  return map;
}
void CheckStdMap(int64_t i, const Any& value) {
  EXPECT(value.type_index() == kTVMFFIMap);
  EXPECT((value.cast<std::map<std::string, int64_t>>()) == MakeStdMap(i));
}

std::unordered_map<int64_t, std::vector<double>> MakeUnorderedMap(int64_t) {
  return {{1, {0.5}}, {-7, {}}, {1000000007, {1.5, 2.5}}};
}
void CheckUnorderedMap(int64_t, const Any& value) {
  EXPECT((value.cast<std::unordered_map<int64_t, std::vector<double>>>()) == MakeUnorderedMap(0));
}

std::variant<int64_t, std::string> MakeStdVariant(int64_t i) {
  if (i == 0) return int64_t{5};
  return std::string("five");
}
void CheckStdVariant(int64_t i, const Any& value) {
  EXPECT((value.cast<std::variant<int64_t, std::string>>()) == MakeStdVariant(i));
}

std::function<int64_t(int64_t)> MakeStdFunction(int64_t) {
  return [](int64_t x) -> int64_t { return x * x; };
}
void CheckStdFunction(int64_t, const Any& value) {
  const auto square = value.cast<std::function<int64_t(int64_t)>>();
  EXPECT(square(12) == 144);
}

}  // namespace

INTEROP_CASE(Vector, 3, "std::vector");
INTEROP_CASE(NestedVector, 1, "std::vector of std::vector of std::string");
INTEROP_CASE(StdTuple, 1, "std::tuple");
INTEROP_CASE(StdOptional, 2, "std::optional");
INTEROP_CASE(StdMap, 3, "std::map");
INTEROP_CASE(UnorderedMap, 1, "std::unordered_map");
INTEROP_CASE(StdVariant, 2, "std::variant");
INTEROP_CASE(StdFunction, 1, "std::function");
