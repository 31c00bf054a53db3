// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/extra/cuda/base.h
 * \brief Errors of the CUDA runtime as errors of this library.
 */
#ifndef TVM_FFI_EXTRA_CUDA_BASE_H_
#define TVM_FFI_EXTRA_CUDA_BASE_H_

#include <cuda_runtime.h>
#include <tvm/ffi/error.h>

/*!
 * \brief Calls a function of the CUDA runtime and throws a RuntimeError unless it gives
 * cudaSuccess.
 *
 * The message shows the call, the error's name and its description.
 *
 * The failure clears CUDA's last error, so that the next launch that is checked is not blamed for
 * it. An error that leaves the device unusable, such as an illegal address, is sticky: CUDA returns
 * it from every later call until the process ends.
 * \throws Error A RuntimeError if the call fails.
 */
#define TVM_FFI_CHECK_CUDA_ERROR(call)                                                             \
  do {                                                                                             \
    cudaError_t tvm_ffi_cuda_error = (call);                                                       \
    if (tvm_ffi_cuda_error != cudaSuccess) {                                                       \
      static_cast<void>(cudaGetLastError()); /* clears it */                                       \
      TVM_FFI_THROW(RuntimeError) << #call << ": " << cudaGetErrorName(tvm_ffi_cuda_error) << ": " \
                                  << cudaGetErrorString(tvm_ffi_cuda_error);                       \
    }                                                                                              \
  } while (0)

#endif  // TVM_FFI_EXTRA_CUDA_BASE_H_
