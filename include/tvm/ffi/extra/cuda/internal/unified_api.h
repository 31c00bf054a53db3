// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/extra/cuda/internal/unified_api.h
 * \brief One set of names for the CUDA runtime API and the CUDA driver API.
 *
 * The runtime API is used from CUDA 12.8 on, the first version in which it can load CUBINs. Define
 * TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API as 1 before the first include to use the driver API: the
 * library then does not need libcudart, and looks up the driver at its first call.
 */
#ifndef TVM_FFI_EXTRA_CUDA_INTERNAL_UNIFIED_API_H_
#define TVM_FFI_EXTRA_CUDA_INTERNAL_UNIFIED_API_H_

#include <cuda.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/cuda/base.h>

#include <memory>
#include <string>
#include <utility>

/*!
 * \def TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API
 * \brief 1 for the driver API, 0 for the runtime API; define it before the first include to choose.
 */
#ifndef TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API
#if CUDART_VERSION >= 12080
#define TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API 0
#else
#define TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API 1
#endif
#endif

//! \cond
#if TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API
#include <tvm/ffi/extra/cuda/internal/driver.h>
// Names that differ between the two APIs only in their prefix.
#define TVM_FFI_CUDA_API(runtime, driver) driver
#define TVM_FFI_CUDA_CALL(runtime, driver) TVM_FFI_CUDA_DRIVER(driver)
#else
#define TVM_FFI_CUDA_API(runtime, driver) runtime
#define TVM_FFI_CUDA_CALL(runtime, driver) runtime
#endif
//! \endcond

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {
/*! \brief The part of CUDA that launches kernels from CUBINs, through either of its APIs. */
namespace cuda_api {

/*! \brief A stream; null is the default stream. */
using StreamHandle = TVM_FFI_CUDA_API(cudaStream_t, CUstream);
/*! \brief A device number, in both APIs. */
using DeviceHandle = TVM_FFI_CUDA_API(int, CUdevice);
/*! \brief A loaded CUBIN, fatbin or PTX text; valid on all devices. */
using LibraryHandle = TVM_FFI_CUDA_API(cudaLibrary_t, CUlibrary);
/*! \brief A kernel of a library; valid on all devices. */
using KernelHandle = TVM_FFI_CUDA_API(cudaKernel_t, CUkernel);
/*! \brief The launch configuration for LaunchKernelEx. */
using LaunchConfig = TVM_FFI_CUDA_API(cudaLaunchConfig_t, CUlaunchConfig);
/*! \brief The result of a call; the error numbers are the same in both APIs. */
using ResultType = TVM_FFI_CUDA_API(cudaError_t, CUresult);
/*! \brief One attribute of a launch, such as the size of a cluster. */
using LaunchAttrType = TVM_FFI_CUDA_API(cudaLaunchAttribute, CUlaunchAttribute);
/*! \brief A device attribute for GetDeviceAttribute. */
using DeviceAttrType = TVM_FFI_CUDA_API(cudaDeviceAttr, CUdevice_attribute);

/*! \brief The result of a successful call. */
constexpr ResultType kSuccess = TVM_FFI_CUDA_API(cudaSuccess, CUDA_SUCCESS);

/*! \brief Returns the name of a result, such as cudaErrorInvalidValue, and its description. */
inline void GetErrorString(ResultType err, const char** name, const char** str) {
#if TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API
  *name = *str = nullptr;
  static_cast<void>(TVM_FFI_CUDA_DRIVER(cuGetErrorName)(err, name));
  static_cast<void>(TVM_FFI_CUDA_DRIVER(cuGetErrorString)(err, str));
  if (*name == nullptr) *name = "an unknown CUDA error";
  if (*str == nullptr) *str = "no description";
#else
  *name = cudaGetErrorName(err);
  *str = cudaGetErrorString(err);
#endif
}

/*!
 * \brief Loads a CUBIN, a fatbin or null-terminated PTX text.
 *
 * The driver keeps a copy of the image.
 */
inline ResultType LoadLibrary(LibraryHandle* library, const void* image) {
  return TVM_FFI_CUDA_CALL(cudaLibraryLoadData, cuLibraryLoadData)(library, image, nullptr, nullptr,
                                                                   0, nullptr, nullptr, 0);
}

/*! \brief Unloads a library. Its kernels must not be running or be launched afterwards. */
inline ResultType UnloadLibrary(LibraryHandle library) {
  return TVM_FFI_CUDA_CALL(cudaLibraryUnload, cuLibraryUnload)(library);
}

/*! \brief Finds a kernel by its name in the image. */
inline ResultType GetKernel(KernelHandle* kernel, LibraryHandle library, const char* name) {
  return TVM_FFI_CUDA_CALL(cudaLibraryGetKernel, cuLibraryGetKernel)(kernel, library, name);
}

/*! \brief Gets the number of GPUs. */
inline ResultType GetDeviceCount(int* count) {
  return TVM_FFI_CUDA_CALL(cudaGetDeviceCount, cuDeviceGetCount)(count);
}

/*! \brief Gets an attribute of a device. */
inline ResultType GetDeviceAttribute(int* value, DeviceAttrType attr, DeviceHandle device) {
  return TVM_FFI_CUDA_CALL(cudaDeviceGetAttribute, cuDeviceGetAttribute)(value, attr, device);
}

/*!
 * \brief Returns the handle of a device.
 * \throws Error A RuntimeError if the driver has no such device; the runtime API does not check.
 */
inline DeviceHandle GetDeviceHandle(int device_id) {
#if TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API
  CUdevice device = 0;
  const CUresult result = TVM_FFI_CUDA_DRIVER(cuDeviceGet)(&device, device_id);
  if (result != CUDA_SUCCESS) {
    TVM_FFI_THROW(RuntimeError) << "GetDeviceHandle: device_id: expected a device, got "
                                << device_id << ": " << detail::NameOf(detail::Driver(), result);
  }
  return device;
#else
  return device_id;
#endif
}

/*! \brief Gets the device on which this thread launches. */
inline ResultType GetCurrentDevice(DeviceHandle* device) {
  return TVM_FFI_CUDA_CALL(cudaGetDevice, cuCtxGetDevice)(device);
}

/*! \brief Gets the static shared memory of a kernel, in bytes per block. */
inline ResultType GetKernelSharedMem(KernelHandle kernel, int& out, DeviceHandle device) {
#if TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API
  return TVM_FFI_CUDA_DRIVER(cuKernelGetAttribute)(&out, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
                                                   kernel, device);
#else
  static_cast<void>(device);  // the runtime uses the current device
  cudaFuncAttributes attributes;
  const cudaError_t result = cudaFuncGetAttributes(&attributes, static_cast<const void*>(kernel));
  if (result == cudaSuccess) out = static_cast<int>(attributes.sharedSizeBytes);
  return result;
#endif
}

/*! \brief Allows launches on one device to use up to `shmem` bytes of dynamic shared memory. */
inline ResultType SetKernelMaxDynamicSharedMem(KernelHandle kernel, int shmem,
                                               DeviceHandle device) {
#if TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API
  return TVM_FFI_CUDA_DRIVER(cuKernelSetAttribute)(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                                   shmem, kernel, device);
#else
  return cudaKernelSetAttributeForDevice(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shmem,
                                         device);
#endif
}

/*!
 * \brief Launches a kernel on the current device.
 * \param kernel The kernel.
 * \param args The addresses of the arguments.
 * \param grid The number of blocks.
 * \param block The number of threads in each block.
 * \param stream The stream.
 * \param dyn_smem_bytes Dynamic shared memory per block, in bytes.
 * \return The result of the launch; errors in the kernel itself surface in later calls.
 */
inline ResultType LaunchKernel(KernelHandle kernel, void** args, tvm::ffi::dim3 grid,
                               tvm::ffi::dim3 block, StreamHandle stream,
                               uint32_t dyn_smem_bytes = 0) {
#if TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API
  return TVM_FFI_CUDA_DRIVER(cuLaunchKernel)(reinterpret_cast<CUfunction>(kernel), grid.x, grid.y,
                                             grid.z, block.x, block.y, block.z, dyn_smem_bytes,
                                             stream, args, nullptr);
#else
  return cudaLaunchKernel(static_cast<const void*>(kernel), ::dim3(grid.x, grid.y, grid.z),
                          ::dim3(block.x, block.y, block.z), args, dyn_smem_bytes, stream);
#endif
}

/*! \brief Launches a kernel with attributes, such as a cluster size. */
inline ResultType LaunchKernelEx(KernelHandle kernel, void** args, const LaunchConfig& config) {
#if TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API
  return TVM_FFI_CUDA_DRIVER(cuLaunchKernelEx)(&config, reinterpret_cast<CUfunction>(kernel), args,
                                               nullptr);
#else
  return cudaLaunchKernelExC(&config, static_cast<const void*>(kernel), args);
#endif
}

/*!
 * \brief Fills in the launch configuration for LaunchKernelEx.
 * \param kernel The kernel.
 * \param stream The stream.
 * \param smem_size Dynamic shared memory per block, in bytes.
 * \param grid The number of blocks, a multiple of the cluster size in the first dimension.
 * \param block The number of threads in each block.
 * \param cluster_dim The number of blocks in a cluster, in the first dimension; 1 for no clusters.
 * \param config The configuration to fill in.
 * \param attr Storage for the cluster attribute; it must live until the launch.
 * \return kSuccess.
 */
inline ResultType ConstructLaunchConfig(KernelHandle kernel, StreamHandle stream,
                                        uint32_t smem_size, tvm::ffi::dim3 grid,
                                        tvm::ffi::dim3 block, int cluster_dim, LaunchConfig& config,
                                        LaunchAttrType& attr) {
  static_cast<void>(kernel);
  config = LaunchConfig{};
#if TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API
  config.gridDimX = grid.x;
  config.gridDimY = grid.y;
  config.gridDimZ = grid.z;
  config.blockDimX = block.x;
  config.blockDimY = block.y;
  config.blockDimZ = block.z;
  config.sharedMemBytes = smem_size;
  config.hStream = stream;
  attr.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  auto& cluster = attr.value.clusterDim;
#else
  config.gridDim = ::dim3(grid.x, grid.y, grid.z);
  config.blockDim = ::dim3(block.x, block.y, block.z);
  config.dynamicSmemBytes = smem_size;
  config.stream = stream;
  attr.id = cudaLaunchAttributeClusterDimension;
  auto& cluster = attr.val.clusterDim;
#endif
  cluster.x = static_cast<unsigned int>(cluster_dim);
  cluster.y = cluster.z = 1;
  if (cluster_dim > 1) {
    config.attrs = &attr;
    config.numAttrs = 1;
  }
  return kSuccess;
}

namespace detail {

// The request of a failed launch and the limits of its device. Launches return only a number; the
// check below adds this text to its message.
struct FailedLaunch {
  ResultType result = kSuccess;
  std::string text;
};

// A pointer, because a thread-local object with a destructor would keep the library loaded for the
// lifetime of the thread.
inline FailedLaunch*& LastFailedLaunch() {
  static thread_local FailedLaunch* last = nullptr;
  return last;
}

TVM_FFI_COLD inline std::string Describe(ResultType result) {
  const char *name = nullptr, *text = nullptr;
  GetErrorString(result, &name, &text);
#if !TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API
  static_cast<void>(cudaGetLastError());  // clears it, as TVM_FFI_CHECK_CUDA_ERROR does
#endif
  const std::unique_ptr<FailedLaunch> last(std::exchange(LastFailedLaunch(), nullptr));
  const bool told = last != nullptr && last->result == result;
  return (Message() << name << ": " << text << (told ? "; " + last->text : std::string())).take();
}

}  // namespace detail
}  // namespace cuda_api
}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

/*!
 * \brief Throws a RuntimeError unless a call of the launcher succeeds.
 *
 * The message shows the call, the error's name and its description. For a launch, it also shows the
 * kernel, the requested resources and the limits of the device.
 * \throws Error A RuntimeError if the call fails.
 */
#define TVM_FFI_CHECK_CUBIN_LAUNCHER_CUDA_ERROR(call)                                             \
  do {                                                                                            \
    const ::tvm::ffi::cuda_api::ResultType tvm_ffi_cuda_result = (call);                          \
    if (tvm_ffi_cuda_result != ::tvm::ffi::cuda_api::kSuccess) {                                  \
      TVM_FFI_THROW(RuntimeError) << #call << ": "                                                \
                                  << ::tvm::ffi::cuda_api::detail::Describe(tvm_ffi_cuda_result); \
    }                                                                                             \
  } while (0)

#endif  // TVM_FFI_EXTRA_CUDA_INTERNAL_UNIFIED_API_H_
