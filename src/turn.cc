// SPDX-License-Identifier: Apache-2.0
// Makes threads that create the same thing take turns.
#include "turn.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

#include "locks.h"

namespace {

struct Entry {
  const void* thing;
  std::thread::id thread;
};

class Table {
 public:
  // Leaked on purpose: things are created and destroyed until the process exits.
  static Table& Get() {
    static auto* table = new Table();
    return *table;
  }

  using Outcome = tvm::ffi::Turn::Outcome;

  Outcome Take(const void* thing) {
    const std::thread::id self = std::this_thread::get_id();
    std::unique_lock<std::mutex> lock(Lock());
    for (const Entry* owner = OwnerOf(thing); owner != nullptr; owner = OwnerOf(thing)) {
      if (owner->thread == self) return Outcome::kTakenBefore;
      if (WaitsFor(self, owner)) return Outcome::kCircle;
      waiting_.push_back({thing, self});
      ended_.wait(lock);
      waiting_.erase(OfThread(self));
    }
    turns_.push_back({thing, self});
    return Outcome::kTaken;
  }

  void End(const void* thing) {
    std::lock_guard<std::mutex> lock(Lock());
    turns_.erase(std::find_if(turns_.begin(), turns_.end(),
                              [=](const Entry& entry) { return entry.thing == thing; }));
    ended_.notify_all();
  }

  void ForgetOtherThreads() {
    const std::thread::id self = std::this_thread::get_id();
    turns_.erase(std::remove_if(turns_.begin(), turns_.end(),
                                [=](const Entry& entry) { return entry.thread != self; }),
                 turns_.end());
    waiting_.clear();
    // The old one still counts its waiting threads, so it cannot be destroyed.
    new (&ended_) std::condition_variable();
  }

 private:
  static std::mutex& Lock() { return tvm::ffi::LockOf(tvm::ffi::Guarded::kTurns); }

  const Entry* OwnerOf(const void* thing) const {
    for (const Entry& entry : turns_) {
      if (entry.thing == thing) return &entry;
    }
    return nullptr;
  }

  std::vector<Entry>::iterator OfThread(std::thread::id thread) {
    return std::find_if(waiting_.begin(), waiting_.end(),
                        [=](const Entry& entry) { return entry.thread == thread; });
  }

  // Whether the thread of `owner` waits, possibly through others, for the thread `self`.
  bool WaitsFor(std::thread::id self, const Entry* owner) {
    while (owner != nullptr && owner->thread != self) {
      auto wanted = OfThread(owner->thread);
      owner = wanted == waiting_.end() ? nullptr : OwnerOf(wanted->thing);
    }
    return owner != nullptr;
  }

  std::condition_variable ended_;
  std::vector<Entry> turns_;
  std::vector<Entry> waiting_;
};

[[maybe_unused]] const Table& made = Table::Get();  // see locks.h

}  // namespace

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

Turn::Turn(const void* thing) : thing_(thing), outcome_(Table::Get().Take(thing)) {}

Turn::~Turn() {
  if (outcome_ == Outcome::kTaken) Table::Get().End(thing_);
}

void Turn::ForgetOtherThreads() { Table::Get().ForgetOtherThreads(); }

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm
