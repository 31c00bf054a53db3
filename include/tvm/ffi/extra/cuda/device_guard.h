// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/extra/cuda/device_guard.h
 * \brief Makes a GPU the current one for a scope.
 */
#ifndef TVM_FFI_EXTRA_CUDA_DEVICE_GUARD_H_
#define TVM_FFI_EXTRA_CUDA_DEVICE_GUARD_H_

#include <tvm/ffi/extra/cuda/base.h>

#include <cstdio>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

/*! \brief Makes a GPU current, and the one before it again when the scope ends. */
class CUDADeviceGuard {
 public:
  /*! \brief Changes no GPU, now or later. */
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
   * A destructor does not throw: a failure is reported on stderr, and CUDA's last error cleared, so
   * that the next launch that is checked is not blamed for it.
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
