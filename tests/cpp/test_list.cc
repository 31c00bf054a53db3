// SPDX-License-Identifier: Apache-2.0
// Rows: R7
// list.h: a List is one object for all its handles; changes, conversions and rejections.
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/tvm_ffi.h>

#include <random>
#include <vector>

#include "expect.h"

namespace ffi = tvm::ffi;

namespace {

using Ints = ffi::List<int>;

std::vector<int> Elements(const Ints& list) { return std::vector<int>(list.begin(), list.end()); }

}  // namespace

// Every kind of change modifies the object that all share.
void changes() {
  using Vector = std::vector<int>;
  Ints handle;
  const Ints list = handle;
  const Vector extra{8, 9};
  auto after = [&](auto change) {
    change();
    EXPECT(handle.same_as(list));
    return Elements(list);
  };
  EXPECT(after([&] { handle.push_back(1); }) == (Vector{1}));
  EXPECT(after([&] { handle.emplace_back(3); }) == (Vector{1, 3}));
  EXPECT(after([&] { handle.insert(handle.begin() + 1, 2); }) == (Vector{1, 2, 3}));
  EXPECT(after([&] { handle.Set(0, 7); }) == (Vector{7, 2, 3}));
  EXPECT(after([&] { handle.insert(handle.end(), extra.begin(), extra.end()); }) ==
         (Vector{7, 2, 3, 8, 9}));
  EXPECT(after([&] { handle.insert(handle.begin(), handle.begin(), handle.begin() + 2); }) ==
         (Vector{7, 2, 7, 2, 3, 8, 9}));
  EXPECT(after([&] { handle.erase(handle.begin()); }) == (Vector{2, 7, 2, 3, 8, 9}));
  EXPECT(after([&] { handle.erase(handle.begin() + 1, handle.end()); }) == (Vector{2}));
  EXPECT(after([&] { handle.resize(3); }) == (Vector{2, 0, 0}));
  EXPECT(after([&] { handle.pop_back(); }) == (Vector{2, 0}));
  EXPECT(after([&] { handle.Assign(list.begin() + 1, list.end()); }) == (Vector{0}));
  EXPECT(after([&] { handle.reserve(100); }) == (Vector{0}));
  EXPECT_EQ(list.capacity(), 100u);
  EXPECT(after([&] { handle.clear(); }) == Vector());
  EXPECT_EQ(list.capacity(), 100u);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_changes, changes);

