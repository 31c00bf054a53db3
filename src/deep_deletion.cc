// SPDX-License-Identifier: Apache-2.0
// Deletes long chains of objects iteratively where the stack runs out.
//
// Deleting an object deletes everything it solely owns, by nested calls. Calls stay nested while
// there is stack space, as destructors rely on it: what they release is gone when they continue.
// When space runs short, one deletion queues those nested far below it, which return at once, and
// runs them itself, last in first out, once the stack has unwound. A queued object has no
// references left, not even weak ones, so its counts can hold the link to the next object.
#include "deep_deletion.h"

#include <pthread.h>
#include <tvm/ffi/base_detail.h>
#include <tvm/ffi/deep_deletion.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

namespace ffi = tvm::ffi;

namespace {

constexpr uint64_t kNoStrongOneWeak = uint64_t{1} << 32;  // the counts while a deleter runs
// How much of a large stack nested deletions may use.
constexpr uintptr_t kMostNested = uintptr_t{4} << 20;
// The minimum room for a deletion; this library's frames need far less.
constexpr uintptr_t kLeastRoom = uintptr_t{4} << 10;
// The room on a stack other than the thread's own, such as a coroutine's, whose end is unknown.
constexpr uintptr_t kRoomElsewhere = uintptr_t{16} << 10;

// A callback deferred until no object is queued.
struct Then {
  void (*run)(uintptr_t);
  uintptr_t value;
};

struct ThreadState {
  // A deletion below this address takes the slow path. Not zero initially: the first deletion of
  // each thread finds the end of its stack.
  uintptr_t limit;
  uintptr_t low;            // the end of the thread's stack; 0 while unknown
  uintptr_t high;           // its start
  TVMFFIObject* waiting;    // the last object queued
  std::vector<Then>* then;  // not NULL while a deletion of this thread queues others
};

// Uses the default TLS model, although a static one would avoid a call: static TLS space is small,
// and a library loaded late may find none left.
thread_local ThreadState state{UINTPTR_MAX, 0, 0, nullptr, nullptr};

// An address in or near the caller's frame.
inline uintptr_t Here() {
#if defined(__SANITIZE_ADDRESS__) || defined(__clang__)
  // AddressSanitizer may keep variables elsewhere; clang has another macro for it.
  return reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
#else
  const char here = 0;
  return reinterpret_cast<uintptr_t>(&here);
#endif
}

void FindStack(uintptr_t here) {
  const int errno_before = errno;  // code that releases an object does not expect it to change
  // On failure, assume the stack of a small thread.
  state.low = here - std::min(here, kRoomElsewhere);
  state.high = here;
  // <pthread.h> includes a system header that defines the type.
  pthread_attr_t attributes;  // NOLINT(misc-include-cleaner)
  if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
    void* low = nullptr;
    size_t size = 0;
    if (pthread_attr_getstack(&attributes, &low, &size) == 0 && size > 0) {
      state.low = reinterpret_cast<uintptr_t>(low);
      state.high = state.low + size;
    }
    pthread_attr_destroy(&attributes);
  }
  errno = errno_before;
  state.limit = state.high - std::min((state.high - state.low) / 2, kMostNested);
}

void Delete(TVMFFIObject* object) { object->deleter(object, kTVMFFIObjectDeleterFlagBitMaskBoth); }

// Deletes the object, then one by one those that this leaves queued.
void DeleteInTurn(TVMFFIObject* object, uintptr_t here) {
  const uintptr_t limit_before = state.limit;
  const bool is_own_stack = state.low < here && here <= state.high;
  const uintptr_t room =
      is_own_stack ? std::min((here - state.low) / 2, kMostNested) : kRoomElsewhere;
  // Not in this frame: a destructor may switch to another stack with the same addresses.
  const std::unique_ptr<std::vector<Then>> then(new (std::nothrow) std::vector<Then>);
  if (then == nullptr) return Delete(object);
  state.limit = here - std::min(here, std::max(room, kLeastRoom));
  state.then = then.get();
  Delete(object);
  while (TVMFFIObject* next = state.waiting) {
    state.waiting = reinterpret_cast<TVMFFIObject*>(next->combined_ref_count);
    next->combined_ref_count = kNoStrongOneWeak;
    Delete(next);
  }
  state.then = nullptr;
  state.limit = limit_before;
  for (const Then& each : *then) each.run(each.value);
}

// Kept out of the fast path.
TVM_FFI_NOINLINE int DeleteWhereStackIsScarce(TVMFFIObject* object, int flags, uintptr_t here) {
  // An object with weak references cannot be queued: they use its counts.
  if (flags != kTVMFFIObjectDeleterFlagBitMaskBoth) return 0;
  if (state.low == 0) {
    FindStack(here);
    if (here >= state.limit) return 0;
  }
  if (state.then == nullptr) {
    DeleteInTurn(object, here);
  } else {
    object->combined_ref_count = reinterpret_cast<uintptr_t>(state.waiting);
    state.waiting = object;
  }
  return 1;
}

}  // namespace

bool ffi::RunsAfterDeletion(void (*then)(uintptr_t), uintptr_t value) {
  if (state.then == nullptr) return false;
  try {
    state.then->push_back({then, value});
  } catch (const std::bad_alloc&) {
    // It never runs, which is safer than running too early.
  }
  return true;
}

extern "C" int TVMFFIObjectDeleteLater(TVMFFIObjectHandle object, int flags) {
  const uintptr_t here = Here();
  if (TVM_FFI_PREDICT_TRUE(here >= state.limit)) return 0;
  return DeleteWhereStackIsScarce(static_cast<TVMFFIObject*>(object), flags, here);
}
