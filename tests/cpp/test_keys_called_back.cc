// SPDX-License-Identifier: Apache-2.0
// Rows: R7
// hash_table.h: a key's own hash and equality may use, change, replace or free the Map or Dict
// that calls them.
#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/tvm_ffi.h>

#include <functional>
#include <string>
#include <vector>

#include "expect.h"

namespace ffi = tvm::ffi;
namespace refl = tvm::ffi::reflection;

namespace {

// Called first by the hash and the equality of each key, except from within such a call.
std::function<void()> on_hash;
std::function<void()> on_equal;
int hashes = 0;

void Call(const std::function<void()>& hook) {
  static bool open = false;
  if (open || !hook) return;
  open = true;
  hook();
  open = false;
}

class KeyObj : public ffi::Object {
 public:
  explicit KeyObj(int64_t value) : value(value) {}
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test_keys_called_back.Key", KeyObj, ffi::Object);

  int64_t value;
};

// Four keys share each hash, so that chains are long.
int64_t HashOfKey(const KeyObj* key) {
  const int64_t hash = key->value / 4;
  ++hashes;
  Call(on_hash);
  return hash;
}

bool AreEqualKeys(const KeyObj* a, const KeyObj* b) {
  Call(on_equal);
  return a->value == b->value;
}

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::TypeAttrDef<KeyObj>().def("__any_hash__", HashOfKey).def("__any_equal__", AreEqualKeys);
}

ffi::Any Key(int64_t value) { return ffi::ObjectRef(ffi::make_object<KeyObj>(value)); }
ffi::Any Text(int64_t value) { return ffi::String("the text of key " + std::to_string(value)); }

using AnyDict = ffi::Dict<ffi::Any, ffi::Any>;
using AnyMap = ffi::Map<ffi::Any, ffi::Any>;

template <typename Mapping>
Mapping Filled(int64_t size) {
  Mapping made;
  for (int64_t i = 0; i < size; ++i) made.Set(Key(i), Text(i));
  return made;
}

std::string Changed(const char* name) {
  return std::string("RuntimeError: ") + name +
         ": expected a mapping that the hash and the equality of its keys do not modify, got "
         "one that "
         "those of test_keys_called_back.Key modified during a lookup or an insertion";
}

// Every pair of a mapping is found, and its value is a text.
template <typename Mapping>
void ExpectWhole(const Mapping& mapping) {
  size_t count = 0;
  for (const auto& pair : mapping) {
    EXPECT(mapping.count(pair.first) == 1);
    EXPECT_EQ(pair.second.template cast<std::string>().substr(0, 12), std::string("the text of "));
    ++count;
  }
  EXPECT_EQ(mapping.size(), count);
}

// Sizes of a small table in the object, one in a block, and dense tables; `key` is in the middle.
const std::vector<int64_t> kSizes = {1, 2, 3, 4, 5, 8, 40, 400};

using Operation = std::function<void(AnyDict*, const ffi::Any&)>;
const std::vector<Operation> kOperations = {
    [](AnyDict* dict, const ffi::Any& key) { (void)dict->at(key); },
    [](AnyDict* dict, const ffi::Any& key) { (void)dict->Get(key); },
    [](AnyDict* dict, const ffi::Any& key) { (void)dict->count(key); },
    [](AnyDict* dict, const ffi::Any& key) { dict->erase(key); },
    [](AnyDict* dict, const ffi::Any& key) { dict->Set(key, Text(0)); },
};

void Refill(AnyDict* dict, int64_t size) {
  for (int64_t i = 0; i < size; ++i) dict->Set(Key(1000 + i), Text(1000 + i));
}

// Changes to a Dict with that many pairs.
using Change = std::function<void(AnyDict*, int64_t)>;
const std::vector<Change> kChanges = {
    [](AnyDict* dict, int64_t) { dict->clear(); },
    [](AnyDict* dict, int64_t size) {
      dict->clear();
      Refill(dict, size);
    },
    // Twice, so that a block may be allocated where the first one was.
    [](AnyDict* dict, int64_t size) {
      for (int i = 0; i < 2; ++i) {
        dict->clear();
        Refill(dict, size);
      }
    },
    [](AnyDict* dict, int64_t size) {
      for (int64_t i = 0; i < size; ++i) dict->erase(Key(i));
      Refill(dict, size);
    },
    [](AnyDict* dict, int64_t size) { Refill(dict, size + 100); },
    [](AnyDict* dict, int64_t) { *dict = AnyDict(); },
    [](AnyDict* dict, int64_t size) { dict->erase(Key(size / 2)); },
};

}  // namespace

