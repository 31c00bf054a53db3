// SPDX-License-Identifier: Apache-2.0
// Checks for the stack space that a callback needs.
#ifndef TVM_FFI_PYTHON_CORE_STACK_ROOM_H_
#define TVM_FFI_PYTHON_CORE_STACK_ROOM_H_

#include <cstdint>

namespace tvm_ffi_core {

// The part of the calling thread's stack in which no callback may start, for lack of space.
// Initially empty: each thread's first callback determines it.
struct ScarceStack {
  uintptr_t low;
  uintptr_t high;
  bool is_known;
};
// Other files would access a thread_local variable through a call, as it may have a constructor.
extern __thread ScarceStack scarce_stack;

void find_scarce_stack();

// Whether the stack is nearly exhausted. A stack that is not the thread's own, such as a
// coroutine's, has an unknown limit and counts as free.
inline bool is_stack_scarce() {
  const ScarceStack& scarce = scarce_stack;
  if (!scarce.is_known) find_scarce_stack();
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  return here - scarce.low < scarce.high - scarce.low;
}

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_STACK_ROOM_H_
