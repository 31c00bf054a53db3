// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/extra/cuda/base.h
 * \brief Converts CUDA runtime errors to errors of this library; the size of a grid or a block.
 */
#ifndef TVM_FFI_EXTRA_CUDA_BASE_H_
#define TVM_FFI_EXTRA_CUDA_BASE_H_

#include <cuda_runtime.h>
#include <tvm/ffi/error.h>

/*!
 * \brief Calls a function of the CUDA runtime and throws a RuntimeError unless it returns
 * cudaSuccess.
 *
 * The message shows the call, the error's name and its description.
 *
 * The failure clears CUDA's last error, so that the next checked launch does not report it.
 * An error that leaves the device unusable, such as an illegal address, is sticky: CUDA returns
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

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

/*!
 * \brief The size of a grid in blocks, or of a block in threads; omitted sizes are 1.
 *
 * It has the members of CUDA's own `dim3`, and is the same type whichever CUDA API launches the
 * kernel.
 */
struct dim3 {
  /*! \brief The size in the first dimension, whose index varies fastest. */
  unsigned int x = 1;
  /*! \brief The size in the second dimension. */
  unsigned int y = 1;
  /*! \brief The size in the third dimension. */
  unsigned int z = 1;
  /*! \brief Constructs the size of one block or one thread. */
  dim3() = default;
  /*! \brief Constructs a size in one dimension. */
  explicit dim3(unsigned int x_) : x(x_) {}
  /*! \brief Constructs a size in two dimensions. */
  dim3(unsigned int x_, unsigned int y_) : x(x_), y(y_) {}
  /*! \brief Constructs a size in three dimensions. */
  dim3(unsigned int x_, unsigned int y_, unsigned int z_) : x(x_), y(y_), z(z_) {}
};

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_EXTRA_CUDA_BASE_H_