// A Dict that a key's equality changes, replaces or frees meanwhile raises an error.
void equality_changes_a_dict() {
  for (int64_t size : kSizes) {
    for (const Operation& operation : kOperations) {
      for (const Change& change : kChanges) {
        auto dict = Filled<AnyDict>(size);
        const ffi::Any key = Key(size / 2);
        on_equal = [&] { change(&dict, size); };
        EXPECT_EQ(error_of([&] { operation(&dict, key); }), Changed("Dict"));
        on_equal = nullptr;
        ExpectWhole(dict);
      }
    }
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_equality_changes_a_dict, equality_changes_a_dict);

// The same if a key's hash changes it; a small table of up to four pairs hashes no key.
void hash_changes_a_dict() {
  for (int64_t size : kSizes) {
    if (size <= 4) continue;
    for (const Operation& operation : kOperations) {
      for (const Change& change : kChanges) {
        auto dict = Filled<AnyDict>(size);
        const ffi::Any key = Key(size / 2);
        on_hash = [&] { change(&dict, size); };
        EXPECT_EQ(error_of([&] { operation(&dict, key); }), Changed("Dict"));
        on_hash = nullptr;
        ExpectWhole(dict);
      }
    }
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_hash_changes_a_dict, hash_changes_a_dict);

// All keys' hashes, which a growing table needs, are computed before any pair moves.
void hash_changes_a_dict_that_grows() {
  for (int64_t size : {4, 7, 31, 127, 1000}) {
    for (const Change& change : kChanges) {
      for (int64_t skipped : {0, 1, 2, 3}) {
        auto dict = Filled<AnyDict>(size);
        const ffi::Any held = dict;
        int64_t left = skipped;
        on_hash = [&] {
          if (left-- == 0) change(&dict, size);
        };
        const std::string error = error_of([&] { Refill(&dict, size * 3); });
        on_hash = nullptr;
        // A Dict that was replaced is not the one that continues to grow.
        if (error != Changed("Dict")) EXPECT(!dict.same_as(held.cast<AnyDict>()));
        ExpectWhole(dict);
        ExpectWhole(held.cast<AnyDict>());
      }
    }
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_hash_changes_a_dict_that_grows, hash_changes_a_dict_that_grows);

// A hash or an equality may read the Dict and set values of its keys, which are kept.
void values_may_change() {
  for (int64_t size : kSizes) {
    auto dict = Filled<AnyDict>(size);
    const ffi::Any first = (*dict.begin()).first;
    int64_t calls = 0;
    on_hash = on_equal = [&] { dict.Set(first, Text(10000 + ++calls)); };
    (void)dict.count(Key(size / 2));
    for (int64_t i = 0; i < size * 3; ++i) dict.Set(Key(1000 + i), Text(i));
    on_hash = on_equal = nullptr;
    EXPECT_EQ(dict.size(), static_cast<size_t>(size * 4));
    EXPECT_EQ(dict.at(first).cast<std::string>(), Text(10000 + calls).cast<std::string>());
    ExpectWhole(dict);
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_values_may_change, values_may_change);

// While a Dict grows, a hash may remove pairs and add as many, with the last one added back.
void pairs_are_exchanged_in_a_dict_that_grows() {
  for (int64_t skipped = 0; skipped < 40; ++skipped) {
    auto dict = Filled<AnyDict>(31);
    const ffi::Any last = (*--dict.end()).first;
    int64_t left = skipped;
    on_hash = [&] {
      if (left-- != 0) return;
      dict.erase(Key(0));
      dict.erase(last);
      dict.Set(Key(500), Text(500));
      dict.Set(last, Text(30));
    };
    try {
      Refill(&dict, 60);
    } catch (const ffi::Error& error) {
      EXPECT_EQ(error.kind(), std::string("RuntimeError"));
    }
    on_hash = nullptr;
    ExpectWhole(dict);
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_pairs_are_exchanged_in_a_dict_that_grows,
                              pairs_are_exchanged_in_a_dict_that_grows);

// A Map that its handle released is no longer used; changing the handle changes a copy.
void equality_changes_a_map() {
  for (int64_t size : kSizes) {
    auto map = Filled<AnyMap>(size);
    const ffi::Any key = Key(size / 2);
    on_equal = [&] { map = AnyMap(); };
    EXPECT_EQ(error_of([&] { (void)map.count(key); }), Changed("Map"));
    map = Filled<AnyMap>(size);
    EXPECT_EQ(error_of([&] { map.Set(key, 1); }), Changed("Map"));
    map = Filled<AnyMap>(size);
    const AnyMap other = map;
    EXPECT_EQ(map.count(key), 1u);
    EXPECT(map.empty());
    on_equal = nullptr;
    ExpectWhole(other);
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_equality_changes_a_map, equality_changes_a_map);

// Copying a Map and removing a pair hash no key except the one looked up.
void copies_hash_no_key() {
  for (int64_t size : kSizes) {
    const auto map = Filled<AnyMap>(size);
    AnyMap copy = map;
    hashes = 0;
    (void)copy.CopyOnWrite();
    EXPECT_EQ(hashes, 0);
    EXPECT(!copy.same_as(map));
    EXPECT_EQ(copy.size(), map.size());
    auto at = map.begin();
    for (const auto& pair : copy) EXPECT(ffi::AnyEqual()(pair.first, (*at++).first));
    ExpectWhole(copy);
    for (int64_t i = 0; i < size; i += 2) {
      hashes = 0;
      copy.erase(Key(i));
      EXPECT(hashes <= 2);  // once to check whether it exists
      EXPECT_EQ(copy.count(Key(i)), 0u);
      ExpectWhole(copy);
    }
    ExpectWhole(map);
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_copies_hash_no_key, copies_hash_no_key);
