// SPDX-License-Identifier: Apache-2.0
// The part of the CUDA runtime that the allocators use, over malloc, for machines without a GPU.
// Calls are recorded; fake.cc defines the functions.
#ifndef FAKE_CUDA_RUNTIME_H_
#define FAKE_CUDA_RUNTIME_H_

#include <cstddef>

enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorCudartUnloading = 4,
  cudaErrorStreamCaptureUnsupported = 900,
};
enum cudaStreamCaptureStatus { cudaStreamCaptureStatusNone = 0, cudaStreamCaptureStatusActive = 1 };
using cudaStream_t = struct FakeStream*;

cudaError_t cudaGetDevice(int* device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaMalloc(void** data, size_t size);
cudaError_t cudaFree(void* data);
cudaError_t cudaMallocAsync(void** data, size_t size, cudaStream_t stream);
cudaError_t cudaFreeAsync(void* data, cudaStream_t stream);
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaGetLastError();
const char* cudaGetErrorName(cudaError_t error);
const char* cudaGetErrorString(cudaError_t error);

#endif  // FAKE_CUDA_RUNTIME_H_
