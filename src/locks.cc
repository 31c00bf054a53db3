// SPDX-License-Identifier: Apache-2.0
// The locks of this library, which are free in a forked child.
#include "locks.h"

#include <iterator>
#include <mutex>

namespace {

// Usable before any constructor has run and until the process exits.
std::mutex locks[static_cast<size_t>(tvm::ffi::Guarded::kEnd)];

// Set while the child has one thread only.
bool is_forked_child = false;

}  // namespace

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

std::mutex& LockOf(Guarded what) { return locks[static_cast<size_t>(what)]; }

void LockAll() {
  for (std::mutex& lock : locks) lock.lock();
}

void UnlockAll() {
  for (auto lock = std::rbegin(locks); lock != std::rend(locks); ++lock) lock->unlock();
}

void UnlockAllInChild() {
  is_forked_child = true;
  UnlockAll();
}

bool IsForkedChild() { return is_forked_child; }

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm
