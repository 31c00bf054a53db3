// SPDX-License-Identifier: Apache-2.0
// y = x * scale + bias on a GPU.
#include "scale_rows.h"

namespace {

// [kernel.begin]
// Blocks along x share the rows, and blocks along y the columns of each row.
// Adjacent threads read and write adjacent elements.
template <typename T>
__global__ void scale_rows_kernel(const T* x, int64_t stride, const T* scale,
                                  const T* bias, T* y, int64_t rows,
                                  int64_t columns) {
  using C = typename Compute<T>::Type;
  const int64_t first = int64_t{blockIdx.y} * blockDim.x + threadIdx.x;
  const int64_t step = int64_t{gridDim.y} * blockDim.x;
  for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
    const C factor = static_cast<C>(scale[row]);
    for (int64_t i = first; i < columns; i += step) {
      const C shift = bias == nullptr ? C(0) : static_cast<C>(bias[i]);
      y[row * columns + i] = static_cast<T>(
          scaled(static_cast<C>(x[row * stride + i]), factor, shift));
    }
  }
}
// [kernel.end]

}  // namespace

// [function.begin]
void scale_rows_cuda(const ffi::TensorView& x, const ffi::TensorView& scale,
                     const ffi::TensorView& y, const ffi::TensorView* bias) {
  ffi::CUDADeviceGuard guard(x.device().device_id);
  cudaStream_t stream = get_stream(x);
  dispatch<FloatingTypes>(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const int64_t rows = x.size(0);
    const int64_t columns = x.size(1);
    if (x.numel() == 0) return;  // An empty grid is an error.
    const int threads = 256;
    const unsigned most = 65535;  // blocks that CUDA allows along y
    const dim3 grid(blocks_for(rows, 1),
                    min(blocks_for(columns, threads), most));
    scale_rows_kernel<T><<<grid, threads, 0, stream>>>(
        data_of<T>(x), row_stride(x), data_of<T>(scale),
        bias == nullptr ? nullptr : data_of<T>(*bias), data_of<T>(y), rows,
        columns);
    TVM_FFI_CHECK_CUDA_ERROR(cudaGetLastError());
  });
}
// [function.end]
