// SPDX-License-Identifier: Apache-2.0
// Tells callgrind what to count: instructions.py runs a worker under it, which calls these.
#include <valgrind/callgrind.h>

// The import of PyTorch would take minutes if its instructions were counted.
extern "C" void start() { CALLGRIND_START_INSTRUMENTATION; }

extern "C" void begin() { CALLGRIND_ZERO_STATS; }

// Writes the counts since begin() to a file, which takes the next number.
extern "C" void end() { CALLGRIND_DUMP_STATS; }
