// SPDX-License-Identifier: Apache-2.0
// Rows: R8
// Shown by any.rst: the containers.
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/container/tuple.h>
#include <tvm/ffi/container/variant.h>
#include <tvm/ffi/expected.h>
#include <tvm/ffi/extra/stl.h>
#include <tvm/ffi/tvm_ffi.h>

#include <string>
#include <vector>

#include "expect.h"

namespace ffi = tvm::ffi;

// [copy_on_write.begin]
// A change is visible only through the handle that makes it.
void copy_on_write() {
  ffi::Array<int> a{1, 2, 3};
  ffi::Array<int> b = a;  // the same object
  EXPECT(a.same_as(b));
  b.push_back(4);  // shared, so `b` gets its own object
  EXPECT_EQ(a.size(), 3u);
  EXPECT_EQ(b.size(), 4u);
  const ffi::Object* object = b.get();
  b.Set(0, 10);  // `b` is now the only owner: changed in place
  EXPECT_EQ(b.get(), object);
  EXPECT_EQ(b[0], 10);
}
// [copy_on_write.end]
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_copy_on_write, copy_on_write);

// [shared.begin]
// A change through one handle is visible through all.
void shared() {
  ffi::List<int> a{1, 2, 3};
  ffi::List<int> b = a;  // the same object
  b.push_back(4);
  EXPECT_EQ(a.size(), 4u);
  ffi::Function grow = ffi::Function::FromTyped([](ffi::List<int> list) { list.push_back(5); });
  grow(a);
  EXPECT_EQ(b.back(), 5);
}
// [shared.end]
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_shared, shared);

// [map_example.begin]
// A Map keeps insertion order; a change is visible only through the handle that makes it.
void map_example() {
  ffi::Map<ffi::String, int64_t> a{{"width", 3}, {"height", 4}};
  ffi::Map<ffi::String, int64_t> b = a;
  b.Set("depth", 5);
  EXPECT_EQ(a.size(), 2u);
  EXPECT_EQ(b["depth"], 5);
  EXPECT(!a.Get("depth").has_value());
  std::string keys;
  for (const auto& [key, value] : b) keys += std::string(key) + " ";
  EXPECT_EQ(keys, std::string("width height depth "));
}
// [map_example.end]
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_map_example, map_example);

// [dict_example.begin]
// A change to a Dict is visible through all its handles.
void dict_example() {
  ffi::Dict<ffi::String, int64_t> a{{"hits", 1}};
  ffi::Dict<ffi::String, int64_t> b = a;
  b.Set("hits", 2);
  EXPECT_EQ(a["hits"], 2);
}
// [dict_example.end]
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_dict_example, dict_example);

// [tuple.begin]
// Elements are accessed by index, at compile time, or by structured bindings.
void elements() {
  ffi::Tuple<int, ffi::String> pair(1, "one");
  EXPECT_EQ(pair.get<0>(), 1);
  auto [number, name] = pair;
  EXPECT_EQ(number, 1);
  EXPECT_EQ(name, std::string("one"));
  pair.Set<0>(2);
  EXPECT_EQ(pair.get<0>(), 2);
}
// [tuple.end]
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_elements, elements);

// [variant.begin]
// A parameter may have one of several types; `as` reports which one was passed.
ffi::String describe(const ffi::Variant<int64_t, ffi::String>& value) {
  if (value.as<int64_t>().has_value()) return "a number";
  return "the text " + std::string(value.get<ffi::String>());
}
// [variant.end]
void one_of_two_types() {
  ffi::Function function = ffi::Function::FromTyped(describe);
  EXPECT_EQ(function(1).cast<std::string>(), std::string("a number"));
  EXPECT_EQ(function("x").cast<std::string>(), std::string("the text x"));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_one_of_two_types, one_of_two_types);

// [expected.begin]
// Returns an error instead of throwing it; when exported, the error is raised.
ffi::Expected<int> half(int x) {
  if (x % 2 != 0) return ffi::Error("ValueError", "half: x must be even", "");
  return x / 2;
}
// [expected.end]
void value_or_error() {
  EXPECT_EQ(half(8).value(), 4);
  ffi::Function function = ffi::Function::FromTyped(half);
  EXPECT_THROWS("ValueError: half: x must be even", function(7));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_value_or_error, value_or_error);

// The message names the first wrong element.
void bad_element() {
  // [bad_element.begin]
  const ffi::Any mixed = ffi::Array<ffi::Any>{1, 2, "x", nullptr};
  EXPECT_THROWS("TypeError: Any: expected Array[int of 32 bits], got Array with str at index 2",
                mixed.cast<ffi::Array<int>>());
  // [bad_element.end]
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_bad_element, bad_element);

// [vector.begin]
// A std::vector is passed and returned as an Array; a List is accepted too.
std::vector<double> scaled(const std::vector<double>& x, double factor) {
  std::vector<double> y;
  for (double element : x) y.push_back(element * factor);
  return y;
}
// [vector.end]
void vectors() {
  ffi::Function function = ffi::Function::FromTyped(scaled);
  const std::vector<double> twice{2, 4};
  EXPECT(function(std::vector<double>{1, 2}, 2).cast<std::vector<double>>() == twice);
  EXPECT(function(ffi::List<ffi::Any>{1, 2.0}, 2).cast<std::vector<double>>() == twice);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_vectors, vectors);
