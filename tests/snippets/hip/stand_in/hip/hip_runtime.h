// SPDX-License-Identifier: Apache-2.0
// Stands in for HIP's header, so that g++ compiles scale_hip.cc and its kernel runs on the CPU.
#ifndef STAND_IN_HIP_RUNTIME_H_
#define STAND_IN_HIP_RUNTIME_H_

#define __global__

struct dim3 {
  dim3(unsigned along_x = 1) : x(along_x) {}
  unsigned x;
};

enum hipError_t { hipSuccess = 0, hipErrorInvalidDevice = 101, hipErrorLaunchFailure = 719 };
using hipStream_t = struct ihipStream_t*;

inline dim3 gridDim, blockDim, blockIdx(0), threadIdx(0);

hipError_t hipGetDevice(int* device);
hipError_t hipSetDevice(int device);
hipError_t hipGetLastError();
const char* hipGetErrorString(hipError_t error);
void record_launch(dim3 grid, dim3 block, hipStream_t stream);

template <typename Kernel, typename... Args>
void hipLaunchKernelGGL(Kernel kernel, dim3 grid, dim3 block, unsigned /*shared*/,
                        hipStream_t stream, Args... args) {
  record_launch(grid, block, stream);
  gridDim = grid;
  blockDim = block;
  for (blockIdx.x = 0; blockIdx.x < grid.x; ++blockIdx.x) {
    for (threadIdx.x = 0; threadIdx.x < block.x; ++threadIdx.x) kernel(args...);
  }
}

#endif  // STAND_IN_HIP_RUNTIME_H_
