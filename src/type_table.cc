// SPDX-License-Identifier: Apache-2.0
// The table of object types: indices, ancestors, fields, methods, attributes.
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/string.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "arguments.h"
#include "loading.h"
#include "locks.h"

namespace ffi = tvm::ffi;

namespace {

uint64_t Hash(std::string_view text) {  // FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/
  uint64_t hash = 0xcbf29ce484222325u;
  for (char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

// An array that grows while others read it without a lock. Outgrown arrays are kept: a reader may
// still use them. The initial size exceeds what types usually need, so growth is rare.
template <typename T, typename Size>
class PublishedArray {
 public:
  // The first `capacity` elements are zero-initialised.
  explicit PublishedArray(size_t capacity) : capacity_(capacity) {}

  // Writes the element at `index`, and publishes the address before the new size.
  void Set(size_t index, const T& value, const T** data, Size* size) {
    if (arrays_.empty() || index >= capacity_) Grow(index + 1);
    arrays_.back()[index] = value;
    __atomic_store_n(data, arrays_.back().get(), __ATOMIC_RELEASE);
    if (index >= static_cast<size_t>(*size)) {
      __atomic_store_n(size, static_cast<Size>(index + 1), __ATOMIC_RELEASE);
    }
  }

 private:
  void Grow(size_t wanted) {
    const size_t before = arrays_.empty() ? 0 : capacity_;
    while (capacity_ < wanted) capacity_ *= 2;
    auto grown = std::make_unique<T[]>(capacity_);
    if (before != 0) std::copy_n(arrays_.back().get(), before, grown.get());
    arrays_.push_back(std::move(grown));
  }

  size_t capacity_;
  std::vector<std::unique_ptr<T[]>> arrays_;
};

// One type, with the storage behind its TVMFFITypeInfo. Entries never move and are never freed.
struct Entry {
  TVMFFITypeInfo info{};
  std::string key;
  std::vector<const TVMFFITypeInfo*> ancestors;
  PublishedArray<TVMFFIFieldInfo, int32_t> fields{64};
  PublishedArray<TVMFFIMethodInfo, int32_t> methods{64};
  TVMFFITypeMetadata metadata{};
  int32_t next_child = 0;
  int32_t children_end = 0;
  bool children_overflow = false;
};

class TypeTable {
 public:
  // Leaked on purpose: objects are freed, and types looked up, until the process exits.
  static TypeTable& Get() {
    static auto* table = new TypeTable();
    return *table;
  }

  int32_t GetOrAlloc(std::string_view key, int32_t index, int32_t depth, int32_t child_slots,
                     bool can_overflow, int32_t parent_index) {
    std::lock_guard<std::mutex> lock(Lock());
    auto found = by_key_.find(std::string(key));
    if (found != by_key_.end()) {
      CheckSame(*Find(found->second), index, depth, parent_index);
      return found->second;
    }
    Entry* parent = parent_index < 0 ? nullptr : Find(parent_index);
    TVM_FFI_CHECK(parent_index < 0 || parent != nullptr, ValueError)
        << "TVMFFITypeGetOrAllocIndex: " << key
        << ": parent_type_index: expected a registered type, got " << parent_index;
    const int32_t parent_depth = parent == nullptr ? -1 : parent->info.type_depth;
    TVM_FFI_CHECK(depth == parent_depth + 1, ValueError)
        << "TVMFFITypeGetOrAllocIndex: " << key << ": type_depth: expected " << parent_depth + 1
        << ", got " << depth;
    TVM_FFI_CHECK(child_slots >= 0 && child_slots < kIndices - next_index_, ValueError)
        << "TVMFFITypeGetOrAllocIndex: " << key << ": num_child_slots: expected a number from 0 to "
        << kIndices - next_index_ - 1 << ", got " << child_slots;
    TVM_FFI_CHECK(index < kTVMFFIDynObjectBegin, ValueError)
        << "TVMFFITypeGetOrAllocIndex: " << key << ": static_type_index: expected an index below "
        << kTVMFFIDynObjectBegin << ", where dynamic indices begin, got " << index;
    if (index < 0) {
      // A type with children of its own takes their slots from its parent's.
      if (parent != nullptr && child_slots < parent->children_end - parent->next_child) {
        index = parent->next_child;
        parent->next_child += 1 + child_slots;
      } else {
        TVM_FFI_CHECK(parent == nullptr || parent->children_end == 0 || parent->children_overflow,
                      ValueError)
            << "TVMFFITypeGetOrAllocIndex: " << key << ": expected " << 1 + child_slots
            << " of the child slots reserved by " << parent->key << " to be free, got "
            << parent->children_end - parent->next_child;
        index = next_index_;
        next_index_ += 1 + child_slots;
      }
    }
    TVM_FFI_CHECK(Find(index) == nullptr, ValueError)
        << "TVMFFITypeGetOrAllocIndex: " << key
        << ": static_type_index: expected a free index, got " << index << ", which is "
        << Find(index)->key;
    Add(index, key, parent, child_slots, can_overflow);
    return index;
  }

  int32_t IndexOf(std::string_view key) {
    std::lock_guard<std::mutex> lock(Lock());
    auto found = by_key_.find(std::string(key));
    TVM_FFI_CHECK(found != by_key_.end(), TypeError)
        << "TVMFFITypeKeyToIndex: expected a registered type, got \"" << key << "\"";
    return found->second;
  }

  // Sorted by index.
  ffi::Array<ffi::String> Keys() {
    std::lock_guard<std::mutex> lock(Lock());
    std::vector<std::pair<int32_t, std::string_view>> keys;
    for (const auto& [key, index] : by_key_) keys.emplace_back(index, key);
    std::sort(keys.begin(), keys.end());
    ffi::Array<ffi::String> result;
    for (const auto& [index, key] : keys) result.push_back(key);
    return result;
  }

  // Lock-free, because checked casts call it.
  const TVMFFITypeInfo* Info(int32_t index) { return &Require("TVMFFIGetTypeInfo", index)->info; }

  void AddField(int32_t index, const TVMFFIFieldInfo& field) {
    std::lock_guard<std::mutex> lock(Lock());
    Entry* entry = Require("TVMFFITypeRegisterField", index);
    Loading::KeepLibrary();
    TVMFFIFieldInfo copy = field;
    copy.name = Keep("TVMFFITypeRegisterField: name", field.name);
    copy.doc = Keep("TVMFFITypeRegisterField: doc", field.doc);
    copy.metadata = Keep("TVMFFITypeRegisterField: metadata", field.metadata);
    if (field.flags & kTVMFFIFieldFlagBitSetterIsFunctionObj) TVMFFIObjectIncRef(field.setter);
    copy.default_value_or_factory = Keep(field.default_value_or_factory);
    entry->fields.Set(static_cast<size_t>(entry->info.num_fields), copy, &entry->info.fields,
                      &entry->info.num_fields);
  }

  void AddMethod(int32_t index, const TVMFFIMethodInfo& method) {
    std::lock_guard<std::mutex> lock(Lock());
    Entry* entry = Require("TVMFFITypeRegisterMethod", index);
    Loading::KeepLibrary();
    TVMFFIMethodInfo copy = method;
    copy.name = Keep("TVMFFITypeRegisterMethod: name", method.name);
    copy.doc = Keep("TVMFFITypeRegisterMethod: doc", method.doc);
    copy.metadata = Keep("TVMFFITypeRegisterMethod: metadata", method.metadata);
    copy.method = Keep(method.method);
    entry->methods.Set(static_cast<size_t>(entry->info.num_methods), copy, &entry->info.methods,
                       &entry->info.num_methods);
  }

  void SetMetadata(int32_t index, const TVMFFITypeMetadata& metadata) {
    std::lock_guard<std::mutex> lock(Lock());
    Entry* entry = Require("TVMFFITypeRegisterMetadata", index);
    TVM_FFI_CHECK(entry->info.metadata == nullptr, ValueError)
        << "TVMFFITypeRegisterMetadata: expected a type that is not registered yet, got "
        << entry->key << ", which another library, or an earlier build of this one, has registered"
        << " in this process";
    Loading::KeepLibrary();
    entry->metadata = metadata;
    entry->metadata.doc = Keep("TVMFFITypeRegisterMetadata: doc", metadata.doc);
    entry->info.metadata = &entry->metadata;
  }

  void SetAttribute(int32_t index, std::string_view name, const TVMFFIAny& value) {
    std::lock_guard<std::mutex> lock(Lock());
    // Values that are not objects, such as integers, may have attributes too, even without entries.
    if (index >= kTVMFFIStaticObjectBegin) Require("TVMFFITypeRegisterAttr", index);
    // Create the column even if no type has a value yet, which is what index kTVMFFIAny means.
    std::unique_ptr<Column>& column = columns_[std::string(name)];
    if (column == nullptr) column = std::make_unique<Column>();
    if (index < 0) return;
    Loading::KeepLibrary();
    const auto place = static_cast<size_t>(index);
    if (index < column->info.size) column->replaced.push_back(column->info.data[place]);
    column->values.Set(place, Keep(value), &column->info.data, &column->info.size);
  }

  const TVMFFITypeAttrColumn* GetColumn(std::string_view name) {
    std::lock_guard<std::mutex> lock(Lock());
    auto found = columns_.find(std::string(name));
    return found == columns_.end() ? nullptr : &found->second->info;
  }

 private:
  struct Column {
    TVMFFITypeAttrColumn info{nullptr, 0, 0};
    PublishedArray<TVMFFIAny, int32_t> values{1024};
    // Kept, because columns are read without a lock.
    std::vector<TVMFFIAny> replaced;
  };
  using Slot = std::atomic<Entry*>;
  static constexpr int32_t kSlotsOfAPage = 1024;
  static constexpr int32_t kPages = 4096;
  static constexpr int32_t kIndices = kPages * kSlotsOfAPage;

  TypeTable() {
    static constexpr const char* kKeys[] = {"ffi.Object", "ffi.String",         "ffi.Bytes",
                                            "ffi.Error",  "ffi.Function",       "ffi.Shape",
                                            "ffi.Tensor", "ffi.Array",          "ffi.Map",
                                            "ffi.Module", "ffi.OpaquePyObject", "ffi.List",
                                            "ffi.Dict",   "ffi.VisitInterrupt", "ffi.BigInt"};
    // Values that are not objects have entries too: code looks up the names of their types.
    static constexpr const char* kValueKeys[] = {"None",
                                                 "int",
                                                 "bool",
                                                 "float",
                                                 "void*",
                                                 "DataType",
                                                 "Device",
                                                 "DLTensor*",
                                                 "const char*",
                                                 "TVMFFIByteArray*",
                                                 "ObjectRValueRef",
                                                 "ffi.SmallStr",
                                                 "ffi.SmallBytes",
                                                 "ffi.Unchanged"};
    int32_t value_index = kTVMFFINone;
    for (const char* key : kValueKeys) Add(value_index++, key, nullptr, 0, false);
    int32_t index = kTVMFFIStaticObjectBegin;
    for (const char* key : kKeys) {
      Add(index, key, index == kTVMFFIObject ? nullptr : Find(kTVMFFIObject), 0, true);
      ++index;
    }
    // Libraries built with the published headers look up these columns before any type has a
    // value, and treat a missing one as an error.
    static constexpr const char* kAttributes[] = {"__any_equal__",
                                                  "__any_hash__",
                                                  "__data_from_json__",
                                                  "__data_to_json__",
                                                  "__ffi_compare__",
                                                  "__ffi_convert__",
                                                  "__ffi_enum__",
                                                  "__ffi_eq__",
                                                  "__ffi_hash__",
                                                  "__ffi_init__",
                                                  "__ffi_new__",
                                                  "__ffi_repr__",
                                                  "__ffi_shallow_copy__",
                                                  "__ffi_type_final__",
                                                  "__s_equal__",
                                                  "__s_hash__",
                                                  "__s_maybe_inplace_mutate__",
                                                  "__s_mutate__",
                                                  "__s_visit__"};
    for (const char* name : kAttributes) columns_[name] = std::make_unique<Column>();
  }

  void Add(int32_t index, std::string_view key, Entry* parent, int32_t child_slots,
           bool can_overflow) {
    auto entry = std::make_unique<Entry>();
    entry->key = std::string(key);
    if (parent != nullptr) {
      entry->ancestors = parent->ancestors;
      entry->ancestors.push_back(&parent->info);
    }
    entry->next_child = index + 1;
    entry->children_end = child_slots == 0 ? 0 : index + 1 + child_slots;
    entry->children_overflow = can_overflow;
    entry->info.type_index = index;
    entry->info.type_depth = static_cast<int32_t>(entry->ancestors.size());
    entry->info.type_key = {entry->key.data(), entry->key.size()};
    entry->info.type_ancestors = entry->ancestors.data();
    entry->info.type_key_hash = Hash(entry->key);
    by_key_[entry->key] = index;
    std::atomic<Slot*>& page = pages_[index / kSlotsOfAPage];
    if (page.load(std::memory_order_relaxed) == nullptr) {
      page.store(new Slot[kSlotsOfAPage](), std::memory_order_release);
    }
    page.load(std::memory_order_relaxed)[index % kSlotsOfAPage].store(entry.release(),
                                                                      std::memory_order_release);
  }

  Entry* Find(int32_t index) {
    if (index < 0 || index >= kIndices) return nullptr;
    Slot* page = pages_[index / kSlotsOfAPage].load(std::memory_order_acquire);
    return page == nullptr ? nullptr : page[index % kSlotsOfAPage].load(std::memory_order_acquire);
  }

  // A type declared again by another library must be the same.
  void CheckSame(const Entry& entry, int32_t index, int32_t depth, int32_t parent_index) {
    const int32_t known_depth = entry.info.type_depth;
    const int32_t known_parent =
        known_depth == 0 ? -1 : entry.info.type_ancestors[known_depth - 1]->type_index;
    TVM_FFI_CHECK(depth == known_depth && parent_index == known_parent, ValueError)
        << "TVMFFITypeGetOrAllocIndex: " << entry.key
        << ": expected the declaration that is registered, with parent "
        << (known_depth == 0 ? std::string("none") : Find(known_parent)->key) << " at depth "
        << known_depth << ", got parent index " << parent_index << " at depth " << depth;
    TVM_FFI_CHECK(index < 0 || index == entry.info.type_index, ValueError)
        << "TVMFFITypeGetOrAllocIndex: " << entry.key << ": static_type_index: expected "
        << entry.info.type_index << ", as registered, got " << index;
  }

  Entry* Require(const char* function, int32_t index) {
    Entry* entry = Find(index);
    TVM_FFI_CHECK(entry != nullptr, TypeError)
        << function << ": type_index: expected a registered type, got " << index;
    return entry;
  }

  TVMFFIByteArray Keep(const char* where, const TVMFFIByteArray& bytes) {
    const std::string_view text = ffi::GivenText(where, &bytes);
    if (text.empty()) return {"", 0};
    const std::string& kept = texts_.emplace_back(text);
    return {kept.data(), kept.size()};
  }

  TVMFFIAny Keep(const TVMFFIAny& lent) {
    TVMFFIAny owned{};
    TVM_FFI_CHECK_SAFE_CALL(TVMFFIAnyViewToOwnedAny(&lent, &owned));
    return owned;
  }

  static std::mutex& Lock() { return ffi::LockOf(ffi::Guarded::kTypes); }

  int32_t next_index_ = kTVMFFIDynObjectBegin;
  std::atomic<Slot*> pages_[kPages] = {};
  std::unordered_map<std::string, int32_t> by_key_;
  std::unordered_map<std::string, std::unique_ptr<Column>> columns_;
  std::deque<std::string> texts_;
};

[[maybe_unused]] const TypeTable& made = TypeTable::Get();  // see locks.h

const bool registered = [] {
  constexpr const char* kName = "ffi.GetRegisteredTypeKeys";
  ffi::Function::SetGlobal(kName,
                           ffi::Function::FromTyped([] { return TypeTable::Get().Keys(); }, kName));
  return true;
}();

}  // namespace

extern "C" {

int TVMFFITypeKeyToIndex(const TVMFFIByteArray* type_key, int32_t* out_tindex) {
  TVM_FFI_SAFE_CALL_BEGIN();
  int32_t& result = ffi::Given("TVMFFITypeKeyToIndex: out_tindex", out_tindex);
  result = TypeTable::Get().IndexOf(ffi::GivenText("TVMFFITypeKeyToIndex: type_key", type_key));
  TVM_FFI_SAFE_CALL_END();
}

int32_t TVMFFITypeGetOrAllocIndex(const TVMFFIByteArray* type_key, int32_t static_type_index,
                                  int32_t type_depth, int32_t num_child_slots,
                                  int32_t child_slots_can_overflow, int32_t parent_type_index) {
  try {
    return TypeTable::Get().GetOrAlloc(
        ffi::GivenText("TVMFFITypeGetOrAllocIndex: type_key", type_key), static_type_index,
        type_depth, num_child_slots, child_slots_can_overflow != 0, parent_type_index);
  } catch (...) {
    return ffi::detail::RaiseCurrentException();
  }
}

const TVMFFITypeInfo* TVMFFIGetTypeInfo(int32_t type_index) {
  try {
    return TypeTable::Get().Info(type_index);
  } catch (...) {
    ffi::detail::RaiseCurrentException();
    return nullptr;
  }
}

int TVMFFITypeRegisterField(int32_t type_index, const TVMFFIFieldInfo* info) {
  TVM_FFI_SAFE_CALL_BEGIN();
  TypeTable::Get().AddField(type_index, ffi::Given("TVMFFITypeRegisterField: info", info));
  TVM_FFI_SAFE_CALL_END();
}

int TVMFFITypeRegisterMethod(int32_t type_index, const TVMFFIMethodInfo* info) {
  TVM_FFI_SAFE_CALL_BEGIN();
  TypeTable::Get().AddMethod(type_index, ffi::Given("TVMFFITypeRegisterMethod: info", info));
  TVM_FFI_SAFE_CALL_END();
}

int TVMFFITypeRegisterMetadata(int32_t type_index, const TVMFFITypeMetadata* metadata) {
  TVM_FFI_SAFE_CALL_BEGIN();
  TypeTable::Get().SetMetadata(type_index,
                               ffi::Given("TVMFFITypeRegisterMetadata: metadata", metadata));
  TVM_FFI_SAFE_CALL_END();
}

int TVMFFITypeRegisterAttr(int32_t type_index, const TVMFFIByteArray* attr_name,
                           const TVMFFIAny* attr_value) {
  TVM_FFI_SAFE_CALL_BEGIN();
  TypeTable::Get().SetAttribute(type_index,
                                ffi::GivenText("TVMFFITypeRegisterAttr: attr_name", attr_name),
                                ffi::Given("TVMFFITypeRegisterAttr: attr_value", attr_value));
  TVM_FFI_SAFE_CALL_END();
}

const TVMFFITypeAttrColumn* TVMFFIGetTypeAttrColumn(const TVMFFIByteArray* attr_name) {
  try {
    return TypeTable::Get().GetColumn(
        ffi::GivenText("TVMFFIGetTypeAttrColumn: attr_name", attr_name));
  } catch (...) {
    ffi::detail::RaiseCurrentException();
    return nullptr;
  }
}
}
