// SPDX-License-Identifier: Apache-2.0
// Functions called by code compiled with g++ -fsanitize=thread, which reports each memory access
// and leaves atomic operations to the runtime library: this file, instead of ThreadSanitizer's.
#include <cstring>

#include "races.h"

using emulation::races::Kind;
using emulation::races::running;

#define REPORT(at, size, kind)                                                                \
  do {                                                                                        \
    if (running.clocks != nullptr) Access(at, size, Kind::kind, __builtin_return_address(0)); \
  } while (false)

#define ACCESSES(bytes)                                                     \
  void __tsan_read##bytes(void* at) { REPORT(at, bytes, kRead); }           \
  void __tsan_write##bytes(void* at) { REPORT(at, bytes, kWrite); }         \
  void __tsan_unaligned_read##bytes(void* at) { REPORT(at, bytes, kRead); } \
  void __tsan_unaligned_write##bytes(void* at) { REPORT(at, bytes, kWrite); }

#define CHANGE(bits, T, name, builtin)                           \
  T __tsan_atomic##bits##_##name(volatile T* at, T value, int) { \
    return builtin(at, value, __ATOMIC_SEQ_CST);                 \
  }
#define COMPARE(bits, T, name)                                                       \
  int __tsan_atomic##bits##_##name(volatile T* at, T* expected, T value, int, int) { \
    return __atomic_compare_exchange_n(at, expected, value, false, __ATOMIC_SEQ_CST, \
                                       __ATOMIC_SEQ_CST);                            \
  }
// The host's atomic operations; kernels use CUDA's functions.
#define ATOMICS(bits, T)                                           \
  T __tsan_atomic##bits##_load(const volatile T* at, int) {        \
    return __atomic_load_n(at, __ATOMIC_SEQ_CST);                  \
  }                                                                \
  void __tsan_atomic##bits##_store(volatile T* at, T value, int) { \
    __atomic_store_n(at, value, __ATOMIC_SEQ_CST);                 \
  }                                                                \
  CHANGE(bits, T, exchange, __atomic_exchange_n)                   \
  CHANGE(bits, T, fetch_add, __atomic_fetch_add)                   \
  CHANGE(bits, T, fetch_sub, __atomic_fetch_sub)                   \
  CHANGE(bits, T, fetch_and, __atomic_fetch_and)                   \
  CHANGE(bits, T, fetch_or, __atomic_fetch_or)                     \
  CHANGE(bits, T, fetch_xor, __atomic_fetch_xor)                   \
  COMPARE(bits, T, compare_exchange_strong)                        \
  COMPARE(bits, T, compare_exchange_weak)

extern "C" {
void __tsan_init() { emulation::races::reporting = true; }
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)
void __tsan_read_range(void* at, size_t size) { REPORT(at, size, kRead); }
void __tsan_write_range(void* at, size_t size) { REPORT(at, size, kWrite); }
void __tsan_vptr_read(void*) {}
void __tsan_vptr_update(void*, void*) {}
ATOMICS(8, uint8_t)
ATOMICS(16, uint16_t)
ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)
void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
void __tsan_atomic_signal_fence(int) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }

// That code calls these instead of the C library's functions, which do not report accesses.
void* reported_memcpy(void* to, const void* from, size_t size) {
  REPORT(from, size, kRead);
  REPORT(to, size, kWrite);
  return std::memcpy(to, from, size);
}
void* reported_memmove(void* to, const void* from, size_t size) {
  REPORT(from, size, kRead);
  REPORT(to, size, kWrite);
  return std::memmove(to, from, size);
}
void* reported_memset(void* at, int byte, size_t size) {
  REPORT(at, size, kWrite);
  return std::memset(at, byte, size);
}
}
