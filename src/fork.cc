// SPDX-License-Identifier: Apache-2.0
// Handles forks: the child starts with free locks and without the turns of other threads.
#include <pthread.h>

#include "locks.h"
#include "turn.h"

namespace {

void InChild() {
  tvm::ffi::Turn::ForgetOtherThreads();
  tvm::ffi::UnlockAllInChild();
}

[[maybe_unused]] const int registered =
    pthread_atfork(tvm::ffi::LockAll, tvm::ffi::UnlockAll, InChild);

}  // namespace
