// SPDX-License-Identifier: Apache-2.0
// Rows: R7
// container/map.h: pairs that are copied on write.
#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/tvm_ffi.h>

#include <map>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "expect.h"

namespace ffi = tvm::ffi;

namespace test_map {

// Lent as a pointer, stored as a string.
struct Label {
  const char* text;
};

}  // namespace test_map

template <>
struct tvm::ffi::TypeTraits<test_map::Label> : public tvm::ffi::detail::TypeTraitsBase {
  static void CopyToAnyView(const test_map::Label& value, TVMFFIAny* out) {
    Set(out, kTVMFFIOpaquePtr);
    out->v_ptr = const_cast<char*>(value.text);
  }
  static void MoveToAny(const test_map::Label& value, TVMFFIAny* out) {
    TypeTraits<String>::MoveToAny(String(value.text), out);
  }
  static bool CheckAnyStrict(const TVMFFIAny* any) {
    return TypeTraits<String>::CheckAnyStrict(any);
  }
  static test_map::Label CopyFromAnyViewAfterCheck(const TVMFFIAny*) { return {""}; }
  static std::optional<test_map::Label> TryCastFromAnyView(const TVMFFIAny*) {
    return std::nullopt;
  }
  static std::string TypeStr() { return "Label"; }
};

template <typename K, typename V>
std::string text_of(const ffi::Map<K, V>& map) {
  ffi::Message text;
  for (const auto& pair : map) text << pair.first << "=" << pair.second << " ";
  return text.take();
}

// Construction from nothing, a list, a range or a standard map; a later key replaces an earlier.
void construction() {
  EXPECT((ffi::Map<ffi::String, int>().empty()));
  const ffi::Map<ffi::String, int> listed{{"b", 1}, {"a", 2}, {"b", 3}};
  EXPECT_EQ(listed.size(), 2u);
  EXPECT_EQ(text_of(listed), "b=3 a=2 ");
  const std::vector<std::pair<ffi::String, int>> row{{"x", 1}, {"y", 2}};
  EXPECT_EQ(text_of(ffi::Map<ffi::String, int>(row.begin(), row.end())), "x=1 y=2 ");
  const std::map<std::string, int> sorted{{"q", 1}, {"p", 2}};
  EXPECT_EQ(text_of(ffi::Map<ffi::String, int>(sorted)), "p=2 q=1 ");
  const std::unordered_map<std::string, int> hashed{{"only", 1}};
  EXPECT_EQ(text_of(ffi::Map<ffi::String, int>(hashed)), "only=1 ");
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_construction, construction);

// A value is found by its key; a missing key is a KeyError that names it.
void lookup() {
  const ffi::Map<ffi::String, int> map{{"a", 1}, {"a longer key", 2}};
  EXPECT_EQ(map.at("a"), 1);
  EXPECT_EQ(map["a longer key"], 2);
  EXPECT_EQ(map.count("a"), 1u);
  EXPECT_EQ(map.count("b"), 0u);
  EXPECT_EQ((*map.find("a")).second, 1);
  EXPECT_EQ(map.find("a")->first, std::string("a"));
  EXPECT(map.find("b") == map.end());
  EXPECT_EQ(map.Get("a").value(), 1);
  EXPECT(!map.Get("b").has_value());
  EXPECT_THROWS("KeyError: Map::at: expected an existing key, got \"b\"", map.at("b"));
  EXPECT_THROWS("KeyError: Map::at: expected an existing key, got 7", (ffi::Map<int, int>().at(7)));
  EXPECT_THROWS("KeyError: Map::at: expected an existing key, got Shape",
                (ffi::Map<ffi::Any, int>()[ffi::Shape({1})]));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_lookup, lookup);

// A key is looked up in its stored form, whatever the form of its view.
void keys_with_forms_of_their_own() {
  const std::string zero("a\0b", 3);
  ffi::Map<std::string, int> texts;
  texts.Set(zero, 1);
  EXPECT_EQ(texts.count(zero), 1u);
  EXPECT_EQ(texts.at(zero), 1);
  ffi::Map<test_map::Label, int> labels;
  labels.Set({"abc"}, 2);
  EXPECT_EQ(labels.count({"abc"}), 1u);
  EXPECT_EQ(labels.at({"abc"}), 2);
  EXPECT_EQ(labels.count({"abd"}), 0u);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_keys_with_forms_of_their_own, keys_with_forms_of_their_own);

// Handles share their pairs until one of them changes; that one then has a copy.
void copy_on_write() {
  ffi::Map<int, int> a{{1, 10}, {2, 20}};
  const ffi::Map<int, int> b = a;
  EXPECT(a.same_as(b));
  a.Set(3, 30);
  EXPECT(!a.same_as(b));
  EXPECT_EQ(a.size(), 3u);
  EXPECT_EQ(b.size(), 2u);
  const ffi::MapObj* before = a.get();
  a.Set(4, 40);
  a.erase(1);
  EXPECT(a.get() == before);
  EXPECT_EQ(text_of(a), "2=20 3=30 4=40 ");
  const ffi::Map<int, int> c = a;
  a.erase(99);
  EXPECT(a.same_as(c));
  a.erase(3);
  EXPECT_EQ(c.size(), 3u);
  a.clear();
  EXPECT(a.empty());
  EXPECT_EQ(text_of(c), "2=20 3=30 4=40 ");
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_copy_on_write, copy_on_write);

// A moved-from handle has no pairs, and gets new ones when it is set.
void moved_from() {
  ffi::Map<int, int> a{{1, 10}};
  const ffi::Map<int, int> b = std::move(a);
  EXPECT_EQ(b.size(), 1u);
  EXPECT(a.empty() && a.count(1) == 0 && a.begin() == a.end() && !a.Get(1).has_value());
  EXPECT_THROWS("KeyError: Map::at: expected an existing key, got 1", a.at(1));
  a.erase(1);
  a.Set(5, 50);
  EXPECT_EQ(text_of(a), "5=50 ");
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_moved_from, moved_from);

// Pairs are in insertion order, forwards and backwards; setting a key again keeps its position.
void order() {
  ffi::Map<int, int> map;
  for (int i = 0; i < 100; ++i) map.Set(i * 7 % 100, i);
  map.Set(0, -1);
  int expected = 0;
  for (const auto& pair : map) {
    EXPECT_EQ(pair.first, expected * 7 % 100);
    EXPECT_EQ(pair.second, expected == 0 ? -1 : expected);
    ++expected;
  }
  EXPECT_EQ(expected, 100);
  auto position = map.end();
  while (position != map.begin()) {
    --position;
    --expected;
    EXPECT_EQ(position->first, expected * 7 % 100);
  }
  const auto first = position++;
  EXPECT_EQ(first->first, 0);
  EXPECT_EQ((*position--).first, 7);
  EXPECT(position == first);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_order, order);