// Random changes behave like those of a std::vector.
void random_changes() {
  const unsigned seed = std::random_device()();
  std::mt19937 random(seed);
  Ints list;
  std::vector<int> model;
  for (int step = 0; step < 3000; ++step) {
    const int x = static_cast<int>(random() % 100);
    const auto place = static_cast<std::ptrdiff_t>(random() % (model.size() + 1));
    switch (random() % 5) {
      case 0:
      case 1:
        list.insert(list.begin() + place, x);
        model.insert(model.begin() + place, x);
        break;
      case 2:
        list.push_back(x);
        model.push_back(x);
        break;
      case 3:
        if (place == static_cast<std::ptrdiff_t>(model.size())) break;
        list.erase(list.begin() + place);
        model.erase(model.begin() + place);
        break;
      default:
        list.erase(list.begin() + place, list.end());
        model.erase(model.begin() + place, model.end());
    }
    EXPECT(Elements(list) == model) << "seed " << seed << " step " << step;
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_random_changes, random_changes);

// Construction from nothing, a list, a range, a vector, or repeated copies of an element.
void construction() {
  EXPECT(Ints().empty());
  EXPECT(Elements(Ints(3, 7)) == (std::vector<int>{7, 7, 7}));
  EXPECT(Elements(Ints(std::vector<int>{1, 2})) == (std::vector<int>{1, 2}));
  const ffi::Array<int> array{5, 6};
  EXPECT(Elements(Ints(array.begin(), array.end())) == (std::vector<int>{5, 6}));
  EXPECT((ffi::List<ffi::Any>{1, "x"})[1].cast<std::string>() == "x");
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_construction, construction);

// A missing element is an IndexError.
void bad_indices() {
  Ints none;
  EXPECT_THROWS("IndexError: List: expected an element, got index 0 of 0 elements", none[0]);
  EXPECT_THROWS("IndexError: List::pop_back: expected an element, got none", none.pop_back());
  EXPECT_THROWS("IndexError: List: expected an element, got index 0 of 0 elements", none.Set(0, 1));
  EXPECT_THROWS_WITH("ValueError: List: expected a number of elements", none.reserve(INT64_MAX));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_bad_indices, bad_indices);

// A List is shared if no element changes, and copied if one has to be converted.
void conversions() {
  const Ints list{1, 2};
  const ffi::Any any = list;
  EXPECT(any.cast<Ints>().same_as(list));
  EXPECT(any.cast<ffi::List<ffi::Any>>().same_as(list));
  EXPECT(!any.cast<ffi::List<double>>().same_as(list));
  EXPECT_EQ(any.cast<ffi::List<double>>()[1], 2.0);
  EXPECT_EQ(ffi::Any(ffi::Array<int>{3}).cast<Ints>()[0], 3);
  EXPECT(any.as<ffi::ListObj>() == list.GetListObj());
  EXPECT(any.as<ffi::ArrayObj>() == nullptr);
  EXPECT_THROWS("TypeError: Any: expected List[str], got List with int 1 at index 0",
                any.cast<ffi::List<ffi::String>>());
  EXPECT_THROWS("TypeError: Any: expected List[str], got None",
                ffi::Any().cast<ffi::List<ffi::String>>());
  EXPECT_EQ(ffi::TypeTraits<Ints>::TypeSchema(),
            std::string(R"({"type":"ffi.List","args":[{"type":"int"}]})"));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_conversions, conversions);

// The last handle frees the elements; an element's destructor may change the list that held it.
void lifetimes() {
  const ffi::Shape shape{1};
  {
    ffi::List<ffi::Any> list{shape, shape};
    EXPECT_EQ(shape.use_count(), 3);
    list.Set(0, nullptr);
    EXPECT_EQ(shape.use_count(), 2);
    ffi::List<ffi::Any> moved = std::move(list);
    list.push_back(1);  // NOLINT(bugprone-use-after-move)
    EXPECT_EQ(list.size(), 1u);
  }
  EXPECT_EQ(shape.use_count(), 1);
  struct Pusher {
    ffi::List<ffi::Any> list;
    ~Pusher() { list.push_back(1); }
  };
  ffi::List<ffi::Any> list;
  TVMFFIObjectHandle handle = nullptr;
  TVM_FFI_CHECK_SAFE_CALL(TVMFFIObjectCreateOpaque(
      new Pusher{list}, kTVMFFIOpaquePyObject,
      [](void* self) { delete static_cast<Pusher*>(self); }, &handle));
  list.push_back(ffi::ObjectRef(ffi::ObjectUnsafe::PtrFromOwned<ffi::Object>(handle)));
  list.Set(0, 0);
  EXPECT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].cast<int>(), 0);
  EXPECT_EQ(list[1].cast<int>(), 1);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_lifetimes, lifetimes);

// The elements are in a separate block, which the cell's deleter frees when they move.
void layout() {
  Ints list{1, 2, 3};
  auto* cell = reinterpret_cast<TVMFFISeqCell*>(reinterpret_cast<char*>(list.GetListObj()) +
                                                sizeof(TVMFFIObject));
  EXPECT_EQ(list.type_index(), int32_t{kTVMFFIList});
  EXPECT_EQ(cell->size, 3);
  EXPECT(cell->data_deleter != nullptr);
  // As if other code had grown the list.
  static int freed = 0;
  auto* block = static_cast<TVMFFIAny*>(std::malloc(3 * sizeof(TVMFFIAny)));
  std::memcpy(block, cell->data, 3 * sizeof(TVMFFIAny));
  cell->data_deleter(cell->data);
  cell->data = block;
  cell->capacity = 3;
  cell->data_deleter = [](void* data) {
    ++freed;
    std::free(data);
  };
  list.push_back(4);
  EXPECT_EQ(freed, 1);
  EXPECT(Elements(list) == (std::vector<int>{1, 2, 3, 4}));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_layout, layout);
