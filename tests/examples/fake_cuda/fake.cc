// SPDX-License-Identifier: Apache-2.0
// The CUDA runtime over malloc: `calls` lists the calls since it was last called, except those
// about the current device; `fail` makes calls to a function fail with an error, or 0 for none.
#include <nvshmem.h>
#include <tvm/ffi/tvm_ffi.h>

#include <cstdlib>
#include <map>
#include <string>

namespace ffi = tvm::ffi;

namespace {

int current = 0;
cudaError_t last = cudaSuccess;
std::string log;
std::map<std::string, int> errors;

std::string number(uintptr_t value) { return std::to_string(value); }

// CUDA keeps the last error until it is read; a successful call does not clear it.
cudaError_t result_of(const std::string& name) {
  auto found = errors.find(name);
  if (found == errors.end() || found->second == 0) return cudaSuccess;
  return last = static_cast<cudaError_t>(found->second);
}

cudaError_t called(const std::string& name, const std::string& arguments) {
  log += name + "(" + arguments + ") on " + number(static_cast<uintptr_t>(current)) + "\n";
  return result_of(name);
}

cudaError_t allocated(cudaError_t error, void** data, size_t size) {
  if (error == cudaSuccess) *data = std::malloc(size);
  return error;
}

cudaError_t freed(cudaError_t error, void* data) {
  if (error == cudaSuccess) std::free(data);
  return error;
}

std::string name_of(cudaStream_t stream) { return number(reinterpret_cast<uintptr_t>(stream)); }

}  // namespace

cudaError_t cudaGetDevice(int* device) {
  const cudaError_t error = result_of("cudaGetDevice");
  if (error == cudaSuccess) *device = current;
  return error;
}
cudaError_t cudaSetDevice(int device) {
  const cudaError_t error = result_of("cudaSetDevice");
  if (error == cudaSuccess) current = device;
  return error;
}
cudaError_t cudaMalloc(void** data, size_t size) {
  return allocated(called("cudaMalloc", number(size)), data, size);
}
cudaError_t cudaFree(void* data) { return freed(called("cudaFree", ""), data); }
cudaError_t cudaMallocAsync(void** data, size_t size, cudaStream_t stream) {
  return allocated(called("cudaMallocAsync", number(size) + ", " + name_of(stream)), data, size);
}
cudaError_t cudaFreeAsync(void* data, cudaStream_t stream) {
  return freed(called("cudaFreeAsync", name_of(stream)), data);
}
cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus* status) {
  if (errors["implicit"] != 0) return last = static_cast<cudaError_t>(errors["implicit"]);
  *status = errors["capture"] != 0 ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() { return called("cudaDeviceSynchronize", ""); }
cudaError_t cudaGetLastError() {
  const cudaError_t told = last;
  last = cudaSuccess;
  return told;
}
int nvshmemx_hostlib_init_attr(unsigned, nvshmemx_init_attr_t*) { return called("start", ""); }
void nvshmemx_hostlib_finalize() { called("finalize", ""); }
void* nvshmem_malloc(size_t size) {
  return called("nvshmem_malloc", number(size)) == cudaSuccess ? std::malloc(size) : nullptr;
}
void nvshmem_free(void* data) { freed(called("nvshmem_free", ""), data); }
const char* cudaGetErrorName(cudaError_t) { return "cudaErrorFake"; }
const char* cudaGetErrorString(cudaError_t) { return "a fake error"; }

TVM_FFI_DLL_EXPORT_TYPED_FUNC(calls, [] {
  ffi::String told = log;
  log.clear();
  return told;
});
TVM_FFI_DLL_EXPORT_TYPED_FUNC(fail, [](const ffi::String& name, int error) {
  errors[std::string(name)] = error;
});
TVM_FFI_DLL_EXPORT_TYPED_FUNC(last_error, [] { return static_cast<int>(last); });
TVM_FFI_DLL_EXPORT_TYPED_FUNC(current_device, [] { return current; });
