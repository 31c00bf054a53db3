// SPDX-License-Identifier: Apache-2.0
// The locks of this library, which are free in the child of a fork.
#include "fork.h"

#include <pthread.h>

#include <iterator>
#include <mutex>

#include "turn.h"

namespace {

// Usable before any constructor has run and until the process ends.
std::mutex locks[static_cast<size_t>(tvm::ffi::Guarded::kEnd)];

void LockAll() {
  for (std::mutex& lock : locks) lock.lock();
}

void UnlockAll() {
  for (auto lock = std::rbegin(locks); lock != std::rend(locks); ++lock) lock->unlock();
}

void UnlockAllInChild() {
  tvm::ffi::Turn::ForgetOtherThreads();
  UnlockAll();
}

[[maybe_unused]] const int registered = pthread_atfork(LockAll, UnlockAll, UnlockAllInChild);

}  // namespace

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

std::mutex& LockOf(Guarded what) { return locks[static_cast<size_t>(what)]; }

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm
