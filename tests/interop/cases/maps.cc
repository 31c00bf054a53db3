// SPDX-License-Identifier: Apache-2.0
// Cases: maps and dicts.
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/container/map.h>

#include <string>

#include "case.h"

namespace ffi = tvm::ffi;

namespace {

using ffi::Any;
using ffi::Array;
using ffi::Dict;
using ffi::Map;
using ffi::String;

// Empty, small, the most that is small, the first that is not, and large.
constexpr int64_t kSizes[] = {0, 1, 4, 5, 1000};

String Name(int64_t k) {
  return k % 2 == 0 ? String("k" + Text(k)) : String("a key that is longer " + Text(k));
}
template <typename Table>
Table Names(int64_t size) {
  Table table;
  for (int64_t k = 0; k < size; ++k) table.Set(Name(k), k);
  return table;
}
template <typename Table>
void CheckNames(const Table& table, int64_t size) {
  EXPECT(static_cast<int64_t>(table.size()) == size);
  for (int64_t k = 0; k < size; ++k) EXPECT(table.at(Name(k)) == k);
  EXPECT(table.count(Name(size)) == 0);
  // Entries come in the order in which they were inserted.
  int64_t k = 0;
  for (const auto& entry : table) EXPECT(entry.second == k++);
}

Map<String, int64_t> MakeMapOfStrings(int64_t i) { return Names<Map<String, int64_t>>(kSizes[i]); }
void CheckMapOfStrings(int64_t i, const Any& value) {
  EXPECT(value.type_index() == kTVMFFIMap);
  auto map = value.cast<Map<String, int64_t>>();
  CheckNames(map, kSizes[i]);
  // What the checker adds to its copy is not seen by who else has the map.
  for (int64_t k = kSizes[i]; k < kSizes[i] + 20; ++k) map.Set(Name(k), k);
  CheckNames(map, kSizes[i] + 20);
  CheckNames(value.cast<Map<String, int64_t>>(), kSizes[i]);
}

Map<int64_t, String> MakeMapOfInts(int64_t i) {
  Map<int64_t, String> map;
  for (int64_t k = 0; k < kSizes[i]; ++k) map.Set(k * 1000003 - 500, Name(k));
  return map;
}
void CheckMapOfInts(int64_t i, const Any& value) {
  auto map = value.cast<Map<int64_t, String>>();
  EXPECT(static_cast<int64_t>(map.size()) == kSizes[i]);
  for (int64_t k = 0; k < kSizes[i]; ++k) {
    EXPECT(map[k * 1000003 - 500] == std::string(Name(k)));
  }
  for (int64_t k = 0; k < kSizes[i]; k += 2) map.erase(k * 1000003 - 500);
  for (int64_t k = 0; k < kSizes[i]; ++k) {
    EXPECT(static_cast<int64_t>(map.count(k * 1000003 - 500)) == k % 2);
  }
}

// Keys of each kind in one map.
Map<Any, Any> MakeMapOfAny(int64_t) {
  return {{Any(int64_t{1}), Any(String("int"))},
          {Any(2.5), Any(String("float"))},
          {Any(String("small")), Any(String("str"))},
          {Any(String("a large string")), Any(String("large str"))},
          {Any(ffi::Bytes("b", 1)), Any(String("bytes"))},
          {Any(DLDataType{kDLInt, 8, 1}), Any(String("dtype"))},
          {Any(DLDevice{kDLCUDA, 1}), Any(String("device"))},
          {Any(nullptr), Any(String("None"))}};
}
void CheckMapOfAny(int64_t, const Any& value) {
  const auto map = value.cast<Map<Any, Any>>();
  EXPECT(map.size() == 8);
  EXPECT(map[Any(int64_t{1})].cast<String>() == "int");
  EXPECT(map[Any(2.5)].cast<String>() == "float");
  EXPECT(map[Any(String("small"))].cast<String>() == "str");
  EXPECT(map[Any(String("a large string"))].cast<String>() == "large str");
  EXPECT(map[Any(ffi::Bytes("b", 1))].cast<String>() == "bytes");
  EXPECT(map[Any(DLDataType{kDLInt, 8, 1})].cast<String>() == "dtype");
  EXPECT(map[Any(DLDevice{kDLCUDA, 1})].cast<String>() == "device");
  EXPECT(map[Any(nullptr)].cast<String>() == "None");
}

Map<String, Map<String, Array<int64_t>>> MakeNestedMap(int64_t) {
  return {{"a", {{"b", {1, 2}}, {"c", {}}}}, {"empty", {}}};
}
void CheckNestedMap(int64_t, const Any& value) {
  const auto map = value.cast<Map<String, Map<String, Array<int64_t>>>>();
  EXPECT(map["a"]["b"][1] == 2);
  EXPECT(map["a"]["c"].empty());
  EXPECT(map["empty"].empty());
}

// A key that is not there is a KeyError.
Map<String, int64_t> MakeMissingKey(int64_t) { return {{"there", 1}}; }
void CheckMissingKey(int64_t, const Any& value) {
  const auto map = value.cast<Map<String, int64_t>>();
  EXPECT(map.Get("there").has_value());
  EXPECT(!map.Get("not there").has_value());
  EXPECT(map.find("not there") == map.end());
  try {
    map.at("not there");
  } catch (const ffi::Error& error) {
    EXPECT(error.kind() == "KeyError");
    return;
  }
  EXPECT(false);
}

Dict<String, int64_t> MakeDictOfStrings(int64_t i) {
  return Names<Dict<String, int64_t>>(kSizes[i]);
}
void CheckDictOfStrings(int64_t i, const Any& value) {
  EXPECT(value.type_index() == kTVMFFIDict);
  CheckNames(value.cast<Dict<String, int64_t>>(), kSizes[i]);
}

// A dict is shared: what the checker changes is seen through the maker's handle.
Array<Any> MakeSharedDict(int64_t i) {
  auto dict = Names<Dict<String, int64_t>>(kSizes[i]);
  return {Any(dict),
          Any(ffi::Function::FromTyped([dict]() -> Dict<String, int64_t> { return dict; }))};
}
void CheckSharedDict(int64_t i, const Any& value) {
  const auto pair = value.cast<Array<Any>>();
  auto dict = pair[0].cast<Dict<String, int64_t>>();
  for (int64_t k = kSizes[i]; k < kSizes[i] + 200; ++k) dict.Set(Name(k), k);
  const auto seen = pair[1].cast<ffi::Function>()().cast<Dict<String, int64_t>>();
  EXPECT(seen.same_as(dict));
  CheckNames(seen, kSizes[i] + 200);
  for (int64_t k = 0; k < kSizes[i] + 200; ++k) dict.erase(Name(k));
  EXPECT(seen.empty());
  dict.Set(Name(0), 0);
  CheckNames(seen, 1);
}

}  // namespace

INTEROP_CASE(MapOfStrings, 5, "Map from str of 0, 1, 4, 5 and 1,000 entries, copied on write");
INTEROP_CASE(MapOfInts, 5, "Map from int, with erasures");
INTEROP_CASE(MapOfAny, 1, "Map with keys of each kind");
INTEROP_CASE(NestedMap, 1, "Map of Maps of Arrays");
INTEROP_CASE(MissingKey, 1, "KeyError of a Map");
INTEROP_CASE(DictOfStrings, 5, "Dict of 0, 1, 4, 5 and 1,000 entries");
INTEROP_CASE(SharedDict, 5, "Dict that both libraries change");
