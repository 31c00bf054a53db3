// SPDX-License-Identifier: Apache-2.0
// Rows: R7
// seq_base.h, map_base.h: an element's destructor or conversion may change, replace or free the
// container that holds it.
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/container/tuple.h>
#include <tvm/ffi/extra/stl.h>
#include <tvm/ffi/tvm_ffi.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "expect.h"

namespace ffi = tvm::ffi;

namespace {

// Calls a function when destroyed.
class CallerObj : public ffi::Object {
 public:
  explicit CallerObj(std::function<void()> at_end) : at_end_(std::move(at_end)) {}
  ~CallerObj() { at_end_(); }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test_containers_called_back.Caller", CallerObj, ffi::Object);

 private:
  std::function<void()> at_end_;
};

ffi::Any Caller(std::function<void()> at_end) {
  return ffi::ObjectRef(ffi::make_object<CallerObj>(std::move(at_end)));
}

// Called first by each conversion from or to a Step.
std::function<void()> on_conversion;

// An int with its own conversion.
struct Step {
  int64_t value = 0;
};

}  // namespace

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

template <>
inline constexpr bool use_default_type_traits_v<Step> = false;

template <>
struct TypeTraits<Step> : public detail::TypeTraitsBase {
  static void CopyToAnyView(const Step& step, TVMFFIAny* out) {
    TypeTraits<int64_t>::CopyToAnyView(step.value, out);
  }
  static void MoveToAny(Step step, TVMFFIAny* out) {
    on_conversion();
    TypeTraits<int64_t>::MoveToAny(step.value, out);
  }
  static bool CheckAnyStrict(const TVMFFIAny*) { return false; }
  static Step CopyFromAnyViewAfterCheck(const TVMFFIAny* any) { return {any->v_int64}; }
  static std::optional<Step> TryCastFromAnyView(const TVMFFIAny* any) {
    on_conversion();
    const std::optional<int64_t> value = TypeTraits<int64_t>::TryCastFromAnyView(any);
    if (!value.has_value()) return std::nullopt;
    return Step{*value};
  }
  static std::string TypeStr() { return "Step"; }
};

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

namespace {

// How an element's destructor changes the handle that held it.
template <typename Seq>
using Change = void (*)(Seq*);

template <typename Seq>
void AddMany(Seq* handle) {
  for (int i = 0; i < 40; ++i) handle->push_back(i);
}
template <typename Seq>
void Replace(Seq* handle) {
  *handle = Seq();
}
template <typename Seq>
void Clear(Seq* handle) {
  handle->clear();
}

// Each operation drops one or both of two elements whose destructors change the handle.
template <typename Seq>
void EndsChangeSequence() {
  using Operation = std::function<void(Seq*)>;
  const std::vector<int> others{7, 8, 9};
  const Operation operations[] = {
      [](Seq* handle) { handle->pop_back(); },
      [](Seq* handle) { handle->erase(handle->begin() + 1); },
      [](Seq* handle) { handle->erase(handle->begin() + 1, handle->end()); },
      [](Seq* handle) { handle->clear(); },
      [](Seq* handle) { handle->resize(1); },
      [](Seq* handle) { handle->Set(1, 5); },
      [&](Seq* handle) { handle->Assign(others.begin(), others.end()); },
  };
  for (Change<Seq> change : {AddMany<Seq>, Replace<Seq>, Clear<Seq>}) {
    for (const Operation& operation : operations) {
      Seq handle;
      int ended = 0;
      const auto at_end = [&] {
        ++ended;
        change(&handle);
      };
      handle.push_back(0);
      handle.push_back(Caller(at_end));
      handle.push_back(Caller(at_end));
      operation(&handle);
      // The container is consistent: it can be read and filled.
      for (int i = 0; i < 5; ++i) handle.push_back(i);
      EXPECT_EQ(handle.back().template cast<int>(), 4);
      EXPECT(ended >= 1);
      change = [](Seq*) {};
      handle.clear();
      EXPECT_EQ(ended, 2);
    }
  }
}

}  // namespace

// An element's destructor changes the Array that the element is removed from.
void ends_change_an_array() { EndsChangeSequence<ffi::Array<ffi::Any>>(); }
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_ends_change_an_array, ends_change_an_array);

