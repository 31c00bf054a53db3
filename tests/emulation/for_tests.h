// SPDX-License-Identifier: Apache-2.0
// What tests count and change in the emulation; for_tests.cc exports the functions.
#ifndef TESTS_EMULATION_FOR_TESTS_H_
#define TESTS_EMULATION_FOR_TESTS_H_

namespace emulation::for_tests {

extern int launches;        // since refuse_launch() was called
extern int failing_launch;  // the one of them that is refused
extern int launched_on;     // the current device at the last of them
extern int calls;           // of CUDA's runtime, since fail_call() was called
extern int failing_call;    // the one of them that fails
extern int capability;      // of the GPU that is emulated
// CUDA keeps it for each thread of the host.
extern thread_local int current_device;

}  // namespace emulation::for_tests

#endif  // TESTS_EMULATION_FOR_TESTS_H_