// A std::map plus the order agrees after each of many random steps, at sizes from 0 up.
void random_steps() {
  uint64_t state = 1;
  const auto random = [&](uint64_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % below;
  };
  for (const uint64_t keys : {3u, 5u, 20u, 300u, 3000u}) {
    ffi::Map<int64_t, int64_t> map;
    std::map<int64_t, int64_t> model;
    for (int step = 0; step < 3000; ++step) {
      const auto key = static_cast<int64_t>(random(keys));
      if (random(5) < 3) {
        map.Set(key, step);
        model[key] = step;
      } else {
        map.erase(key);
        model.erase(key);
      }
      EXPECT_EQ(map.size(), model.size());
      EXPECT_EQ(map.count(key), model.count(key));
    }
    size_t seen = 0;
    for (const auto& pair : map) {
      EXPECT_EQ(model.at(pair.first), pair.second);
      EXPECT_EQ(map.at(pair.first), pair.second);
      ++seen;
    }
    EXPECT_EQ(seen, model.size());
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_random_steps, random_steps);

// The map holds a reference to each object, and releases it with the pair.
void ownership() {
  const ffi::Shape shape{1, 2};
  {
    ffi::Map<ffi::Shape, ffi::Shape> map;
    for (int64_t i = 0; i < 40; ++i) map.Set(ffi::Shape({i}), shape);
    EXPECT_EQ(shape.use_count(), 41);
    ffi::Map<ffi::Shape, ffi::Shape> copy = map;
    copy.Set(shape, shape);
    EXPECT_EQ(shape.use_count(), 83);
    copy.erase(shape);
    EXPECT_EQ(shape.use_count(), 81);
    copy.clear();
    EXPECT_EQ(shape.use_count(), 41);
    map.Set((*map.begin()).first, ffi::Shape({3}));
    EXPECT_EQ(shape.use_count(), 40);
  }
  EXPECT_EQ(shape.use_count(), 1);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_ownership, ownership);

// A map is also a map of Any and of base classes, without a copy; other types are converted.
void conversion() {
  const ffi::Map<ffi::String, int> map{{"a", 1}};
  const ffi::Map<ffi::Any, ffi::Any> wide = map;
  EXPECT(wide.same_as(map));
  const ffi::Map<ffi::String, ffi::ObjectRef> base =
      ffi::Map<ffi::String, ffi::Shape>{{"s", ffi::Shape({1})}};
  EXPECT_EQ(base.size(), 1u);
  const ffi::Any any = map;
  EXPECT((any.cast<ffi::Map<ffi::String, int>>().same_as(map)));
  EXPECT((any.as<ffi::Map<ffi::String, int>>().has_value()));
  EXPECT((!any.as<ffi::Map<ffi::String, double>>().has_value()));
  const auto converted = any.cast<ffi::Map<ffi::String, double>>();
  EXPECT(!converted.same_as(map));
  EXPECT_EQ(converted.at("a"), 1.0);
  EXPECT((!any.try_cast<ffi::Map<int, int>>().has_value()));
  EXPECT((!ffi::Any(1).try_cast<ffi::Map<int, int>>().has_value()));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_conversion, conversion);

// A function takes and returns maps; the error for a wrong one names the wrong pair.
void through_functions() {
  const ffi::Function total = ffi::Function::FromTyped([](ffi::Map<ffi::String, double> map) {
    double sum = 0;
    for (const auto& pair : map) sum += pair.second;
    map.Set("total", sum);
    return map;
  });
  const ffi::Map<ffi::String, int> map{{"a", 1}, {"b", 2}};
  EXPECT_EQ((total(map).cast<ffi::Map<ffi::String, double>>().at("total")), 3.0);
  EXPECT_EQ(map.size(), 2u);
  EXPECT_THROWS(
      "TypeError: function(Map[str, float]) -> Map[str, float]: argument 0: expected "
      "Map[str, float], got Map with str at key \"b\"",
      total(ffi::Map<ffi::String, ffi::Any>{{"a", 1}, {"b", "x"}}));
  EXPECT_THROWS(
      "TypeError: function(Map[str, float]) -> Map[str, float]: argument 0: expected "
      "Map[str, float], got Map with a key int 3",
      total(ffi::Map<ffi::Any, ffi::Any>{{"a", 1}, {3, 2}}));
  EXPECT_THROWS(
      "TypeError: function(Map[str, float]) -> Map[str, float]: argument 0: expected "
      "Map[str, float], got Shape",
      total(ffi::Shape({1})));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_through_functions, through_functions);

// The schema names the types of keys and values.
void schema() {
  EXPECT_EQ((ffi::TypeTraits<ffi::Map<ffi::String, int64_t>>::TypeSchema()),
            std::string(R"({"type":"ffi.Map","args":[{"type":"ffi.String"},{"type":"int"}]})"));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_schema, schema);

namespace {

class CollidingObj : public ffi::Object {
 public:
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test_map.Colliding", CollidingObj, ffi::Object);
};

class Colliding : public ffi::ObjectRef {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Colliding, ffi::ObjectRef, CollidingObj);
};

}  // namespace

int hashes_left = 0;

TVMFFIAny OneHash(const TVMFFIAny*) {
  if (hashes_left-- == 0) {
    return ffi::Any(ffi::Error("ValueError", "no more hashes", "")).MoveToTVMFFIAny();
  }
  return ffi::Any(5).MoveToTVMFFIAny();
}

