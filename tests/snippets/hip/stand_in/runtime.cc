// SPDX-License-Identifier: Apache-2.0
// Stands in for libamdhip64: two devices in the memory of the CPU, and a record of the calls.
#include <hip/hip_runtime.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/string.h>

#include <cstdint>
#include <string>
#include <utility>

namespace {

std::string calls;
int current = 0;
hipError_t last = hipSuccess;

tvm::ffi::String take_calls() { return std::exchange(calls, {}); }

int64_t current_device() { return current; }

void fail_next_launch() { last = hipErrorLaunchFailure; }

}  // namespace

hipError_t hipGetDevice(int* device) {
  *device = current;
  return hipSuccess;
}

hipError_t hipSetDevice(int device) {
  if (device > 1) return hipErrorInvalidDevice;
  current = device;
  return hipSuccess;
}

hipError_t hipGetLastError() { return std::exchange(last, hipSuccess); }

const char* hipGetErrorString(hipError_t error) {
  return error == hipErrorInvalidDevice ? "hipErrorInvalidDevice" : "hipErrorLaunchFailure";
}

void record_launch(dim3 grid, dim3 block, hipStream_t stream) {
  calls += "launch on device " + std::to_string(current) + ": grid " + std::to_string(grid.x) +
           " block " + std::to_string(block.x) + " stream " +
           std::to_string(reinterpret_cast<uintptr_t>(stream)) + "\n";
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(take_calls, take_calls);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(current_device, current_device);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(fail_next_launch, fail_next_launch);
