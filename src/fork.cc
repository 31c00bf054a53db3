// SPDX-License-Identifier: Apache-2.0
// Handles forks: the child starts with free locks and without the turns of other threads, and keeps
// the libraries of its parent.
#include <pthread.h>

#include "library_pin.h"
#include "locks.h"
#include "turn.h"

namespace {

void InChild() {
  tvm::ffi::Turn::ForgetOtherThreads();
  tvm::ffi::LibraryPin::KeepAllInChild();
  tvm::ffi::UnlockAllInChild();
}

[[maybe_unused]] const int registered =
    pthread_atfork(tvm::ffi::LockAll, tvm::ffi::UnlockAll, InChild);

}  // namespace
