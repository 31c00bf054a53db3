// SPDX-License-Identifier: Apache-2.0
// Cases: arrays, lists, tuples and variants.
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/container/tuple.h>
#include <tvm/ffi/container/variant.h>

#include <string>

#include "case.h"

namespace ffi = tvm::ffi;

namespace {

using ffi::Any;
using ffi::Array;
using ffi::List;
using ffi::String;

constexpr int64_t kSizes[] = {0, 1, 2, 7, 1000};

template <typename Sequence>
Sequence Numbers(int64_t size) {
  Sequence numbers;
  for (int64_t k = 0; k < size; ++k) numbers.push_back(k * k - 1);
  return numbers;
}
template <typename Sequence>
void CheckNumbers(const Sequence& numbers, int64_t size) {
  EXPECT(static_cast<int64_t>(numbers.size()) == size);
  int64_t k = 0;
  for (const auto& each : numbers) {
    EXPECT(each == k * k - 1);
    ++k;
  }
  EXPECT(k == size);
}

Array<int64_t> MakeArrayOfInts(int64_t i) { return Numbers<Array<int64_t>>(kSizes[i]); }
void CheckArrayOfInts(int64_t i, const Any& value) {
  EXPECT(value.type_index() == kTVMFFIArray);
  auto array = value.cast<Array<int64_t>>();
  CheckNumbers(array, kSizes[i]);
  // What the checker adds to its copy is not seen by who else has the array.
  array.push_back(kSizes[i] * kSizes[i] - 1);
  array.push_back(0);
  array.pop_back();
  CheckNumbers(array, kSizes[i] + 1);
  CheckNumbers(value.cast<Array<int64_t>>(), kSizes[i]);
}

// Elements of each kind of value that stands in place or in an object.
Array<Any> MakeArrayOfAny(int64_t) {
  return {Any(nullptr),
          Any(true),
          Any(int64_t{-5}),
          Any(2.5),
          Any(String("small")),
          Any(String("a large string")),
          Any(ffi::Bytes("\0\1", 2)),
          Any(DLDataType{kDLBfloat, 16, 1}),
          Any(DLDevice{kDLCUDA, 3}),
          Any(ffi::Shape({1, 2})),
          Any(ffi::Function::FromTyped([]() -> int64_t { return 9; })),
          Any(Array<int64_t>{1, 2, 3})};
}
void CheckArrayOfAny(int64_t, const Any& value) {
  const auto array = value.cast<Array<Any>>();
  EXPECT(array.size() == 12);
  EXPECT(array[0] == nullptr);
  EXPECT(array[1].cast<bool>());
  EXPECT(array[2].cast<int64_t>() == -5);
  EXPECT(array[3].cast<double>() == 2.5);
  EXPECT(array[4].cast<String>() == "small");
  EXPECT(array[5].cast<String>() == "a large string");
  EXPECT(array[6].cast<ffi::Bytes>().size() == 2);
  EXPECT(array[7].cast<DLDataType>().code == kDLBfloat);
  EXPECT(array[8].cast<DLDevice>().device_id == 3);
  EXPECT(array[9].cast<ffi::Shape>()[1] == 2);
  EXPECT(array[10].cast<ffi::Function>()().cast<int64_t>() == 9);
  EXPECT(array[11].cast<Array<int64_t>>()[2] == 3);
}

Array<String> MakeArrayOfStrings(int64_t i) {
  Array<String> array;
  for (int64_t k = 0; k < kSizes[i]; ++k) array.push_back(String(std::string(k % 20, 'x')));
  return array;
}
void CheckArrayOfStrings(int64_t i, const Any& value) {
  const auto array = value.cast<Array<String>>();
  EXPECT(static_cast<int64_t>(array.size()) == kSizes[i]);
  for (size_t k = 0; k < array.size(); ++k) EXPECT(array[k].size() == k % 20);
}

Array<Array<Array<double>>> MakeNested(int64_t) { return {{{0.5}, {}}, {}, {{1.5, 2.5}}}; }
void CheckNested(int64_t, const Any& value) {
  const auto nested = value.cast<Array<Array<Array<double>>>>();
  EXPECT(nested.size() == 3);
  EXPECT(nested[0].size() == 2 && nested[1].size() == 0);
  EXPECT(nested[0][0][0] == 0.5);
  EXPECT(nested[2][0][1] == 2.5);
}

Array<ffi::Optional<String>> MakeOptionals(int64_t) {
  return {ffi::Optional<String>(String("one")), ffi::Optional<String>()};
}
void CheckOptionals(int64_t, const Any& value) {
  const auto array = value.cast<Array<ffi::Optional<String>>>();
  EXPECT(array[0].has_value() && array[0].value() == "one");
  EXPECT(!array[1].has_value());
}

void FreeManaged(DLManagedTensorVersioned* self) { delete self; }
ffi::Tensor OneNumber() {
  static float data = 1.5f;
  auto* managed = new DLManagedTensorVersioned();
  managed->version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  managed->deleter = FreeManaged;
  managed->dl_tensor.data = &data;
  managed->dl_tensor.device = {kDLCPU, 0};
  managed->dl_tensor.dtype = {kDLFloat, 32, 1};
  return ffi::Tensor::FromDLPackVersioned(managed);
}
Array<ffi::Tensor> MakeTensors(int64_t) { return {OneNumber(), OneNumber()}; }
void CheckTensors(int64_t, const Any& value) {
  for (const ffi::Tensor& tensor : value.cast<Array<ffi::Tensor>>()) {
    EXPECT(*static_cast<float*>(tensor.data_ptr()) == 1.5f);
  }
}

// Arrays that the checker changes in each way that there is.
Array<int64_t> MakeChanged(int64_t) { return {1, 2, 3, 4}; }
void CheckChanged(int64_t, const Any& value) {
  auto array = value.cast<Array<int64_t>>();
  array.Set(0, 10);
  array.insert(array.begin() + 1, 20);
  array.erase(array.begin() + 2);
  array.resize(3);
  array.reserve(100);
  EXPECT(array.size() == 3);
  EXPECT(array[0] == 10 && array[1] == 20 && array[2] == 3);
  array.clear();
  EXPECT(array.empty());
  EXPECT(value.cast<Array<int64_t>>().size() == 4);
}

List<int64_t> MakeListOfInts(int64_t i) { return Numbers<List<int64_t>>(kSizes[i]); }
void CheckListOfInts(int64_t i, const Any& value) {
  EXPECT(value.type_index() == kTVMFFIList);
  CheckNumbers(value.cast<List<int64_t>>(), kSizes[i]);
}

// A list is shared: what the checker changes is seen through every handle, here by a function of
// the maker that looks at it afterwards.
Array<Any> MakeSharedList(int64_t i) {
  auto list = Numbers<List<int64_t>>(kSizes[i]);
  return {Any(list), Any(ffi::Function::FromTyped([list]() -> List<int64_t> { return list; }))};
}
void CheckSharedList(int64_t i, const Any& value) {
  const auto pair = value.cast<Array<Any>>();
  auto list = pair[0].cast<List<int64_t>>();
  // Far beyond the room that the maker gave it, so that the checker's code gets new room.
  for (int64_t k = kSizes[i]; k < kSizes[i] + 500; ++k) list.push_back(k * k - 1);
  const auto seen = pair[1].cast<ffi::Function>()().cast<List<int64_t>>();
  EXPECT(seen.same_as(list));
  CheckNumbers(seen, kSizes[i] + 500);
  while (!list.empty()) list.pop_back();
  EXPECT(seen.empty());
  list.push_back(-1);
  CheckNumbers(seen, 1);
}

List<Any> MakeListOfStrings(int64_t) { return {Any(String("small")), Any(String("a large one"))}; }
void CheckListOfStrings(int64_t, const Any& value) {
  auto list = value.cast<List<Any>>();
  list.Set(0, String("another large string"));
  list.push_back(String("appended, and large"));
  EXPECT(list[0].cast<String>() == "another large string");
  EXPECT(list[1].cast<String>() == "a large one");
  EXPECT(list.size() == 3);
}

ffi::Tuple<int64_t, String, ffi::Optional<double>> MakeTuple(int64_t i) {
  return ffi::Tuple<int64_t, String, ffi::Optional<double>>(
      i, String("a tuple's text"), i == 0 ? ffi::Optional<double>() : ffi::Optional<double>(0.5));
}
void CheckTuple(int64_t i, const Any& value) {
  EXPECT(value.type_index() == kTVMFFIArray);
  const auto tuple = value.cast<ffi::Tuple<int64_t, String, ffi::Optional<double>>>();
  EXPECT(tuple.get<0>() == i);
  EXPECT(tuple.get<1>() == "a tuple's text");
  EXPECT(tuple.get<2>().has_value() == (i == 1));
}

using Choice = ffi::Variant<int64_t, String, Array<int64_t>>;
Choice MakeVariant(int64_t i) {
  if (i == 0) return Choice(int64_t{5});
  if (i == 1) return Choice(String("five"));
  return Choice(Array<int64_t>{5});
}
void CheckVariant(int64_t i, const Any& value) {
  const auto choice = value.cast<Choice>();
  if (i == 0) EXPECT(choice.get<int64_t>() == 5);
  if (i == 1) EXPECT(choice.get<String>() == "five");
  if (i == 2) EXPECT(choice.get<Array<int64_t>>()[0] == 5);
  EXPECT(choice.as<int64_t>().has_value() == (i == 0));
}

// The elements are converted on the way: int to float makes a new array.
Array<int64_t> MakeConverted(int64_t i) { return Numbers<Array<int64_t>>(kSizes[i]); }
void CheckConverted(int64_t i, const Any& value) {
  const auto array = value.cast<Array<double>>();
  EXPECT(static_cast<int64_t>(array.size()) == kSizes[i]);
  EXPECT(array.size() < 3 || array[2] == 3.0);
}

// A wrong element is a TypeError.
Array<Any> MakeWrongElement(int64_t) { return {Any(int64_t{1}), Any(String("two"))}; }
void CheckWrongElement(int64_t, const Any& value) {
  try {
    value.cast<Array<int64_t>>();
  } catch (const ffi::Error& error) {
    EXPECT(error.kind() == "TypeError");
    return;
  }
  EXPECT(false);
}

}  // namespace

INTEROP_CASE(ArrayOfInts, 5, "Array of 0, 1, 2, 7 and 1,000 ints, copied on write");
INTEROP_CASE(ArrayOfAny, 1, "Array of each kind of value");
INTEROP_CASE(ArrayOfStrings, 5, "Array of str");
INTEROP_CASE(Nested, 1, "Array of Arrays of Arrays");
INTEROP_CASE(Optionals, 1, "Array of Optionals");
INTEROP_CASE(Tensors, 1, "Array of tensors");
INTEROP_CASE(Changed, 1, "Array set, inserted into, erased from, resized");
INTEROP_CASE(Converted, 5, "Array of int taken as Array of float");
INTEROP_CASE(WrongElement, 1, "TypeError of an Array with a wrong element");
INTEROP_CASE(ListOfInts, 5, "List of 0, 1, 2, 7 and 1,000 ints");
INTEROP_CASE(SharedList, 5, "List that both libraries change");
INTEROP_CASE(ListOfStrings, 1, "List of str");
INTEROP_CASE(Tuple, 2, "Tuple");
INTEROP_CASE(Variant, 3, "Variant");
