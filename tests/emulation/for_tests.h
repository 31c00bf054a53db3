// SPDX-License-Identifier: Apache-2.0
// State of the emulation that tests read and modify; for_tests.cc exports the functions.
#ifndef TESTS_EMULATION_FOR_TESTS_H_
#define TESTS_EMULATION_FOR_TESTS_H_

namespace emulation::for_tests {

extern int launches;        // since refuse_launch() was called
extern int failing_launch;  // the number of the launch to reject
extern int launched_on;     // the current device at the last launch
extern int calls;           // CUDA runtime calls since fail_call() was called
extern int failing_call;    // the number of the call to fail
extern int capability;      // of the emulated GPU
// CUDA keeps it per host thread.
extern thread_local int current_device;

}  // namespace emulation::for_tests

#endif  // TESTS_EMULATION_FOR_TESTS_H_
