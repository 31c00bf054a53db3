// SPDX-License-Identifier: Apache-2.0
// Finds races: two accesses of a kernel to the same memory, at least one of which changes it and
// not both of which are atomic, by two threads that nothing orders. They need not collide.
// Also finds accesses just outside of a tensor, if a test has said where it is.
#ifndef TESTS_EMULATION_RACES_H_
#define TESTS_EMULATION_RACES_H_

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "clocks.h"

namespace emulation::races {

enum class Kind { kRead, kWrite, kAtomic };

/*! \brief The thread of a kernel that runs now; `clocks` is null while the host does. */
struct Running {
  Clocks* clocks;
  uint32_t thread;
  uintptr_t stack;  // what it has there is its own
  size_t stack_bytes;
  bool discards;  // what it reads before its next write
};

// A thread of the host runs one kernel. This kind of variable is read without a call.
extern __thread Running running __attribute__((tls_model("initial-exec")));

/*! \brief Whether kernels were compiled so that they report their accesses. */
extern bool reporting;

/*! \brief Begins a kernel, which is ordered after everything before it. */
void Begin(const char* kernel, dim3 grid);
/*!
 * \brief Whether a block that begins now has to be watched.
 *
 * It need not if a race was found, or if the launch has accessed more memory than can be watched.
 */
bool Watching();
/*! \brief What was found first, in words; empty if nothing was. */
std::string End();
/*! \brief Memory that begins anew, such as what a block shares. */
void Forget(const void* at, size_t size);
/*! \brief Makes it an error to access some bytes before and after `size` bytes of memory. */
void Surround(const void* at, size_t size, size_t around);
/*! \brief Allows all accesses again. */
void ForgetSurroundings();
/*! \brief Checks an access of the running thread, which the code at `from` makes. */
void Access(const void* at, size_t size, Kind kind, const void* from);

}  // namespace emulation::races

#endif  // TESTS_EMULATION_RACES_H_
