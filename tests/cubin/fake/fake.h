// SPDX-License-Identifier: Apache-2.0
// Shared by the two libraries of the fake CUDA: two GPUs that launch nothing and record all calls.
#ifndef TESTS_CUBIN_FAKE_FAKE_H_
#define TESTS_CUBIN_FAKE_FAKE_H_

#include <cuda.h>

namespace fake {

constexpr int kDevices = 2;
// The devices have different limits, so that a query of the wrong one shows.
constexpr int kOptInSharedMemory[kDevices] = {232448, 101376};
constexpr int kComputeCapability[kDevices][2] = {{9, 0}, {8, 6}};
constexpr int kDefaultSharedMemory = 49152;

// The result of a function: the error set by `fail`, or `otherwise`.
CUresult result(const char* function, CUresult otherwise = CUDA_SUCCESS);
// This thread's current device, or -1 if there is none, as before cuInit and cuCtxSetCurrent.
int& current();

}  // namespace fake

#endif  // TESTS_CUBIN_FAKE_FAKE_H_
