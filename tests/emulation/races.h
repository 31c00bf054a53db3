// SPDX-License-Identifier: Apache-2.0
// Finds races: two unordered accesses to the same memory by two threads of a kernel, at least one
// of which modifies it and not both of which are atomic. They need not collide.
// Also finds accesses just outside a tensor, if a test has registered its memory.
#ifndef TESTS_EMULATION_RACES_H_
#define TESTS_EMULATION_RACES_H_

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "clocks.h"

namespace emulation::races {

enum class Kind { kRead, kWrite, kAtomic };

/*! \brief The running thread of a kernel; `clocks` is null while host code runs. */
struct Running {
  Clocks* clocks;
  uint32_t thread;
  uintptr_t stack;  // private to the thread
  size_t stack_bytes;
  bool discards;  // values read before its next write
};

// A host thread runs one kernel. This kind of variable is read without a call.
extern __thread Running running __attribute__((tls_model("initial-exec")));

/*! \brief Whether kernels were compiled to report their accesses. */
extern bool reporting;

/*! \brief Starts a kernel, which is ordered after everything before it. */
void Begin(const char* kernel, dim3 grid);
/*!
 * \brief Whether a block that starts now must be watched.
 *
 * Not if a race was already found, or if the launch has accessed more memory than can be watched.
 */
bool Watching();
/*! \brief Describes the first finding; empty if there is none. */
std::string End();
/*! \brief Forgets past accesses to memory that is reused, such as a block's shared memory. */
void Forget(const void* at, size_t size);
/*! \brief Forbids access to `around` bytes before and after `size` bytes of memory. */
void Surround(const void* at, size_t size, size_t around);
/*! \brief Allows all accesses again. */
void ForgetSurroundings();
/*! \brief Checks an access by the running thread, made by the code at `from`. */
void Access(const void* at, size_t size, Kind kind, const void* from);

}  // namespace emulation::races

#endif  // TESTS_EMULATION_RACES_H_
