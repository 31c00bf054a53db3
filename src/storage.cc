// SPDX-License-Identifier: Apache-2.0
// The store of values by key.
#include <tvm/ffi/extra/storage.h>

#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>

#include "library_pin.h"

namespace ffi = tvm::ffi;

namespace {

// A stored value, which keeps the library that frees it loaded.
class Value {
 public:
  Value() = default;
  explicit Value(ffi::Any value) : value_(std::move(value)) {
    if (value_.type_index() < kTVMFFIStaticObjectBegin) return;
    const TVMFFIObject* object = value_.CopyToTVMFFIAny().v_obj;
    library_ = ffi::LibraryPin(reinterpret_cast<const void*>(object->deleter));
  }
  bool empty() const { return value_ == nullptr; }
  const ffi::Any& get() const { return value_; }

 private:
  ffi::LibraryPin library_;  // dropped after the value
  ffi::Any value_;
};

Value Checked(const char* where, ffi::Any value) {
  TVM_FFI_CHECK(value != nullptr, ValueError) << where << ": expected a value, got None";
  return Value(std::move(value));
}

class Store {
 public:
  // Leaked on purpose: when the process ends, the code that frees a value may be gone.
  static Store& Get() {
    static auto* store = new Store();
    return *store;
  }

  ffi::Any Find(const std::string& key) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto found = entries_.find(key);
    return found == entries_.end() ? ffi::Any() : found->second->value.get();
  }

  void Set(const std::string& key, ffi::Any value) {
    // The value that is replaced goes after the lock: freeing it may run anybody's code.
    Value stored = Checked("ffi.StorageSet: value", std::move(value));
    std::lock_guard<std::mutex> lock(mutex_);
    std::swap(EntryOf(key)->value, stored);
  }

  bool Erase(const std::string& key) {
    Value erased;  // freed after the lock, as in Set
    std::lock_guard<std::mutex> lock(mutex_);
    auto found = entries_.find(key);
    if (found == entries_.end()) return false;
    std::swap(found->second->value, erased);
    if (found->second.use_count() == 1) entries_.erase(found);
    return !erased.empty();
  }

  ffi::Any GetOrCreate(const std::string& key, const ffi::Function& factory) {
    Creation creation(this, key);
    std::lock_guard<std::mutex> one_creates(creation.entry->creating);
    {
      std::lock_guard<std::mutex> lock(mutex_);
      waiting_.erase(std::this_thread::get_id());
      if (!creation.entry->value.empty()) return creation.entry->value.get();
      creation.entry->creator = std::this_thread::get_id();
    }
    Value made = Checked("ffi.StorageGetOrCreate: factory", factory());
    std::lock_guard<std::mutex> lock(mutex_);
    // A value that was set in the meantime stays.
    Value& value = creation.entry->value;
    if (value.empty()) std::swap(value, made);
    return value.get();
  }

 private:
  struct Entry {
    Value value;              // guarded by the store's lock
    std::thread::id creator;  // guarded by the store's lock
    std::mutex creating;
  };

  // An entry while a thread waits for it or creates its value.
  struct Creation {
    Store* store;
    std::shared_ptr<Entry> entry;

    Creation(Store* in, const std::string& key) : store(in) {
      std::lock_guard<std::mutex> lock(store->mutex_);
      entry = store->EntryOf(key);
      TVM_FFI_CHECK(entry->creator != std::this_thread::get_id(), RuntimeError)
          << "ffi.StorageGetOrCreate: factory: expected one that does not ask for the key that it "
             "makes a value for, got a call for \""
          << key << "\"";
      TVM_FFI_CHECK(!store->WaitsForThisThread(entry.get()), RuntimeError)
          << "ffi.StorageGetOrCreate: factory: expected one that does not ask for a key whose "
             "factory waits for it, got a call for \""
          << key << "\"";
      store->waiting_[std::this_thread::get_id()] = entry.get();
    }
    ~Creation() {
      std::lock_guard<std::mutex> lock(store->mutex_);
      // Another thread may have begun.
      if (entry->creator == std::this_thread::get_id()) entry->creator = std::thread::id();
    }
  };

  std::shared_ptr<Entry>& EntryOf(const std::string& key) {
    std::shared_ptr<Entry>& entry = entries_[key];
    if (entry == nullptr) entry = std::make_shared<Entry>();
    return entry;
  }

  // Whether the thread that makes the value of an entry waits, maybe for others that wait in turn,
  // for one that the calling thread makes.
  bool WaitsForThisThread(const Entry* entry) const {
    while (entry->creator != std::thread::id()) {
      if (entry->creator == std::this_thread::get_id()) return true;
      auto wanted = waiting_.find(entry->creator);
      if (wanted == waiting_.end()) return false;
      entry = wanted->second;
    }
    return false;
  }

  std::mutex mutex_;
  std::unordered_map<std::thread::id, const Entry*> waiting_;
  std::unordered_map<std::string, std::shared_ptr<Entry>> entries_;
};

const bool registered = [] {
  auto set = [](const char* name, auto function) {
    ffi::Function::SetGlobal(name, ffi::Function::FromTyped(function, name));
  };
  set("ffi.StorageGet", [](const std::string& key) { return Store::Get().Find(key); });
  set("ffi.StorageSet",
      [](const std::string& key, ffi::Any value) { Store::Get().Set(key, std::move(value)); });
  set("ffi.StorageGetOrCreate", [](const std::string& key, const ffi::Function& factory) {
    return Store::Get().GetOrCreate(key, factory);
  });
  set("ffi.StorageErase", [](const std::string& key) { return Store::Get().Erase(key); });
  return true;
}();

}  // namespace
