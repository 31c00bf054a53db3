// SPDX-License-Identifier: Apache-2.0
// Controls what callgrind counts: instructions.py runs a worker under it, which calls these.
#include <valgrind/callgrind.h>

#include <cstddef>
#include <cstdlib>

namespace {

// Leaves memory of each size in malloc's cache. Otherwise, whenever the heap happened to have none
// of a row's size, the row would get a larger piece each time and take hundreds of instructions
// more.
void fill_cache() {
  constexpr std::size_t kLargest = 512, kStep = 16, kEach = 16;
  void* volatile pieces[kEach];
  for (std::size_t size = kStep; size <= kLargest; size += kStep) {
    for (auto& piece : pieces) piece = std::malloc(size);
    for (auto& piece : pieces) std::free(piece);
  }
}

}  // namespace

// Importing PyTorch would take minutes if its instructions were counted.
extern "C" void start() { CALLGRIND_START_INSTRUMENTATION; }

extern "C" void begin() {
  fill_cache();
  CALLGRIND_ZERO_STATS;
}

// Writes the counts since begin() to a file with the next number.
extern "C" void end() { CALLGRIND_DUMP_STATS; }