// Keys that share one hash are all found; a failing hash leaves the map unchanged.
void colliding_hashes() {
  const TVMFFIByteArray name{"__any_hash__", 12};
  const TVMFFIAny hash = ffi::AnyView(reinterpret_cast<void*>(OneHash)).CopyToTVMFFIAny();
  TVM_FFI_CHECK_SAFE_CALL(TVMFFITypeRegisterAttr(CollidingObj::RuntimeTypeIndex(), &name, &hash));
  hashes_left = 1000000;
  ffi::Map<Colliding, int> map;
  std::vector<Colliding> keys;
  for (int i = 0; i < 200; ++i) {
    keys.emplace_back(ffi::make_object<CollidingObj>());
    map.Set(keys.back(), i);
  }
  for (int i = 0; i < 200; i += 3) map.erase(keys[static_cast<size_t>(i)]);
  for (int i = 0; i < 200; ++i) {
    const Colliding& key = keys[static_cast<size_t>(i)];
    EXPECT_EQ(map.count(key), i % 3 == 0 ? 0u : 1u);
    if (i % 3 != 0) EXPECT_EQ(map.at(key), i);
  }
  const std::string before = [&] {
    ffi::Message text;
    for (const auto& pair : map) text << pair.second << " ";
    return text.take();
  }();
  for (int left = 0; left < 300; left += 7) {
    hashes_left = left;
    ffi::Map<Colliding, int> copy = map;
    const std::string error = error_of([&] {
      for (int i = 0; i < 200; i += 3) copy.Set(keys[static_cast<size_t>(i)], i);
    });
    hashes_left = 1000000;
    EXPECT_EQ(error, std::string(left < 60 ? "ValueError: no more hashes" : error));
    for (const auto& pair : copy) EXPECT_EQ(copy.at(pair.first), pair.second);
    ffi::Message text;
    for (const auto& pair : map) text << pair.second << " ";
    EXPECT_EQ(text.take(), before);
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_colliding_hashes, colliding_hashes);

// A map set as a value of itself is stored as it was before: it never contains itself.
void a_map_as_its_own_value() {
  ffi::Map<ffi::String, ffi::ObjectRef> map{{"list", ffi::Array<int>{1}}};
  map.Set("before", map);
  EXPECT_EQ(map.size(), 2u);
  EXPECT(!map.at("before").same_as(map));
  using Pairs = ffi::Map<ffi::String, ffi::ObjectRef>;
  EXPECT_EQ(ffi::Any(map.at("before")).cast<Pairs>().size(), 1u);
  EXPECT_EQ(map.use_count(), 1);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_a_map_as_its_own_value, a_map_as_its_own_value);

// Reserving more pairs than memory can hold is rejected.
void reserve_too_much() {
  const ffi::ObjectPtr<ffi::MapObj> map = ffi::make_object<ffi::MapObj>();
  for (uint64_t size : {(uint64_t{1} << 39) + 1, uint64_t{1} << 62, ~uint64_t{0}}) {
    EXPECT_THROWS_WITH("ValueError: Map: expected room for at most 549755813888 pairs, got ",
                       map->reserve(size));
  }
  EXPECT_EQ(map->size(), 0u);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_reserve_too_much, reserve_too_much);

// A handle that has become the only one changes the pairs after all reads by other threads.
void change_after_readers() {
  ffi::Map<int, int> map{{1, 1}};
  for (int i = 2; i < 20; ++i) {
    std::thread reader([shared = map, i]() mutable {
      EXPECT_EQ(shared.at(1), i - 1);
      shared = ffi::Map<int, int>();
    });
    while (!map.unique()) std::this_thread::yield();
    map.Set(1, i);
    reader.join();
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_change_after_readers, change_after_readers);

// Maps are merged into a new one; values from the right one win.
void merging() {
  const ffi::Map<ffi::String, int> left{{"a", 1}, {"b", 1}}, right{{"b", 2}, {"c", 3}};
  EXPECT_EQ(text_of(ffi::Merge(left, right)), "a=1 b=2 c=3 ");
  EXPECT_EQ(text_of(ffi::Merge(left, left)), "a=1 b=1 ");
  EXPECT_EQ(text_of(left), "a=1 b=1 ");
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_merging, merging);

// A map converts to more general types, also where its values are containers themselves.
void general_values() {
  const ffi::Map<ffi::String, ffi::Array<int>> map{{"a", {1, 2}}};
  const ffi::Map<ffi::String, ffi::Array<ffi::Any>> general = map;
  EXPECT(general.same_as(map) && general.at("a").size() == 2);
  const ffi::Array<ffi::Map<ffi::Any, ffi::Any>> maps =
      ffi::Array<ffi::Map<ffi::String, ffi::Array<int>>>{map};
  EXPECT(maps[0].same_as(map));
  EXPECT(!(std::is_constructible<ffi::Map<ffi::String, ffi::Array<int>>,
                                 ffi::Map<ffi::String, ffi::Array<ffi::Any>>>::value));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_general_values, general_values);

// The map object finds values by key too, and its iterators are bidirectional.
void object_of_pairs() {
  const ffi::Map<ffi::String, int> map{{"a", 1}, {"b", 2}};
  auto at = map->begin();
  EXPECT_EQ((at++)->second.cast<int>(), 1);
  EXPECT_EQ((at--)->second.cast<int>(), 2);
  EXPECT(at == map->begin() && !map->empty());
  EXPECT_EQ(map->at("b").cast<int>(), 2);
  EXPECT_THROWS_WITH("KeyError: ", map->at("c"));
  const ffi::Dict<ffi::String, int> dict{{"a", 1}};
  auto* pairs = const_cast<ffi::DictObj*>(dict.get());
  pairs->at("a") = 5;
  EXPECT_EQ(dict["a"], 5);
  EXPECT_THROWS_WITH("KeyError: ", pairs->at("c"));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_object_of_pairs, object_of_pairs);
