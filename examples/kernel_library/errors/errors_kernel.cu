// SPDX-License-Identifier: Apache-2.0
// Every kind of error that a kernel's host code may throw. Build with
// build_cuda.sh, run with load_errors.py.

#include "failures.h"

template <typename T>
__global__ void first_column_kernel(const T* x, int64_t stride,
                                    const uint8_t* keep, T* y, int64_t n) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
       i < n; i += step) {
    y[i] = keep[i] != 0 ? x[i * stride] : static_cast<T>(0.0f);
  }
}

// [tensors.begin]
// y[i] = x[i, 0] where keep[i], otherwise 0. Every property that the loop needs
// is checked, beginning with those that the other checks depend on.
void first_column(ffi::TensorView x, ffi::TensorView keep, ffi::TensorView y) {
  CHECK_CUDA(x);
  CHECK_DIM(2, x);
  CHECK_DTYPE_IN(x, FloatingTypes);
  CHECK_DENSE_ROWS(x);
  CHECK_ALIGNED(x);
  CHECK_OR_THROW(x.size(1) > 0, ValueError, x, "of one column or more",
                 "shape " << text_of(x.shape()));
  CHECK_SAME_DEVICE(y, x);
  CHECK_SAME_DTYPE(y, x);
  CHECK_DIM(1, y);
  CHECK_OR_THROW(y.size(0) == x.size(0), ValueError, y,
                 "as long as x has rows, " << x.size(0), y.size(0));
  CHECK_CONTIGUOUS(y);
  CHECK_ALIGNED(y);
  CHECK_NO_PARTIAL_OVERLAP(y, x);
  CHECK_SAME_DEVICE(keep, x);
  CHECK_DTYPE(keep, dl_bool);
  CHECK_SAME_SHAPE(keep, y);
  CHECK_CONTIGUOUS(keep);
  CHECK_NO_PARTIAL_OVERLAP(y, keep);
  ffi::CUDADeviceGuard guard(x.device().device_id);
  cudaStream_t stream = get_stream(x);
  const int64_t n = x.size(0);
  if (n == 0) return;  // An empty grid is an error.
  dispatch<FloatingTypes>(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    first_column_kernel<<<blocks_for(n, 256), 256, 0, stream>>>(
        data_of<const T>(x), x.stride(0), data_of<const uint8_t>(keep),
        data_of<T>(y), n);
    TVM_FFI_CHECK_CUDA_ERROR(cudaGetLastError());
  });
}
// [tensors.end]

// [cuda.begin]
__global__ void nothing_kernel() {}

// A rejected launch reports its error at once, if it is checked.
void launch(int64_t device_id, int64_t threads) {
  ffi::CUDADeviceGuard guard(static_cast<int>(device_id));
  nothing_kernel<<<1, static_cast<unsigned>(threads)>>>();
  TVM_FFI_CHECK_CUDA_ERROR(cudaGetLastError());
}
// [cuda.end]

TVM_FFI_DLL_EXPORT_TYPED_FUNC(first_column, first_column);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(launch, launch);
