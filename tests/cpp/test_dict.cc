// SPDX-License-Identifier: Apache-2.0
// Rows: R7
// container/dict.h: pairs shared by all handles.
#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/tvm_ffi.h>

#include <map>
#include <string>
#include <vector>

#include "expect.h"

namespace ffi = tvm::ffi;

// A change through one handle is visible through all others, including an Any and a function.
void sharing() {
  ffi::Dict<ffi::String, int> a{{"x", 1}};
  const ffi::Dict<ffi::String, int> b = a;
  a.Set("y", 2);
  EXPECT_EQ(b.at("y"), 2);
  const ffi::Any any = b;
  any.cast<ffi::Dict<ffi::String, int>>().Set("z", 3);
  ffi::Function::FromTyped([](ffi::Dict<ffi::String, int> dict) { dict.erase("x"); })(a);
  EXPECT_EQ(b.size(), 2u);
  EXPECT_EQ(b["z"], 3);
  EXPECT(b.same_as(a));
  a.clear();
  EXPECT(b.empty());
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_sharing, sharing);

// Reading is the same as for a Map.
void reading() {
  const std::map<int, int> model{{1, 10}, {2, 20}, {3, 30}};
  const ffi::Dict<int, int> dict = model;
  EXPECT_EQ(dict.size(), 3u);
  EXPECT_EQ(dict.count(2), 1u);
  EXPECT_EQ(dict.count(4), 0u);
  EXPECT(dict.find(4) == dict.end());
  EXPECT_EQ(dict.Get(3).value(), 30);
  EXPECT(!dict.Get(4).has_value());
  int sum = 0;
  for (const auto& pair : dict) sum += pair.first * pair.second;
  EXPECT_EQ(sum, 140);
  EXPECT_THROWS("KeyError: Dict::at: expected an existing key, got 4", dict.at(4));
  EXPECT_THROWS("KeyError: Dict::at: expected an existing key, got bool",
                (ffi::Dict<ffi::Any, int>().at(true)));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_reading, reading);

// A moved-from handle has no pairs, and gets new ones when it is set.
void moved_from() {
  ffi::Dict<int, int> a{{1, 10}};
  const ffi::Dict<int, int> b = std::move(a);
  EXPECT(a.empty() && a.count(1) == 0);
  a.erase(1);
  a.clear();
  a.Set(2, 20);
  EXPECT_EQ(a.size(), 1u);
  EXPECT_EQ(b.size(), 1u);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_moved_from, moved_from);

// A Dict converts to a Map and vice versa, as a copy; conversion to a Dict of other types also
// copies.
void conversion() {
  ffi::Dict<ffi::String, int> dict{{"a", 1}};
  const auto map = ffi::Any(dict).cast<ffi::Map<ffi::String, int>>();
  dict.Set("b", 2);
  EXPECT_EQ(map.size(), 1u);
  auto back = ffi::Any(map).cast<ffi::Dict<ffi::String, int>>();
  back.Set("c", 3);
  EXPECT_EQ(map.size(), 1u);
  auto converted = ffi::Any(dict).cast<ffi::Dict<ffi::String, double>>();
  converted.Set("d", 0.5);
  EXPECT_EQ(dict.size(), 2u);
  EXPECT((!ffi::Any(dict).as<ffi::Map<ffi::String, int>>().has_value()));
  const ffi::Dict<ffi::Any, ffi::Any> wide = dict;
  EXPECT(wide.same_as(dict));
  EXPECT_THROWS("TypeError: Any: expected Dict[str, int], got Dict with float at key \"e\"",
                (ffi::Any(ffi::Dict<ffi::Any, ffi::Any>{{"e", 0.5}})
                     .cast<ffi::Dict<ffi::String, int64_t>>()));
  EXPECT_EQ((ffi::TypeTraits<ffi::Dict<ffi::String, int64_t>>::TypeSchema()),
            std::string(R"({"type":"ffi.Dict","args":[{"type":"ffi.String"},{"type":"int"}]})"));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_conversion, conversion);

namespace {

// Uses a Dict when destroyed.
class UserObj : public ffi::Object {
 public:
  explicit UserObj(ffi::Dict<ffi::Any, ffi::Any>* dict) : dict_(dict) {}
  ~UserObj() { dict_->Set("gone", static_cast<int64_t>(dict_->size())); }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test_dict.User", UserObj, ffi::Object);

 private:
  ffi::Dict<ffi::Any, ffi::Any>* dict_;
};

}  // namespace

// A value's destructor may change the Dict that the value is removed from.
void values_that_use_the_dict() {
  for (int others : {0, 1, 3, 4, 5, 6, 7, 20}) {
    ffi::Dict<ffi::Any, ffi::Any> dict;
    const auto add = [&] {
      dict.Set("user", ffi::ObjectRef(ffi::make_object<UserObj>(&dict)));
      for (int i = 0; i < others; ++i) dict.Set(i, i);
    };
    add();
    dict.Set("user", 0);
    EXPECT_EQ(dict.at("gone").cast<int>(), others + 1);
    add();
    dict.erase("user");
    EXPECT_EQ(dict.at("gone").cast<int>(), others + 1);
    add();
    dict.clear();
    EXPECT_EQ(dict.size(), 1u);
    EXPECT_EQ(dict.at("gone").cast<int>(), 0);
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_values_that_use_the_dict, values_that_use_the_dict);
