// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/extra/cuda/device_guard.h
 * \brief Selects the current GPU for a scope.
 */
#ifndef TVM_FFI_EXTRA_CUDA_DEVICE_GUARD_H_
#define TVM_FFI_EXTRA_CUDA_DEVICE_GUARD_H_

#include <tvm/ffi/extra/cuda/base.h>

#include <cstdio>
#include <memory>  // for libraries that include this header only

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

/*! \brief Makes a GPU current, and restores the previous one when the scope ends. */
class CUDADeviceGuard {
 public:
  /*! \brief Never changes the current GPU. */
  CUDADeviceGuard() = default;
  /*!
   * \brief Makes `device_id` the current GPU.
   * \throws Error A RuntimeError with CUDA's message if there is no such GPU.
   */
  explicit CUDADeviceGuard(int device_id) {
    int current = 0;
    TVM_FFI_CHECK_CUDA_ERROR(cudaGetDevice(&current));
    if (current == device_id) return;
    TVM_FFI_CHECK_CUDA_ERROR(cudaSetDevice(device_id));
    before_ = current;
  }
  CUDADeviceGuard(const CUDADeviceGuard&) = delete;
  CUDADeviceGuard& operator=(const CUDADeviceGuard&) = delete;

  /*!
   * \brief Makes the previous GPU current again.
   *
   * A destructor must not throw: a failure is reported on stderr, and CUDA's last error is cleared
   * so that the next checked launch does not report it.
   */
  ~CUDADeviceGuard() {
    if (before_ < 0) return;
    cudaError_t error = cudaSetDevice(before_);
    if (error != cudaSuccess) {
      static_cast<void>(cudaGetLastError());
      std::fprintf(stderr, "CUDADeviceGuard: cudaSetDevice(%d): %s\n", before_,
                   cudaGetErrorString(error));
    }
  }

 private:
  int before_ = -1;
};

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_EXTRA_CUDA_DEVICE_GUARD_H_
