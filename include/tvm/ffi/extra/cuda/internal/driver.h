// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/extra/cuda/internal/driver.h
 * \brief Looks up functions of the CUDA driver at their first call.
 *
 * A library linked against libcuda cannot be loaded if no driver is installed. A library that looks
 * it up at the first call can be loaded, and the call then reports the missing driver.
 */
#ifndef TVM_FFI_EXTRA_CUDA_INTERNAL_DRIVER_H_
#define TVM_FFI_EXTRA_CUDA_INTERNAL_DRIVER_H_

#include <cuda.h>
#include <dlfcn.h>
#include <tvm/ffi/error.h>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {
namespace cuda_api {
namespace detail {

/*! \brief The name of a result, such as CUDA_ERROR_NO_DEVICE. */
inline const char* NameOf(void* driver, CUresult result) {
  auto ask = reinterpret_cast<decltype(&cuGetErrorName)>(dlsym(driver, "cuGetErrorName"));
  const char* name = nullptr;
  if (ask != nullptr) static_cast<void>(ask(result, &name));
  return name != nullptr ? name : "an unknown error";
}

/*! \brief Loads and initializes the driver. */
inline void* StartDriver() {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (driver == nullptr) {
    TVM_FFI_THROW(RuntimeError) << "CUDA driver: expected libcuda.so.1, which the NVIDIA driver "
                                << "installs, got none: " << dlerror();
  }
  auto start = reinterpret_cast<decltype(&cuInit)>(dlsym(driver, "cuInit"));
  const CUresult result = start == nullptr ? CUDA_ERROR_NOT_FOUND : start(0);
  if (result != CUDA_SUCCESS) {
    TVM_FFI_THROW(RuntimeError) << "CUDA driver: cuInit: " << NameOf(driver, result);
  }
  return driver;
}

/*! \brief The driver; retried at the next call if it cannot be loaded or initialized. */
inline void* Driver() {
  static void* const driver = StartDriver();
  return driver;
}

/*!
 * \brief Returns the address of a driver function.
 * \throws Error A RuntimeError if there is no driver, or if it is too old to have the function.
 */
inline void* FindInDriver(const char* name) {
  void* function = dlsym(Driver(), name);
  if (function == nullptr) {
    TVM_FFI_THROW(RuntimeError) << "CUDA driver: expected a driver with " << name
                                << ", got an older one: update the NVIDIA driver";
  }
  return function;
}

}  // namespace detail
}  // namespace cuda_api
}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

//! \cond
// cuda.h renames some functions with a macro: the final name is looked up.
#define TVM_FFI_CUDA_TEXT_(name) #name
#define TVM_FFI_CUDA_TEXT(name) TVM_FFI_CUDA_TEXT_(name)
// A function of the driver, looked up once.
#define TVM_FFI_CUDA_DRIVER(name)                                             \
  ([] {                                                                       \
    static const auto function = reinterpret_cast<decltype(&name)>(           \
        ::tvm::ffi::cuda_api::detail::FindInDriver(TVM_FFI_CUDA_TEXT(name))); \
    return function;                                                          \
  }())
//! \endcond

#endif  // TVM_FFI_EXTRA_CUDA_INTERNAL_DRIVER_H_
