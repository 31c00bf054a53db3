// SPDX-License-Identifier: Apache-2.0
// Replaces gemm's CUTLASS kernels, which the emulation cannot run: each reports that it was
// chosen, as the reason why it did not start.
#ifndef TESTS_EMULATION_GEMM_PATHS_H_
#define TESTS_EMULATION_GEMM_PATHS_H_

#include "cuda_on_cpu.h"
#include "gemm_problem.h"

size_t workspace_of_sm80(const Problem&) { return 80; }
size_t workspace_of_sm90a(const Problem&) { return 90; }
const char* run_sm80(const Problem&, void*, cudaStream_t) { return "sm_80"; }
const char* run_sm90a(const Problem&, void*, cudaStream_t) { return "sm_90a"; }

#endif  // TESTS_EMULATION_GEMM_PATHS_H_
