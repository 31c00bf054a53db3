// SPDX-License-Identifier: Apache-2.0
// Rows: R7
// array.h, seq_base.h: an Array is read, modified by its only owner or copied first, converted,
// passed and rejected.
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/tvm_ffi.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <sstream>
#include <vector>

#include "expect.h"

namespace ffi = tvm::ffi;

namespace {

template <typename T>
std::vector<T> Elements(const ffi::Array<T>& array) {
  return std::vector<T>(array.begin(), array.end());
}

using Ints = ffi::Array<int>;

}  // namespace

// Construction from nothing, a list, a range, a vector, or repeated copies of an element.
void construction() {
  EXPECT(Ints().empty());
  EXPECT_EQ(Ints().size(), 0u);
  EXPECT(Elements(Ints{1, 2, 3}) == (std::vector<int>{1, 2, 3}));
  const std::vector<int> vector{4, 5};
  EXPECT(Elements(Ints(vector)) == vector);
  EXPECT(Elements(Ints(vector.begin() + 1, vector.end())) == (std::vector<int>{5}));
  EXPECT(Elements(Ints(3, 7)) == (std::vector<int>{7, 7, 7}));
  EXPECT(Elements(Ints(std::vector<int>())) == std::vector<int>());
  EXPECT(Elements(Ints(100000, 1)) == std::vector<int>(100000, 1));
  ffi::Array deduced{1.5, 2.5};
  EXPECT_EQ(deduced[1], 2.5);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_construction, construction);

// Elements are read by index, at the ends, and by iterators in both directions.
void reading() {
  const Ints array{1, 2, 3};
  EXPECT_EQ(array[0], 1);
  EXPECT_EQ(array.at(2), 3);
  EXPECT_EQ(array.front(), 1);
  EXPECT_EQ(array.back(), 3);
  EXPECT(std::vector<int>(array.rbegin(), array.rend()) == (std::vector<int>{3, 2, 1}));
  int sum = 0;
  for (int element : array) sum += element;
  EXPECT_EQ(sum, 6);
  auto it = array.begin();
  EXPECT_EQ(it[2], 3);
  EXPECT_EQ(*it++, 1);
  EXPECT_EQ(*++it, 3);
  EXPECT_EQ(*it--, 3);
  EXPECT_EQ(*--it, 1);
  EXPECT_EQ(*(1 + it), 2);
  EXPECT_EQ(array.end() - it, 3);
  EXPECT(it == array.begin() && it != array.end() && it < array.end() && it <= it);
  EXPECT(array.end() > it && array.end() >= it && *(array.end() - 1) == 3);
  EXPECT(std::find(array.begin(), array.end(), 2) == array.begin() + 1);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_reading, reading);

// A bad index is an IndexError that names the index and the number of elements.
void bad_indices() {
  Ints array{1, 2};
  Ints none;
  EXPECT_THROWS("IndexError: Array: expected an index from 0 to 1, got index 2 of 2 elements",
                array[2]);
  EXPECT_THROWS("IndexError: Array: expected an index from 0 to 1, got index -1 of 2 elements",
                array.at(-1));
  EXPECT_THROWS("IndexError: Array: expected an element, got index 0 of 0 elements", none[0]);
  EXPECT_THROWS("IndexError: Array::front: expected an element, got none", none.front());
  EXPECT_THROWS("IndexError: Array::back: expected an element, got none", none.back());
  EXPECT_THROWS("IndexError: Array::pop_back: expected an element, got none", none.pop_back());
  EXPECT_THROWS("IndexError: Array: expected an index from 0 to 1, got index 5 of 2 elements",
                array.Set(5, 1));
  EXPECT_THROWS("IndexError: Array: expected an index from 0 to 1, got index 2 of 2 elements",
                array.erase(array.end()));
  EXPECT_THROWS("IndexError: Array: expected an index from 0 to 1, got index 3 of 2 elements",
                array.insert(array.end() + 1, 1));
  EXPECT_THROWS("IndexError: Array: expected an index from 0 to 0, got index 2 of 1 elements",
                array.erase(array.end(), array.begin() + 1));
  EXPECT_THROWS(
      "ValueError: Array: expected a number of elements that is not negative and fits into "
      "memory, got -1",
      array.resize(-1));
  EXPECT_THROWS_WITH("ValueError: Array: expected a number of elements", array.reserve(INT64_MAX));
  EXPECT(Elements(array) == (std::vector<int>{1, 2}));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_bad_indices, bad_indices);

