// SPDX-License-Identifier: Apache-2.0
// What the two libraries of the fake CUDA share: two GPUs that launch nothing and write all down.
#ifndef TESTS_CUBIN_FAKE_FAKE_H_
#define TESTS_CUBIN_FAKE_FAKE_H_

#include <cuda.h>

namespace fake {

constexpr int kDevices = 2;
// Each device has other limits, so that an answer for the wrong one shows.
constexpr int kOptInSharedMemory[kDevices] = {232448, 101376};
constexpr int kComputeCapability[kDevices][2] = {{9, 0}, {8, 6}};
constexpr int kDefaultSharedMemory = 49152;

// The result of a call of this name: what `fail` was told, else `otherwise`.
CUresult result(const char* function, CUresult otherwise = CUDA_SUCCESS);
// The current device of this thread; -1 if it has none, as before cuInit and cuCtxSetCurrent.
int& current();

}  // namespace fake

#endif  // TESTS_CUBIN_FAKE_FAKE_H_
