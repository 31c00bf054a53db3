// SPDX-License-Identifier: Apache-2.0
// The launcher's classes as functions that identify modules and kernels by number, for tests.
#include <tvm/ffi/extra/cuda/cubin_launcher.h>
#include <tvm/ffi/tvm_ffi.h>

#include <map>

namespace ffi = tvm::ffi;
namespace api = tvm::ffi::cuda_api;

namespace {

std::map<int64_t, ffi::CubinModule> modules;
std::map<int64_t, ffi::CubinKernel> kernels;
int64_t next = 1;

int64_t load(ffi::Bytes image) {
  modules.emplace(next, ffi::CubinModule(image));
  return next++;
}
// Loads a prefix of an image.
int64_t load_part(ffi::Bytes image, int64_t size) {
  modules.emplace(next, ffi::CubinModule(image.data(), static_cast<size_t>(size)));
  return next++;
}
int64_t load_address(int64_t address) {
  modules.emplace(next, ffi::CubinModule(reinterpret_cast<const char*>(address)));
  return next++;
}
int64_t load_null(int64_t size) {
  modules.emplace(next,
                  ffi::CubinModule(static_cast<const char*>(nullptr), static_cast<size_t>(size)));
  return next++;
}
void unload(int64_t module) { modules.erase(module); }

int64_t get(int64_t module, ffi::String name) {
  kernels.emplace(next, modules.at(module)[name.c_str()]);
  return next++;
}
int64_t get_nameless(int64_t module) {
  kernels.emplace(next, modules.at(module).GetKernel(nullptr));
  return next++;
}
int64_t get_limited(int64_t module, ffi::String name, int64_t most) {
  kernels.emplace(next, modules.at(module).GetKernelWithMaxDynamicSharedMemory(name.c_str(), most));
  return next++;
}
// Gets a kernel from a handle only, which keeps nothing loaded.
int64_t get_of_handle(int64_t module, ffi::String name) {
  kernels.emplace(next, ffi::CubinKernel(modules.at(module).GetHandle(), name.c_str()));
  return next++;
}
void drop(int64_t kernel) { kernels.erase(kernel); }

// Launches either of the file's kernels: `axpy` has four parameters, `static40` only a pointer.
void launch(int64_t kernel, int64_t grid, int64_t block, int64_t shared, int64_t stream) {
  float a = 1.5F;
  void *x = reinterpret_cast<void*>(0x1000), *y = reinterpret_cast<void*>(0x2000);
  int64_t n = 7;
  void* arguments[] = {&a, &x, &y, &n};
  void* pointer[] = {&y};
  ffi::CubinKernel& found = kernels.at(kernel);
  TVM_FFI_CHECK_CUBIN_LAUNCHER_CUDA_ERROR(
      found.Launch(shared == 0 ? arguments : pointer, ffi::dim3(static_cast<unsigned>(grid)),
                   ffi::dim3(static_cast<unsigned>(block), 1, 1),
                   reinterpret_cast<api::StreamHandle>(stream), static_cast<uint32_t>(shared)));
}
// Launches through CUDA's own handle, bypassing the kernel object.
void launch_handle(int64_t kernel, int64_t shared) {
  void* y = reinterpret_cast<void*>(0x2000);
  void* arguments[] = {&y};
  TVM_FFI_CHECK_CUBIN_LAUNCHER_CUDA_ERROR(
      api::LaunchKernel(kernels.at(kernel).GetHandle(), arguments, ffi::dim3(1), ffi::dim3(32),
                        nullptr, static_cast<uint32_t>(shared)));
}
void launch_cluster(int64_t kernel, int64_t grid, int64_t cluster, int64_t shared) {
  void* y = reinterpret_cast<void*>(0x2000);
  void* arguments[] = {&y};
  ffi::CubinKernel& found = kernels.at(kernel);
  api::LaunchConfig config;
  api::LaunchAttrType attribute;
  TVM_FFI_CHECK_CUBIN_LAUNCHER_CUDA_ERROR(
      api::ConstructLaunchConfig(found.GetHandle(), nullptr, static_cast<uint32_t>(shared),
                                 ffi::dim3(static_cast<unsigned>(grid), 2), ffi::dim3(32, 4, 2),
                                 static_cast<int>(cluster), config, attribute));
  TVM_FFI_CHECK_CUBIN_LAUNCHER_CUDA_ERROR(found.LaunchEx(arguments, config));
}
// Ignores one failure, then checks a failure of another function.
void launch_unchecked_then_check(int64_t kernel, int64_t error) {
  static_cast<void>(kernels.at(kernel).Launch(nullptr, ffi::dim3(1), ffi::dim3(2048), nullptr));
  TVM_FFI_CHECK_CUBIN_LAUNCHER_CUDA_ERROR(static_cast<api::ResultType>(error));
}

void set_device(int64_t device) {
#if TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API
  CUcontext context = nullptr;
  TVM_FFI_CHECK_CUBIN_LAUNCHER_CUDA_ERROR(TVM_FFI_CUDA_DRIVER(cuDevicePrimaryCtxRetain)(
      &context, api::GetDeviceHandle(static_cast<int>(device))));
  TVM_FFI_CHECK_CUBIN_LAUNCHER_CUDA_ERROR(TVM_FFI_CUDA_DRIVER(cuCtxSetCurrent)(context));
#else
  TVM_FFI_CHECK_CUDA_ERROR(cudaSetDevice(static_cast<int>(device)));
#endif
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(load, load);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(load_part, load_part);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(load_address, load_address);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(load_null, load_null);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(unload, unload);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(get, get);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(get_nameless, get_nameless);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(get_limited, get_limited);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(get_of_handle, get_of_handle);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(drop, drop);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(launch, launch);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(launch_handle, launch_handle);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(launch_cluster, launch_cluster);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(launch_unchecked_then_check, launch_unchecked_then_check);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(set_device, set_device);