// No change affects the elements of other owners.
void changes_of_shared() {
  const Ints original{1, 2, 3};
  const std::vector<int> extra{8, 9};
  auto changed = [&](auto change) {
    Ints copy = original;
    change(copy);
    EXPECT(Elements(original) == (std::vector<int>{1, 2, 3}));
    EXPECT(!copy.same_as(original));
    return Elements(copy);
  };
  using Vector = std::vector<int>;
  EXPECT(changed([](Ints& a) { a.push_back(4); }) == (Vector{1, 2, 3, 4}));
  EXPECT(changed([](Ints& a) { a.emplace_back(4); }) == (Vector{1, 2, 3, 4}));
  EXPECT(changed([](Ints& a) { a.pop_back(); }) == (Vector{1, 2}));
  EXPECT(changed([](Ints& a) { a.Set(1, 7); }) == (Vector{1, 7, 3}));
  EXPECT(changed([](Ints& a) { a.insert(a.begin() + 1, 7); }) == (Vector{1, 7, 2, 3}));
  EXPECT(changed([&](Ints& a) { a.insert(a.begin(), extra.begin(), extra.end()); }) ==
         (Vector{8, 9, 1, 2, 3}));
  EXPECT(changed([](Ints& a) { a.insert(a.end(), a.begin(), a.end()); }) ==
         (Vector{1, 2, 3, 1, 2, 3}));
  EXPECT(changed([](Ints& a) { a.erase(a.begin()); }) == (Vector{2, 3}));
  EXPECT(changed([](Ints& a) { a.erase(a.begin(), a.begin() + 2); }) == (Vector{3}));
  EXPECT(changed([](Ints& a) { a.resize(5); }) == (Vector{1, 2, 3, 0, 0}));
  EXPECT(changed([](Ints& a) { a.resize(1); }) == (Vector{1}));
  EXPECT(changed([](Ints& a) { a.reserve(50); }) == (Vector{1, 2, 3}));
  EXPECT(changed([](Ints& a) { a.clear(); }) == Vector());
  EXPECT(changed([&](Ints& a) { a.Assign(extra.begin(), extra.end()); }) == extra);
  EXPECT(changed([](Ints& a) { a.CopyOnWrite(); }) == (Vector{1, 2, 3}));
  EXPECT(changed([](Ints& a) { a.MutateByApply([](int x) { return -x; }); }) ==
         (Vector{-1, -2, -3}));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_changes_of_shared, changes_of_shared);

// Random changes behave like those of a std::vector, and no element is lost or leaked.
void random_changes() {
  const unsigned seed = std::random_device()();
  std::mt19937 random(seed);
  const ffi::Shape shape{1};
  const int32_t before = shape.use_count();
  {
    ffi::Array<ffi::Any> array;
    std::vector<int> model;  // -1 stands for the shape
    std::vector<ffi::Array<ffi::Any>> snapshots;
    auto value = [&](int x) { return x < 0 ? ffi::Any(shape) : ffi::Any(x); };
    for (int step = 0; step < 3000; ++step) {
      const int x = static_cast<int>(random() % 100) - 1;
      const auto place = static_cast<std::ptrdiff_t>(random() % (model.size() + 1));
      const auto length =
          static_cast<std::ptrdiff_t>(random() % (model.size() - static_cast<size_t>(place) + 1));
      switch (random() % 9) {
        case 0:
        case 1:
          array.push_back(value(x));
          model.push_back(x);
          break;
        case 2:
        case 3:
          array.insert(array.begin() + place, value(x));
          model.insert(model.begin() + place, x);
          break;
        case 4:
          array.erase(array.begin() + place, array.begin() + place + length);
          model.erase(model.begin() + place, model.begin() + place + length);
          break;
        case 5:
          if (model.empty()) break;
          array.pop_back();
          model.pop_back();
          break;
        case 6: {
          const std::vector<ffi::Any> some(random() % 4, value(x));
          array.insert(array.begin() + place, some.begin(), some.end());
          model.insert(model.begin() + place, some.size(), x);
          break;
        }
        case 7:
          if (place == static_cast<std::ptrdiff_t>(model.size())) break;
          array.Set(place, value(x));
          model[static_cast<size_t>(place)] = x;
          break;
        default:
          snapshots.assign(1, array);
      }
      EXPECT_EQ(array.size(), model.size()) << "seed " << seed << " step " << step;
    }
    for (size_t i = 0; i < model.size(); ++i) {
      EXPECT(array[static_cast<int64_t>(i)].same_as(value(model[i]))) << "seed " << seed;
    }
  }
  EXPECT_EQ(shape.use_count(), before) << "seed " << seed;
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_random_changes, random_changes);

