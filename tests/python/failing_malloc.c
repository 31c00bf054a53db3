// SPDX-License-Identifier: Apache-2.0
// Preloaded into Python: makes allocations in the calling thread fail.
#include <errno.h>
#include <stddef.h>

void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* memory, size_t size);
void* __libc_memalign(size_t alignment, size_t size);

static __thread long left = -1;  // how many more allocations succeed; -1 for all
static __thread int fails_once;
static __thread long made;

static int allowed(void) {
  ++made;
  if (left < 0) return 1;
  if (left > 0) {
    --left;
    return 1;
  }
  if (fails_once) left = -1;
  return 0;
}

void* malloc(size_t size) { return allowed() ? __libc_malloc(size) : NULL; }
void* calloc(size_t count, size_t size) { return allowed() ? __libc_calloc(count, size) : NULL; }
void* realloc(void* memory, size_t size) { return allowed() ? __libc_realloc(memory, size) : NULL; }
void* aligned_alloc(size_t alignment, size_t size) {
  return allowed() ? __libc_memalign(alignment, size) : NULL;
}
int posix_memalign(void** memory, size_t alignment, size_t size) {
  *memory = aligned_alloc(alignment, size);
  return *memory == NULL ? ENOMEM : 0;
}

// Lets `count` more allocations succeed, then fails one, or all that follow.
void fail_after(long count, int once) {
  left = count;
  fails_once = once;
}
void fail_never(void) { left = -1; }
long allocations(void) { return made; }
