// SPDX-License-Identifier: Apache-2.0
// What happens when the process forks: the child gets free locks, and no turns of other threads.
#include <pthread.h>

#include "locks.h"
#include "turn.h"

namespace {

void UnlockAllInChild() {
  tvm::ffi::Turn::ForgetOtherThreads();
  tvm::ffi::UnlockAll();
}

[[maybe_unused]] const int registered =
    pthread_atfork(tvm::ffi::LockAll, tvm::ffi::UnlockAll, UnlockAllInChild);

}  // namespace
