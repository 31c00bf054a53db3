// SPDX-License-Identifier: Apache-2.0
// A libcudart over the fake driver: a thread's current device is 0 until it selects another.
#include <cuda_runtime_api.h>

#include "fake.h"

extern "C" const char* fake_log();

namespace {

cudaError_t last = cudaSuccess;

// Errors with the same name have the same number in both APIs.
cudaError_t told(CUresult result) {
  const auto error = static_cast<cudaError_t>(result);
  if (error != cudaSuccess) last = error;
  return error;
}

bool started() {
  if (fake::current() < 0) fake::current() = 0;
  return told(cuInit(0)) == cudaSuccess;
}

}  // namespace

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  return started() ? told(cuDeviceGetCount(count)) : last;
}
cudaError_t cudaGetDevice(int* device) {
  if (!started()) return last;
  *device = fake::current();
  return told(fake::result("cudaGetDevice"));
}
cudaError_t cudaSetDevice(int device) {
  if (!started()) return last;
  if (device < 0 || device >= fake::kDevices) return told(CUDA_ERROR_INVALID_DEVICE);
  fake::current() = device;
  return told(fake::result("cudaSetDevice"));
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  if (!started()) return last;
  return told(cuDeviceGetAttribute(value, static_cast<CUdevice_attribute>(attribute), device));
}
cudaError_t cudaLibraryLoadData(cudaLibrary_t* library, const void* code, cudaJitOption*, void**,
                                unsigned, cudaLibraryOption*, void**, unsigned) {
  if (!started()) return last;
  return told(cuLibraryLoadData(library, code, nullptr, nullptr, 0, nullptr, nullptr, 0));
}
cudaError_t cudaLibraryUnload(cudaLibrary_t library) { return told(cuLibraryUnload(library)); }
cudaError_t cudaLibraryGetKernel(cudaKernel_t* kernel, cudaLibrary_t library, const char* name) {
  return told(cuLibraryGetKernel(kernel, library, name));
}
cudaError_t cudaLibraryGetKernelCount(unsigned* count, cudaLibrary_t library) {
  return told(cuLibraryGetKernelCount(count, library));
}
cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t* kernels, unsigned count,
                                        cudaLibrary_t library) {
  return told(cuLibraryEnumerateKernels(kernels, count, library));
}
cudaError_t cudaFuncGetName(const char** name, const void* function) {
  return told(cuKernelGetName(name, static_cast<CUkernel>(const_cast<void*>(function))));
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  auto kernel = static_cast<CUkernel>(const_cast<void*>(function));
  int shared = 0, threads = 0;
  const CUresult error =
      cuKernelGetAttribute(&shared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, kernel, fake::current());
  cuKernelGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel, fake::current());
  *attributes = {};
  attributes->sharedSizeBytes = static_cast<size_t>(shared);
  attributes->maxThreadsPerBlock = threads;
  return told(error);
}
cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  auto kernel = static_cast<CUkernel>(const_cast<void*>(function));
  return told(cuKernelSetAttribute(static_cast<CUfunction_attribute>(attribute), value, kernel,
                                   fake::current()));
}
cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, cudaFuncAttribute attribute,
                                            int value, int device) {
  return told(
      cuKernelSetAttribute(static_cast<CUfunction_attribute>(attribute), value, kernel, device));
}
cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** parameters,
                             size_t shared_bytes, cudaStream_t stream) {
  if (!started()) return last;
  auto kernel = static_cast<CUfunction>(const_cast<void*>(function));
  return told(cuLaunchKernel(kernel, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                             static_cast<unsigned>(shared_bytes), stream, parameters, nullptr));
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function,
                                void** parameters) {
  if (!started()) return last;
  CUlaunchConfig own{};
  own.gridDimX = config->gridDim.x;
  own.gridDimY = config->gridDim.y;
  own.gridDimZ = config->gridDim.z;
  own.blockDimX = config->blockDim.x;
  own.blockDimY = config->blockDim.y;
  own.blockDimZ = config->blockDim.z;
  own.sharedMemBytes = static_cast<unsigned>(config->dynamicSmemBytes);
  own.hStream = config->stream;
  own.attrs = reinterpret_cast<CUlaunchAttribute*>(config->attrs);
  own.numAttrs = config->numAttrs;
  return told(cuLaunchKernelEx(&own, static_cast<CUfunction>(const_cast<void*>(function)),
                               parameters, nullptr));
}
cudaError_t cudaGetLastError() {
  const cudaError_t error = last;
  last = cudaSuccess;
  return error;
}
const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
    case cudaErrorInvalidValue:
      return "cudaErrorInvalidValue";
    case cudaErrorNoDevice:
      return "cudaErrorNoDevice";
    case cudaErrorInvalidDevice:
      return "cudaErrorInvalidDevice";
    case cudaErrorInvalidKernelImage:
      return "cudaErrorInvalidKernelImage";
    case cudaErrorNoKernelImageForDevice:
      return "cudaErrorNoKernelImageForDevice";
    case cudaErrorInvalidResourceHandle:
      return "cudaErrorInvalidResourceHandle";
    case cudaErrorSymbolNotFound:
      return "cudaErrorSymbolNotFound";
    default:
      return "an unknown error";
  }
}
const char* cudaGetErrorString(cudaError_t error) {
  const char* text = nullptr;
  cuGetErrorString(static_cast<CUresult>(error), &text);
  return text == nullptr ? "an unknown error" : text;
}

}  // extern "C"
