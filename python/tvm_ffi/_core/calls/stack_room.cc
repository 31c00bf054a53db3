// SPDX-License-Identifier: Apache-2.0
// Checks for the stack space that a callback needs.
#include "calls/stack_room.h"

#include <pthread.h>

#include <algorithm>
#include <cerrno>

namespace tvm_ffi_core {

namespace {

// Reserved for a callback, the functions that it calls and the error that terminates them.
constexpr uintptr_t kRoom = uintptr_t{128} << 10;

}  // namespace

__thread ScarceStack scarce_stack;

void find_scarce_stack() {
  const int errno_before = errno;  // the caller of a callback does not expect it to change
  scarce_stack.is_known = true;
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
    void* low = nullptr;
    size_t size = 0;
    if (pthread_attr_getstack(&attributes, &low, &size) == 0) {
      scarce_stack.low = reinterpret_cast<uintptr_t>(low);
      scarce_stack.high = scarce_stack.low + std::min<uintptr_t>(size / 2, kRoom);
    }
    pthread_attr_destroy(&attributes);
  }
  errno = errno_before;
}

}  // namespace tvm_ffi_core