// An element's destructor changes the List that the element is removed from.
void ends_change_a_list() { EndsChangeSequence<ffi::List<ffi::Any>>(); }
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_ends_change_a_list, ends_change_a_list);

// Elements added by a destructor follow those that the operation leaves, and are not removed by it.
void ends_add_after_the_change() {
  const auto sizes = [](auto handle) {
    std::vector<size_t> seen;
    const auto at_end = [&] {
      seen.push_back(handle.size());
      handle.push_back(1);
    };
    const std::vector<int> others{7, 8, 9};
    for (int i = 0; i < 2; ++i) handle.push_back(Caller(at_end));
    handle.clear();
    EXPECT(seen == (std::vector<size_t>{0, 1}));
    EXPECT_EQ(handle.size(), 2u);
    handle.Set(0, Caller(at_end));
    handle.Assign(others.begin(), others.end());
    EXPECT_EQ(seen.back(), 3u);
    EXPECT_EQ(handle[2].template cast<int>(), 9);
    EXPECT_EQ(handle[3].template cast<int>(), 1);
    handle.Set(3, Caller(at_end));
    handle.resize(1);
    EXPECT_EQ(seen.back(), 1u);
    EXPECT_EQ(handle.size(), 2u);
    handle.Set(0, Caller(at_end));
    handle.erase(handle.begin());
    EXPECT_EQ(seen.back(), 1u);
    EXPECT_EQ(handle[1].template cast<int>(), 1);
  };
  sizes(ffi::Array<ffi::Any>());
  sizes(ffi::List<ffi::Any>());
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_ends_add_after_the_change, ends_add_after_the_change);