// A moved-from handle is empty and may be filled again.
void moved_from() {
  Ints array{1};
  Ints other = std::move(array);
  EXPECT_EQ(other.size(), 1u);
  EXPECT(array.empty() && array.capacity() == 0);  // NOLINT(bugprone-use-after-move)
  EXPECT(array.begin() == array.end());
  array.clear();
  EXPECT_THROWS("IndexError: Array: expected an element, got index 0 of 0 elements", array[0]);
  array.push_back(5);
  EXPECT(Elements(array) == (std::vector<int>{5}));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_moved_from, moved_from);

// Elements may be numbers, strings, tensors, functions, None, values of any type and Arrays.
void element_types() {
  EXPECT_EQ((ffi::Array<ffi::String>{"a", "longer than seven"})[1],
            std::string("longer than seven"));
  EXPECT_EQ((ffi::Array<std::string>{"a"})[0], std::string("a"));
  EXPECT((ffi::Array<bool>{true, false})[0]);
  EXPECT_EQ((ffi::Array<DLDevice>{{kDLCUDA, 1}})[0], (DLDevice{kDLCUDA, 1}));
  const ffi::Tensor tensor =
      ffi::Tensor::FromEnvAlloc(TVMFFIEnvTensorAlloc, {2}, {kDLFloat, 32, 1}, {kDLCPU, 0});
  EXPECT((ffi::Array<ffi::Tensor>{tensor, tensor})[1].same_as(tensor));
  const ffi::Array<ffi::Optional<int>> optionals{1, std::nullopt};
  EXPECT(optionals[0].value() == 1 && !optionals[1].has_value());
  const ffi::Array<ffi::Any> mixed{1, "x", nullptr, 2.5, Ints{1}};
  EXPECT_EQ(mixed[1].cast<ffi::String>(), std::string("x"));
  EXPECT_EQ(mixed[4].cast<Ints>()[0], 1);
  const ffi::Array<Ints> nested{Ints{1, 2}, Ints{}};
  EXPECT_EQ(nested[0][1], 2);
  EXPECT(nested[1].empty());
  const ffi::Array<ffi::Function> functions{ffi::Function(), ffi::Function::FromTyped([] {})};
  EXPECT(!functions[0].defined() && functions[1].defined());
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_element_types, element_types);

// An Array is shared if no element changes, and copied if one has to be converted.
void conversions() {
  const Ints ints{1, 0};
  const ffi::Any any = ints;
  EXPECT(any.cast<Ints>().same_as(ints));
  EXPECT(any.cast<ffi::Array<int64_t>>().same_as(ints));
  EXPECT(any.cast<ffi::Array<ffi::Any>>().same_as(ints));
  EXPECT(any.cast<ffi::Array<ffi::Optional<int>>>().same_as(ints));
  const auto doubles = any.cast<ffi::Array<double>>();
  EXPECT(!doubles.same_as(ints));
  EXPECT(Elements(doubles) == (std::vector<double>{1, 0}));
  EXPECT(!any.as<ffi::Array<double>>().has_value());
  EXPECT(any.as<Ints>().has_value());
  EXPECT(any.as<ffi::ArrayObj>() == ints.get());
  EXPECT(Elements(any.cast<ffi::Array<bool>>()) == (std::vector<bool>{true, false}));
  const auto from_list = ffi::Any(ffi::List<int>{3, 4}).cast<Ints>();
  EXPECT(Elements(from_list) == (std::vector<int>{3, 4}));
  const ffi::Array<ffi::Any> wider = ints;
  EXPECT(wider.same_as(ints));
  const ffi::Array<ffi::ObjectRef> refs = ffi::Array<Ints>{ints};
  EXPECT(refs[0].same_as(ints));
  static_assert(!std::is_convertible<ffi::Array<ffi::Any>, Ints>::value, "may hold no ints");
  static_assert(!std::is_convertible<ffi::Array<double>, Ints>::value, "other elements");
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_conversions, conversions);

