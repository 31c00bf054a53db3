// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/extra/cuda/cubin_launcher.h
 * \brief Loads and launches kernels compiled to a CUBIN.
 */
#ifndef TVM_FFI_EXTRA_CUDA_CUBIN_LAUNCHER_H_
#define TVM_FFI_EXTRA_CUDA_CUBIN_LAUNCHER_H_

#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/cuda/base.h>
#include <tvm/ffi/extra/cuda/internal/image.h>
#include <tvm/ffi/extra/cuda/internal/unified_api.h>
#include <tvm/ffi/string.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

namespace cuda_api {
namespace detail {

// The result is ignored: at process exit, the driver may be shut down before the library.
struct Unload {
  void operator()(LibraryHandle library) const { static_cast<void>(UnloadLibrary(library)); }
};

using SharedLibrary = std::shared_ptr<std::remove_pointer_t<LibraryHandle>>;

inline constexpr ResultType kInvalidValue =
    TVM_FFI_CUDA_API(cudaErrorInvalidValue, CUDA_ERROR_INVALID_VALUE);
inline constexpr DeviceAttrType kMaxSharedMemory = TVM_FFI_CUDA_API(
    cudaDevAttrMaxSharedMemoryPerBlockOptin, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
inline constexpr DeviceAttrType kMaxThreads =
    TVM_FFI_CUDA_API(cudaDevAttrMaxThreadsPerBlock, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
inline constexpr DeviceAttrType kMajor = TVM_FFI_CUDA_API(
    cudaDevAttrComputeCapabilityMajor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
inline constexpr DeviceAttrType kMinor = TVM_FFI_CUDA_API(
    cudaDevAttrComputeCapabilityMinor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);

// The names of a library's kernels, for error messages; empty if the driver cannot list them.
TVM_FFI_COLD inline std::string NamesOfKernels([[maybe_unused]] LibraryHandle library) {
  std::string names;
#if CUDA_VERSION >= 12040  // the first version that can list them
  try {
    unsigned int count = 0;
    if (TVM_FFI_CUDA_CALL(cudaLibraryGetKernelCount, cuLibraryGetKernelCount)(&count, library) !=
        kSuccess) {
      return "";
    }
    std::vector<KernelHandle> kernels(count);
    if (TVM_FFI_CUDA_CALL(cudaLibraryEnumerateKernels, cuLibraryEnumerateKernels)(
            kernels.data(), count, library) != kSuccess) {
      return "";
    }
    for (KernelHandle kernel : kernels) {
      const char* name = nullptr;
      if (TVM_FFI_CUDA_CALL(cudaFuncGetName, cuKernelGetName)(&name, kernel) != kSuccess) return "";
      names += (names.empty() ? "" : ", ") + std::string(name);
    }
  } catch (const Error&) {  // an older driver lacks these functions
    return "";
  }
#endif
  return names;
}

}  // namespace detail
}  // namespace cuda_api

/*!
 * \brief A kernel of a CubinModule that can be launched on any device.
 *
 * It keeps the module's image loaded. Several threads may launch a kernel at the same time.
 */
class CubinKernel {
 public:
  /*!
   * \brief Finds a kernel of a library that the caller keeps loaded.
   * \throws Error A RuntimeError if the library has no kernel with this name; the message lists the
   * available ones.
   */
  CubinKernel(cuda_api::LibraryHandle library, const char* name) : name_(CheckName(name)) {
    const cuda_api::ResultType result = cuda_api::GetKernel(&kernel_, library, name);
    if (result == cuda_api::kSuccess) return;
    const std::string reason = cuda_api::detail::Describe(result);
    const std::string names = cuda_api::detail::NamesOfKernels(library);
    TVM_FFI_THROW(RuntimeError) << "CubinModule: name: expected a kernel of the module"
                                << (names.empty() ? "" : ", which has ") << names << ", got "
                                << name << ": " << reason;
  }
  CubinKernel(const CubinKernel&) = delete;
  CubinKernel& operator=(const CubinKernel&) = delete;
  /*! \brief Takes over a kernel; the other object may then only be assigned to or destroyed. */
  CubinKernel(CubinKernel&& other) noexcept { *this = std::move(other); }
  /*! \brief Takes over a kernel; the other object may then only be assigned to or destroyed. */
  CubinKernel& operator=(CubinKernel&& other) noexcept {
    kernel_ = std::exchange(other.kernel_, nullptr);
    library_ = std::move(other.library_);
    name_ = std::move(other.name_);
    cap_ = other.cap_;
    raised_.store(other.raised_.load(std::memory_order_relaxed), std::memory_order_relaxed);
    return *this;
  }
  ~CubinKernel() = default;

  /*!
   * \brief Launches the kernel on the current device without waiting for it.
   *
   * With the driver API, CUDA uses the context of the stream unless the stream is null: make that
   * context current, because the shared memory limit is raised on the current device.
   *
   * Dynamic shared memory may be as large as the device allows; more than 48 KB requires a kernel
   * attribute, which the first launch with dynamic shared memory sets on each device.
   * \param args The addresses of the arguments, as many as the kernel has.
   * \param grid The number of blocks.
   * \param block The number of threads in each block.
   * \param stream The stream.
   * \param dyn_smem_bytes Dynamic shared memory per block, in bytes.
   * \return The result, for TVM_FFI_CHECK_CUBIN_LAUNCHER_CUDA_ERROR. Errors in the kernel itself
   * surface in a later call.
   */
  cuda_api::ResultType Launch(void** args, dim3 grid, dim3 block, cuda_api::StreamHandle stream,
                              uint32_t dyn_smem_bytes = 0) {
    cuda_api::ResultType result = AllowSharedMemory(dyn_smem_bytes);
    if (result == cuda_api::kSuccess) {
      result = cuda_api::LaunchKernel(kernel_, args, grid, block, stream, dyn_smem_bytes);
    }
    if (result != cuda_api::kSuccess) Note(result, grid, block, dyn_smem_bytes);
    return result;
  }

  /*!
   * \brief Launches the kernel with attributes; cuda_api::ConstructLaunchConfig fills in a
   * configuration for clusters.
   * \param args The address of each argument.
   * \param config The grid, block, stream, shared memory and attributes.
   * \return As for Launch.
   */
  cuda_api::ResultType LaunchEx(void** args, const cuda_api::LaunchConfig& config) {
#if TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API
    const dim3 grid(config.gridDimX, config.gridDimY, config.gridDimZ);
    const dim3 block(config.blockDimX, config.blockDimY, config.blockDimZ);
    const uint32_t dyn_smem_bytes = config.sharedMemBytes;
#else
    const dim3 grid(config.gridDim.x, config.gridDim.y, config.gridDim.z);
    const dim3 block(config.blockDim.x, config.blockDim.y, config.blockDim.z);
    const auto dyn_smem_bytes = static_cast<uint32_t>(config.dynamicSmemBytes);
#endif
    cuda_api::ResultType result = AllowSharedMemory(dyn_smem_bytes);
    if (result == cuda_api::kSuccess) {
      result = cuda_api::LaunchKernelEx(kernel_, args, config);
    }
    if (result != cuda_api::kSuccess) Note(result, grid, block, dyn_smem_bytes);
    return result;
  }

  /*! \brief The underlying CUDA handle. */
  cuda_api::KernelHandle GetHandle() const { return kernel_; }

 private:
  friend class CubinModule;

  static const char* CheckName(const char* name) {
    TVM_FFI_CHECK(name != nullptr, ValueError)
        << "CubinModule: name: expected the name of a kernel, got a null pointer";
    return name;
  }

  // Raises the limit before the first launch with dynamic shared memory on a device.
  cuda_api::ResultType AllowSharedMemory(uint32_t bytes) {
    if (bytes == 0) return cuda_api::kSuccess;
    if (cap_ >= 0 && bytes > static_cast<uint32_t>(cap_)) return cuda_api::detail::kInvalidValue;
    cuda_api::DeviceHandle device = 0;
    const cuda_api::ResultType result = cuda_api::GetCurrentDevice(&device);
    if (result != cuda_api::kSuccess) return result;
    if ((raised_.load(std::memory_order_relaxed) & BitOf(device)) != 0) return cuda_api::kSuccess;
    return RaiseLimit(device);
  }

  static uint64_t BitOf(cuda_api::DeviceHandle i) { return i < 64 ? uint64_t{1} << i : 0; }

  TVM_FFI_COLD cuda_api::ResultType RaiseLimit(cuda_api::DeviceHandle device) {
    int limit = 0, held = 0;
    cuda_api::ResultType result =
        cuda_api::GetDeviceAttribute(&limit, cuda_api::detail::kMaxSharedMemory, device);
    if (result != cuda_api::kSuccess) return result;
    result = cuda_api::GetKernelSharedMem(kernel_, held, device);
    if (result != cuda_api::kSuccess) return result;
    // CUDA's limit applies to all launches of this kernel, so this object's limit is not set.
    result = cuda_api::SetKernelMaxDynamicSharedMem(kernel_, limit - held, device);
    if (result == cuda_api::kSuccess) raised_.fetch_or(BitOf(device), std::memory_order_relaxed);
    return result;
  }

  // Stores the details that the check of the result adds to CUDA's message.
  TVM_FFI_COLD void Note(cuda_api::ResultType result, dim3 grid, dim3 block, uint32_t bytes) const {
    Message text;
    text << "kernel " << name_ << ": asked for " << grid.x << " x " << grid.y << " x " << grid.z
         << " blocks of " << block.x << " x " << block.y << " x " << block.z << " threads with "
         << bytes << " bytes of dynamic shared memory";
    if (cap_ >= 0) text << ", limited to " << cap_ << " by GetKernelWithMaxDynamicSharedMemory";
    cuda_api::DeviceHandle device = 0;
    int major = 0, minor = 0, threads = 0, memory = 0, held = 0;
    const auto ask = [&device](int* value, cuda_api::DeviceAttrType attribute) {
      static_cast<void>(cuda_api::GetDeviceAttribute(value, attribute, device));
    };
    if (cuda_api::GetCurrentDevice(&device) != cuda_api::kSuccess) {
      text << "; this thread has no current CUDA device";
    } else {
      ask(&major, cuda_api::detail::kMajor);
      ask(&minor, cuda_api::detail::kMinor);
      ask(&threads, cuda_api::detail::kMaxThreads);
      ask(&memory, cuda_api::detail::kMaxSharedMemory);
      static_cast<void>(cuda_api::GetKernelSharedMem(kernel_, held, device));
      text << "; device " << device << ", of compute capability " << major << "." << minor
           << ", has at most " << threads << " threads and " << memory
           << " bytes of shared memory for a block, of which the kernel's static shared memory is "
           << held;
    }
    cuda_api::detail::FailedLaunch*& last = cuda_api::detail::LastFailedLaunch();
    delete last;
    last = nullptr;
    last = new cuda_api::detail::FailedLaunch{result, text.take()};
  }

  cuda_api::KernelHandle kernel_ = nullptr;
  cuda_api::detail::SharedLibrary library_;  // null if the caller keeps it loaded
  std::string name_;
  int cap_ = -1;                     // limit of dynamic shared memory; negative: the device's
  std::atomic<uint64_t> raised_{0};  // devices whose limit was raised, one bit each
};

/*!
 * \brief A CUBIN, fatbin or PTX loaded for all devices.
 *
 * The image is unloaded when the module and its last kernel are destroyed.
 */
class CubinModule {
 public:
  /*!
   * \brief Loads an image. The driver keeps a copy of it.
   * \throws Error A ValueError if the image is empty or truncated; a RuntimeError with CUDA's
   * message if the driver rejects it, or if there is no driver.
   */
  explicit CubinModule(const Bytes& bytes) : CubinModule(bytes.data(), bytes.size()) {}
  /*! \brief Loads an image of `size` bytes; throws the same errors. */
  CubinModule(const char* code, size_t size) {
    if (cuda_api::detail::SaysItsSize(code, size)) {
      Load(code);
    } else {
      Load(std::string(code, size).c_str());
    }
  }
  /*!
   * \brief Loads the image at an address.
   * \throws Error A ValueError if the address is null; a RuntimeError as for Bytes.
   */
  explicit CubinModule(const char* code) { Load(code); }
  /*! \brief Loads the image at an address of unsigned bytes. */
  explicit CubinModule(const unsigned char* code) { Load(code); }
  CubinModule(const CubinModule&) = delete;
  CubinModule& operator=(const CubinModule&) = delete;
  /*! \brief Takes over a module; the other object may then only be assigned to or destroyed. */
  CubinModule(CubinModule&&) noexcept = default;
  /*! \brief Takes over a module; the other object may then only be assigned to or destroyed. */
  CubinModule& operator=(CubinModule&&) noexcept = default;
  ~CubinModule() = default;

  /*!
   * \brief Finds a kernel.
   * \param name Its name in the image: unmangled if declared extern "C", otherwise mangled.
   * \throws Error A RuntimeError if there is no such kernel; the message lists the available ones.
   */
  CubinKernel GetKernel(const char* name) {
    CubinKernel kernel(library_.get(), name);
    kernel.library_ = library_;
    return kernel;
  }

  /*!
   * \brief Finds a kernel and limits its dynamic shared memory.
   *
   * CUDA's own limit is raised on all devices at once, including for launches through GetHandle.
   * \param name The kernel name.
   * \param dynamic_smem_max The maximum that a launch may request, in bytes; -1 for all that each
   * device has beyond the kernel's static shared memory, which is also the limit without this call.
   * \throws Error A ValueError if the limit is negative and not -1, or if no device has that much;
   * a RuntimeError as for GetKernel.
   */
  CubinKernel GetKernelWithMaxDynamicSharedMemory(const char* name, int64_t dynamic_smem_max = -1) {
    CubinKernel kernel = GetKernel(name);
    int count = 0, most = 0;
    TVM_FFI_CHECK_CUBIN_LAUNCHER_CUDA_ERROR(cuda_api::GetDeviceCount(&count));
    for (int i = 0; i < count; ++i) {
      int bytes = 0;
      TVM_FFI_CHECK_CUBIN_LAUNCHER_CUDA_ERROR(cuda_api::GetDeviceAttribute(
          &bytes, cuda_api::detail::kMaxSharedMemory, cuda_api::GetDeviceHandle(i)));
      most = bytes > most ? bytes : most;
    }
    TVM_FFI_CHECK(dynamic_smem_max >= -1 && dynamic_smem_max <= most, ValueError)
        << "GetKernelWithMaxDynamicSharedMemory: " << name << ": dynamic_smem_max: expected -1 or "
        << "at most " << most << " bytes, which is what the devices have, got " << dynamic_smem_max;
    kernel.cap_ = static_cast<int>(dynamic_smem_max);
    for (int i = 0; i < count; ++i) {
      if (kernel.RaiseLimit(cuda_api::GetDeviceHandle(i)) == cuda_api::kSuccess) continue;
      // The image may lack code for this device; a launch there retries.
#if !TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API
      static_cast<void>(cudaGetLastError());  // clears it
#endif
    }
    return kernel;
  }

  /*! \brief Same as GetKernel. */
  CubinKernel operator[](const char* name) { return GetKernel(name); }

  /*! \brief The underlying CUDA handle. */
  cuda_api::LibraryHandle GetHandle() const { return library_.get(); }

 private:
  void Load(const void* image) {
    TVM_FFI_CHECK(image != nullptr, ValueError)
        << "CubinModule: image: expected the address of an image, got a null pointer";
    cuda_api::LibraryHandle library = nullptr;
    const cuda_api::ResultType result = cuda_api::LoadLibrary(&library, image);
    if (result != cuda_api::kSuccess) {
      TVM_FFI_THROW(RuntimeError) << "CubinModule: the driver did not load the image: "
                                  << cuda_api::detail::Describe(result);
    }
    library_.reset(library, cuda_api::detail::Unload());
  }

  cuda_api::detail::SharedLibrary library_;
};

namespace cuda_api {
namespace detail {

// The arguments accepted by TVM_FFI_EMBED_CUBIN_FROM_BYTES.
template <typename Byte, size_t kSize>
CubinModule LoadArray(const Byte (&image)[kSize]) {
  static_assert(sizeof(Byte) == 1, "expected an array of char or unsigned char: bin2c --type char");
  return CubinModule(reinterpret_cast<const char*>(image), kSize);
}
inline CubinModule LoadArray(const Bytes& image) { return CubinModule(image); }

}  // namespace detail
}  // namespace cuda_api
}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

/*!
 * \brief Declares an image that is embedded in the object file of this source.
 *
 * Use it at namespace scope. `tvm_ffi.utils.embed_cubin` and CMake's `tvm_ffi_embed_bin_into` embed
 * an image into an object file, and `tvm_ffi.cpp.load_inline` into a library. The image is loaded
 * when its first kernel is requested; if that fails, the next request tries again.
 */
#define TVM_FFI_EMBED_CUBIN(name)                                                               \
  extern "C" TVM_FFI_HIDDEN const char __tvm_ffi__cubin_##name[];                               \
  namespace {                                                                                   \
  struct TVMFFIEmbeddedCubin_##name {                                                           \
    static ::tvm::ffi::CubinModule& Get() {                                                     \
      static ::tvm::ffi::CubinModule module(static_cast<const char*>(__tvm_ffi__cubin_##name)); \
      return module;                                                                            \
    }                                                                                           \
  };                                                                                            \
  }

/*!
 * \brief Declares an image in an array of bytes, as written by bin2c or `#embed`, or in Bytes.
 */
#define TVM_FFI_EMBED_CUBIN_FROM_BYTES(name, imageBytes)                                           \
  namespace {                                                                                      \
  struct TVMFFIEmbeddedCubin_##name {                                                              \
    static ::tvm::ffi::CubinModule& Get() {                                                        \
      static ::tvm::ffi::CubinModule module = ::tvm::ffi::cuda_api::detail::LoadArray(imageBytes); \
      return module;                                                                               \
    }                                                                                              \
  };                                                                                               \
  }

/*!
 * \brief Returns a kernel of an embedded image; keep it in a static variable.
 * \throws Error As for the constructor of CubinModule and CubinModule::GetKernel.
 */
#define TVM_FFI_EMBED_CUBIN_GET_KERNEL(name, kernel_name) \
  (TVMFFIEmbeddedCubin_##name::Get()[kernel_name])

#endif  // TVM_FFI_EXTRA_CUDA_CUBIN_LAUNCHER_H_
