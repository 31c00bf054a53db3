// SPDX-License-Identifier: Apache-2.0
// Rows: R7
// list.h, dict.h: elements added to a shared container through a handle of other types are checked
// when read.
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/tvm_ffi.h>

#include <string>

#include "expect.h"

namespace ffi = tvm::ffi;

using Ints = ffi::Array<int>;

// A wrong value or key of a Dict is a TypeError, however it is read; the others remain readable.
void dict_of_containers() {
  ffi::Dict<ffi::String, Ints> dict{{"a", {1}}, {"b", {2}}};
  ffi::Dict<ffi::Any, ffi::Any> wide = dict;
  const char* text = "longer than seven";
  wide.Set("b", text);
  EXPECT_EQ(dict.at("a")[0], 1);
  const std::string expected =
      "TypeError: Dict: expected Array[int of 32 bits], got str at key \"b\"";
  EXPECT_THROWS(expected, dict.at("b"));
  EXPECT_THROWS(expected, dict["b"]);
  EXPECT_THROWS(expected, dict.Get("b"));
  EXPECT_THROWS(expected, (void)*dict.find("b"));
  EXPECT_THROWS(expected, for (const auto& pair : dict)(void) pair);
  EXPECT_EQ(dict.size(), 2u);
  EXPECT_EQ(dict.count("b"), 1u);
  wide.Set("b", ffi::Array<ffi::String>{text});
  EXPECT_THROWS(
      "TypeError: Dict: expected Array[int of 32 bits], got Array with str at index 0 at key \"b\"",
      dict.at("b"));
  wide.erase("b");
  wide.Set(5, Ints{3});
  EXPECT_THROWS("TypeError: Dict: expected str, got int 5 at key 5",
                for (const auto& pair : dict)(void) pair);
  EXPECT(wide.at("a").as<Ints>().has_value());
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_dict_of_containers, dict_of_containers);

// A value that converts is read as the converted value; the Dict keeps the original.
void dict_of_numbers() {
  ffi::Dict<ffi::String, double> dict{{"a", 0.5}};
  ffi::Dict<ffi::String, ffi::Any> wide = dict;
  wide.Set("a", 2);
  EXPECT_EQ(dict.at("a"), 2.0);
  EXPECT_EQ((*dict.begin()).second, 2.0);
  EXPECT_EQ(wide.at("a").cast<int>(), 2);
  EXPECT(wide.at("a").as<int>().has_value());
  wide.Set("a", nullptr);
  EXPECT_THROWS("TypeError: Dict: expected float, got None at key \"a\"", dict.at("a"));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_dict_of_numbers, dict_of_numbers);

// A wrong element of a List is a TypeError too.
void list_of_containers() {
  const ffi::List<Ints> list{{1}, {2}};
  auto wide = ffi::Any(list).cast<ffi::List<ffi::Any>>();
  EXPECT(wide.same_as(list));
  wide.Set(1, "longer than seven");
  EXPECT_EQ(list.front()[0], 1);
  const std::string expected =
      "TypeError: List: expected an element of type Array[int of 32 bits], got str";
  EXPECT_THROWS(expected, list[1]);
  EXPECT_THROWS(expected, list.back());
  EXPECT_THROWS(expected, for (const Ints& element : list)(void) element);
  EXPECT_THROWS(expected, (void)*list.rbegin());
  const ffi::List<double> numbers{0.5};
  auto any_numbers = ffi::Any(numbers).cast<ffi::List<ffi::Any>>();
  any_numbers.push_back(2);
  EXPECT_EQ(numbers[1], 2.0);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_list_of_containers, list_of_containers);