// Elements that do not convert are rejected, and the message names the first wrong one.
void refusals() {
  EXPECT_THROWS("TypeError: Any: expected Array[int of 32 bits], got None",
                ffi::Any().cast<Ints>());
  EXPECT_THROWS("TypeError: Any: expected Array[int of 32 bits], got int 3",
                ffi::Any(3).cast<Ints>());
  EXPECT_THROWS("TypeError: Any: expected Array[int of 32 bits], got Shape",
                ffi::Any(ffi::Shape{1}).cast<Ints>());
  const ffi::Any mixed = ffi::Array<ffi::Any>{1, 2, "x", nullptr};
  EXPECT_THROWS("TypeError: Any: expected Array[int of 32 bits], got Array with str at index 2",
                mixed.cast<Ints>());
  const ffi::Any wide = ffi::Array<int64_t>{1, int64_t{1} << 40};
  EXPECT_THROWS(
      "TypeError: Any: expected Array[int of 8 bits], got Array with int 1099511627776 at index 1",
      wide.cast<ffi::Array<int8_t>>());
  const ffi::Any nested = ffi::Array<ffi::Any>{Ints{1}, ffi::Array<ffi::String>{"a"}};
  EXPECT_THROWS(
      "TypeError: Any: expected Array[Array[int of 32 bits]], got Array with (Array with str at "
      "index 0) at index 1",
      nested.cast<ffi::Array<Ints>>());
  const ffi::Function function = ffi::Function::FromTyped([](ffi::Optional<Ints>) {}, "takes_ints");
  EXPECT_THROWS(
      "TypeError: takes_ints(Optional[Array[int of 32 bits]]) -> None: argument 0: expected "
      "Optional[Array[int of 32 bits]], got Array with str at index 2",
      function(mixed));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_refusals, refusals);

// Map creates a new Array of the results; MutateByApply keeps the object if nothing changes.
void apply() {
  Ints array{1, 2};
  const ffi::Array<ffi::String> texts =
      array.Map([](int x) { return ffi::String(x == 1 ? "one" : "more"); });
  EXPECT_EQ(texts[0] + texts[1], std::string("onemore"));
  const Ints before = array;
  array.MutateByApply([](int x) { return x; });
  EXPECT(array.same_as(before));
  array.MutateByApply([](int x) { return x * 10; });
  EXPECT(Elements(array) == (std::vector<int>{10, 20}));
  EXPECT_THROWS("ValueError: no", array.MutateByApply([](int x) -> int {
    if (x == 20) TVM_FFI_THROW(ValueError) << "no";
    return 0;
  }));
  EXPECT(Elements(array) == (std::vector<int>{10, 20}));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_apply, apply);

// The cell follows the header and the elements follow the cell, without a separate block.
void layout() {
  const Ints array{1, 2, 3};
  const auto* head = reinterpret_cast<const char*>(array.get());
  const auto* cell = reinterpret_cast<const TVMFFISeqCell*>(head + sizeof(TVMFFIObject));
  EXPECT_EQ(array.type_index(), int32_t{kTVMFFIArray});
  EXPECT_EQ(cell->size, 3);
  EXPECT_EQ(cell->capacity, 3);
  EXPECT(cell->data_deleter == nullptr);
  EXPECT(cell->data == head + sizeof(TVMFFIObject) + sizeof(TVMFFISeqCell));
  EXPECT_EQ(static_cast<const TVMFFIAny*>(cell->data)[1].v_int64, 2);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_layout, layout);

// Type names are as shown in messages and metadata.
void names() {
  EXPECT_EQ(ffi::TypeTraits<ffi::Array<double>>::TypeStr(), std::string("Array[float]"));
  EXPECT_EQ(
      ffi::TypeTraits<ffi::Array<ffi::Array<ffi::Any>>>::TypeSchema(),
      std::string(R"({"type":"ffi.Array","args":[{"type":"ffi.Array","args":[{"type":"Any"}]}]})"));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_names, names);

// A sequence object checks indices, and names its type.
void object_of_elements() {
  const ffi::Array<int> array{1, 2};
  EXPECT_EQ(array.get()->at(1).cast<int>(), 2);
  EXPECT_EQ((*array.get())[0].cast<int>(), 1);
  EXPECT_THROWS_WITH("IndexError: Array: expected ", array.get()->at(2));
  EXPECT_THROWS_WITH("IndexError: List: expected ", ffi::List<int>{1}.get()->at(-1));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_object_of_elements, object_of_elements);

// A single-pass range is not counted first.
void of_a_stream() {
  std::istringstream numbers("1 2 3");
  const ffi::Array<int> array((std::istream_iterator<int>(numbers)), std::istream_iterator<int>());
  EXPECT_EQ(array.size(), 3u);
  EXPECT(array[0] == 1 && array[2] == 3);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_of_a_stream, of_a_stream);