// A value's destructor replaces the handle of the Map or Dict that the value is removed from.
void ends_replace_a_mapping() {
  const auto replaces = [](auto empty, int others) {
    for (int operation = 0; operation < 3; ++operation) {
      auto handle = empty;
      handle = decltype(empty)();
      handle.Set("caller", Caller([&] { handle = decltype(empty)(); }));
      for (int i = 0; i < others; ++i) handle.Set(i, i);
      if (operation == 0) handle.Set("caller", 0);
      if (operation == 1) handle.erase("caller");
      if (operation == 2) handle.clear();
      handle.Set("after", 1);
      EXPECT_EQ(handle.size(), 1u);
    }
  };
  for (int others : {0, 1, 3, 4, 20}) {
    replaces(ffi::Map<ffi::Any, ffi::Any>(), others);
    replaces(ffi::Dict<ffi::Any, ffi::Any>(), others);
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_ends_replace_a_mapping, ends_replace_a_mapping);

// The conversion of an element to be added changes the handle that it is added to.
void conversions_in() {
  ffi::List<Step> list;
  ffi::Array<Step> array;
  ffi::Dict<Step, Step> dict;
  ffi::Map<Step, Step> map;
  const auto nothing = [] {};
  const auto fill = [&] {
    on_conversion = nothing;
    for (int64_t i = 0; i < 3; ++i) {
      list.push_back({i});
      array.push_back({i});
      dict.Set({i}, {i});
      map.Set({i}, {i});
    }
  };
  const auto drop = [&] {
    list = ffi::List<Step>();
    array = ffi::Array<Step>();
    dict = ffi::Dict<Step, Step>();
    map = ffi::Map<Step, Step>();
  };
  fill();
  on_conversion = drop;
  EXPECT_THROWS("IndexError: List: expected an element, got index 2 of 0 elements",
                list.Set(2, {9}));
  fill();
  on_conversion = drop;
  EXPECT_THROWS("IndexError: Array: expected an element, got index 2 of 0 elements",
                array.Set(2, {9}));
  fill();
  on_conversion = drop;
  EXPECT_THROWS("IndexError: List: expected an element, got index 3 of 0 elements",
                list.insert(list.end(), {9}));
  fill();
  on_conversion = drop;
  EXPECT_THROWS("IndexError: Array: expected an element, got index 3 of 0 elements",
                array.insert(array.end(), {9}));
  fill();
  on_conversion = drop;
  const std::vector<Step> added{{7}, {8}};
  EXPECT_THROWS("IndexError: List: expected an element, got index 3 of 0 elements",
                list.insert(list.end(), added.begin(), added.end()));
  fill();
  on_conversion = drop;
  list.push_back({9});
  EXPECT_EQ(list.size(), 1u);
  array.emplace_back(Step{9});
  EXPECT_EQ(array.size(), 1u);
  dict.Set({9}, {9});
  EXPECT_EQ(dict.size(), 1u);
  map.Set({9}, {9});
  EXPECT_EQ(map.size(), 1u);
  fill();
  on_conversion = drop;
  dict.erase({1});
  fill();
  on_conversion = drop;
  map.erase({1});
  fill();
  on_conversion = drop;
  EXPECT_EQ(dict.count({1}) + map.count({1}), 0u);
  on_conversion = nothing;
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_conversions_in, conversions_in);

// The conversion of an element changes the container that is being converted.
void conversions_out() {
  const std::string text = "longer than seven";
  ffi::List<ffi::Any> list;
  ffi::Dict<ffi::Any, ffi::Any> dict;
  const auto fill = [&] {
    on_conversion = [] {};
    list = ffi::List<ffi::Any>{1, 2, ffi::String(text)};
    dict = ffi::Dict<ffi::Any, ffi::Any>{{1, 2}, {3, 4}, {5, ffi::String(text)}};
  };
  const auto grow = [&] {
    if (list.size() < 20) list.insert(list.begin() + 2, 5);
    if (dict.size() < 20) dict.Set(static_cast<int>(dict.size() + 10), 5);
  };
  const auto empty = [&] {
    list.clear();
    dict.clear();
  };
  for (const std::function<void()>& change : {std::function<void()>(grow), {empty}}) {
    const auto convert = [&](auto conversion) {
      fill();
      const ffi::Any held[] = {list, dict};
      on_conversion = change;
      try {
        conversion();
      } catch (const ffi::Error& error) {
        EXPECT_EQ(error.kind(), std::string("TypeError"));
      }
    };
    convert([&] { (void)ffi::Any(list).cast<ffi::List<Step>>(); });
    convert([&] { (void)ffi::Any(list).cast<ffi::Array<Step>>(); });
    convert([&] { (void)ffi::Any(list).cast<std::vector<Step>>(); });
    convert([&] { (void)ffi::Any(list).cast<ffi::Tuple<Step, Step, Step>>(); });
    convert([&] { (void)ffi::Any(list).cast<std::tuple<Step, Step, Step>>(); });
    convert([&] { (void)ffi::Any(dict).cast<ffi::Dict<Step, Step>>(); });
    convert([&] { (void)ffi::Any(dict).cast<ffi::Map<Step, Step>>(); });
    convert([&] { (void)ffi::Any(dict).cast<std::map<int64_t, Step>>(); });
  }
  on_conversion = [] {};
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_conversions_out, conversions_out);

// An element of the container itself, or a range of it, may be added or assigned to it.
void elements_of_its_own() {
  const auto check = [](auto handle) {
    handle.push_back(ffi::String("longer than seven"));
    // Refers to the element in place, which moves when the container grows.
    for (int i = 0; i < 40; ++i) handle.push_back(*handle.get()->begin());
    EXPECT_EQ(handle.size(), 41u);
    handle.insert(handle.begin() + 1, *handle.get()->begin());
    handle.insert(handle.begin() + 1, handle.begin(), handle.end());
    EXPECT_EQ(handle.size(), 84u);
    handle.Set(1, *handle.get()->begin());
    for (const ffi::Any& value : handle) {
      EXPECT_EQ(value.cast<std::string>(), std::string("longer than seven"));
    }
    handle.Set(1, 1);
    handle.Assign(handle.begin() + 1, handle.begin() + 3);
    EXPECT_EQ(handle.size(), 2u);
    EXPECT_EQ(handle[0].template cast<int>(), 1);
    handle.Assign(handle.rbegin(), handle.rend());
    EXPECT_EQ(handle[1].template cast<int>(), 1);
    handle.Assign(handle.begin(), handle.end());
    EXPECT_EQ(handle[1].template cast<int>(), 1);
  };
  check(ffi::Array<ffi::Any>());
  check(ffi::List<ffi::Any>());
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_elements_of_its_own, elements_of_its_own);
