// SPDX-License-Identifier: Apache-2.0
// The key-value store.
#include <tvm/ffi/extra/storage.h>

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

#include "library_pin.h"
#include "locks.h"
#include "turn.h"

namespace ffi = tvm::ffi;

namespace {

// A stored value; keeps the library that frees it loaded.
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
  // Leaked on purpose: at process exit, the code that frees a value may be gone.
  static Store& Get() {
    static auto* store = new Store();
    return *store;
  }

  ffi::Any Find(const std::string& key) {
    std::lock_guard<std::mutex> lock(Lock());
    auto found = entries_.find(key);
    return found == entries_.end() ? ffi::Any() : found->second->get();
  }

  void Set(const std::string& key, ffi::Any value) {
    // The replaced value is freed after unlocking: freeing it may run user code.
    Value stored = Checked("ffi.StorageSet: value", std::move(value));
    std::lock_guard<std::mutex> lock(Lock());
    std::swap(*EntryOf(key), stored);
  }

  bool Erase(const std::string& key) {
    Value erased;  // freed after unlocking, as in Set
    std::lock_guard<std::mutex> lock(Lock());
    auto found = entries_.find(key);
    if (found == entries_.end()) return false;
    std::swap(*found->second, erased);
    if (found->second.use_count() == 1) entries_.erase(found);
    return !erased.empty();
  }

  ffi::Any GetOrCreate(const std::string& key, const ffi::Function& factory) {
    std::shared_ptr<Value> entry;
    {
      std::lock_guard<std::mutex> lock(Lock());
      entry = EntryOf(key);
      if (!entry->empty()) return entry->get();
    }
    const ffi::Turn turn(entry.get());
    TVM_FFI_CHECK(turn.outcome() != ffi::Turn::Outcome::kTakenBefore, RuntimeError)
        << "ffi.StorageGetOrCreate: factory: expected one that does not request the key that "
           "it makes a value for, got a request for \""
        << key << "\"";
    TVM_FFI_CHECK(turn.outcome() != ffi::Turn::Outcome::kCircle, RuntimeError)
        << "ffi.StorageGetOrCreate: factory: expected one that does not request a key whose "
           "factory waits for it, got a request for \""
        << key << "\"";
    {
      // The thread that had the previous turn may have created it.
      std::lock_guard<std::mutex> lock(Lock());
      if (!entry->empty()) return entry->get();
    }
    Value made = Checked("ffi.StorageGetOrCreate: factory", factory());
    std::lock_guard<std::mutex> lock(Lock());
    // A value set in the meantime is kept.
    if (entry->empty()) std::swap(*entry, made);
    return entry->get();
  }

 private:
  static std::mutex& Lock() { return ffi::LockOf(ffi::Guarded::kStore); }

  std::shared_ptr<Value>& EntryOf(const std::string& key) {
    auto found = entries_.find(key);
    if (found != entries_.end()) return found->second;
    return entries_.emplace(key, std::make_shared<Value>()).first->second;
  }

  // An entry is shared by the threads that wait for its value or create it.
  std::unordered_map<std::string, std::shared_ptr<Value>> entries_;
};

const bool registered = [] {
  Store::Get();  // see locks.h
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
