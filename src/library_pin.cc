// SPDX-License-Identifier: Apache-2.0
// Counts the pins of each library, which share one loader handle.
#include "library_pin.h"

#include <dlfcn.h>
#include <link.h>
#include <unwind.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "deep_deletion.h"
#include "loaded_library.h"
#include "locks.h"

namespace {

struct Library {
  uintptr_t end;
  void* handle;  // NULL for the program itself
  bool unloads;
  size_t pins;  // counted only if it unloads
};

// The loader is never called with this lock held: it has its own lock, under which it calls the
// destructors of libraries.
std::mutex& Lock() { return tvm::ffi::LockOf(tvm::ffi::Guarded::kLibraries); }

// Libraries kept loaded by a handle, keyed by start address. Leaked, because objects are freed
// until the process exits.
using Libraries = std::map<uintptr_t, Library>;
Libraries& Known() {
  static auto* libraries = new Libraries();
  return *libraries;
}
[[maybe_unused]] const Libraries& made = Known();  // see locks.h

// How many libraries were unloaded, counted with the lock held.
unsigned long long unloads = 0;

Libraries::iterator FindKnown(uintptr_t address) {
  auto after = Known().upper_bound(address);
  if (after == Known().begin()) return Known().end();
  auto before = std::prev(after);
  return address < before->second.end ? before : Known().end();
}

// Returns the library's start address if the pin must be dropped later, or 0.
uintptr_t AddPin(Libraries::iterator library) {
  if (!library->second.unloads) return 0;
  ++library->second.pins;
  return library->first;
}

// The address range of the loaded library that contains an address, and its name for the loader.
struct Place {
  uintptr_t begin = 0;
  uintptr_t end = 0;
  std::string name;

  explicit Place(const void* address) {
    const auto library = tvm::ffi::FindLoadedLibrary(address);
    if (!library.has_value()) return;
    begin = UINTPTR_MAX;
    for (const auto& segment : library->segments) {
      begin = std::min(begin, segment.begin);
      end = std::max(end, segment.end);
    }
    name = library->name;
  }
};

// Whether the calling thread is about to return into the library.
bool RunsNow(uintptr_t begin, uintptr_t end) {
  struct Search {
    uintptr_t begin, end;
    bool found;
  } search{begin, end, false};
  _Unwind_Backtrace(
      [](_Unwind_Context* frame, void* state) {
        auto* wanted = static_cast<Search*>(state);
        const auto address = static_cast<uintptr_t>(_Unwind_GetIP(frame));
        wanted->found = address >= wanted->begin && address < wanted->end;
        return wanted->found ? _URC_END_OF_STACK : _URC_NO_REASON;
      },
      &search);
  return search.found;
}

// Unloads unpinned libraries, except those whose own code is running: they free local objects, and
// static ones at process exit. They are retried when another pin is dropped.
// Allocates nothing: destructors call it.
void CloseUnpinned() {
  const auto is_unpinned = [](const auto& known) {
    return known.second.unloads && known.second.pins == 0;
  };
  uintptr_t begin = 0;
  for (;;) {
    std::unique_lock<std::mutex> lock(Lock());
    auto found = std::find_if(Known().upper_bound(begin), Known().end(), is_unpinned);
    if (found == Known().end()) return;
    begin = found->first;
    const uintptr_t end = found->second.end;
    lock.unlock();
    if (RunsNow(begin, end)) continue;
    lock.lock();
    found = Known().find(begin);
    if (found == Known().end() || !is_unpinned(*found)) continue;
    void* handle = found->second.handle;
    Known().erase(found);
    ++unloads;
    lock.unlock();
    dlclose(handle);
  }
}

// Drops a pin of the library that starts at `begin`.
void DropPin(uintptr_t begin) {
  {
    std::lock_guard<std::mutex> lock(Lock());
    if (--Known().at(begin).pins != 0) return;
  }
  CloseUnpinned();
}

}  // namespace

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

LibraryPin::LibraryPin(const void* code) {
  const auto address = reinterpret_cast<uintptr_t>(code);
  {
    std::lock_guard<std::mutex> lock(Lock());
    auto known = FindKnown(address);
    if (known != Known().end()) {
      begin_ = AddPin(known);
      return;
    }
  }
  const Place place(code);
  if (place.end == 0) return;  // no library: code generated at run time
  void* handle = nullptr;
  if (!place.name.empty()) {
    handle = dlopen(place.name.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (handle == nullptr) return;
  }
  std::unique_lock<std::mutex> lock(Lock());
  auto [library, added] = Known().try_emplace(place.begin, Library{place.end, handle, false, 0});
  begin_ = AddPin(library);
  lock.unlock();
  if (!added && handle != nullptr) dlclose(handle);  // Another thread was first.
}

LibraryPin LibraryPin::Share() const {
  LibraryPin pin;
  if (begin_ == 0) return pin;
  std::lock_guard<std::mutex> lock(Lock());
  pin.begin_ = AddPin(Known().find(begin_));
  return pin;
}

LibraryPin LibraryPin::OfModule(void* handle) {
  // Closed after unlocking, unless it is the library's first handle.
  std::unique_ptr<void, int (*)(void*)> surplus(handle, dlclose);
  link_map* map = nullptr;
  dlinfo(handle, RTLD_DI_LINKMAP, &map);
  const Place place(map->l_ld);
  LibraryPin pin;
  std::lock_guard<std::mutex> lock(Lock());
  auto [library, added] = Known().try_emplace(place.begin, Library{place.end, handle, true, 0});
  pin.begin_ = AddPin(library);
  if (added) surplus.release();
  return pin;
}

void LibraryPin::KeepAllInChild() {
  for (auto& [begin, library] : Known()) library.unloads = false;
}

bool LibraryPin::StaysLoaded(const void* code) {
  if (!IsForkedChild()) return false;
  std::lock_guard<std::mutex> lock(Lock());
  const auto known = FindKnown(reinterpret_cast<uintptr_t>(code));
  return known != Known().end() && !known->second.unloads;
}

std::optional<unsigned long long> LibraryPin::UnloadsIfKnown(const void* code) {
  std::lock_guard<std::mutex> lock(Lock());
  if (FindKnown(reinterpret_cast<uintptr_t>(code)) == Known().end()) return std::nullopt;
  return unloads;
}

LibraryPin::~LibraryPin() {
  // Objects queued for deletion may need the library's code.
  if (begin_ != 0 && !RunsAfterDeletion(DropPin, begin_)) DropPin(begin_);
}

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm
