// SPDX-License-Identifier: Apache-2.0
// out = sum of x * y over the last dimension, on a GPU.
#include "kernels.h"

namespace vector_kernels {
namespace cuda {
namespace {

// Threads share rows as row_block() determines. A row that begins on a 16-byte
// boundary in both tensors is read in vectors, and its tail in single
// elements.
template <typename T>
__global__ void __launch_bounds__(kMaxRowThreads)
    vecdot_kernel(const T* x, const T* y, T* out, bool reads_vectors,
                  int64_t rows, int64_t n) {
  using C = typename Compute<T>::Type;
  constexpr int kSize = Vector<T>::kSize;
  constexpr int kSingles = 8;  // loads from each row at a time
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.y;
  for (int64_t first = static_cast<int64_t>(blockIdx.x) * blockDim.y;
       first < rows; first += step) {
    const int64_t row = first + threadIdx.y;
    // A thread without a row adds nothing, but takes part in the reduction.
    const int64_t length = row < rows ? n : 0;
    const T* left = x + row * n;
    const T* right = y + row * n;
    const bool aligned = reads_vectors && row * n % kSize == 0;
    const int64_t vectors = aligned ? length / kSize : 0;
    const auto* left_vectors = reinterpret_cast<const Vector<T>*>(left);
    const auto* right_vectors = reinterpret_cast<const Vector<T>*>(right);
    C sum = 0;
    const auto add = [&](const Vector<T>& a, const Vector<T>& b) {
#pragma unroll
      for (int k = 0; k < kSize; ++k)
        sum += static_cast<C>(a.items[k]) * static_cast<C>(b.items[k]);
    };
    // Two vectors of each row at a time.
    int64_t i = threadIdx.x;
#pragma unroll 1
    for (; i + blockDim.x < vectors; i += 2 * blockDim.x) {
      const Vector<T> a[] = {left_vectors[i], left_vectors[i + blockDim.x]};
      const Vector<T> b[] = {right_vectors[i], right_vectors[i + blockDim.x]};
      add(a[0], b[0]);
      add(a[1], b[1]);
    }
    if (i < vectors) add(left_vectors[i], right_vectors[i]);
    using Singles = RowPart<T, 1, kSingles>;
#pragma unroll 1
    for (int64_t start = vectors * kSize; start < length;
         start += Singles::stretch()) {
      Singles a, b;
      a.load(left, start, length, static_cast<T>(0.0f));
      b.load(right, start, length, static_cast<T>(0.0f));
#pragma unroll
      for (int k = 0; k < kSingles; ++k)
        sum += static_cast<C>(a.vectors[k].items[0]) *
               static_cast<C>(b.vectors[k].items[0]);
    }
    sum = reduce_row(sum, [](C a, C b) { return a + b; });
    if (threadIdx.x == 0 && row < rows) out[row] = static_cast<T>(sum);
  }
}

}  // namespace

void vecdot(ffi::TensorView x, ffi::TensorView y, ffi::TensorView out) {
  const int64_t rows = out.numel();
  if (rows == 0) return;  // An empty grid is an error.
  ffi::CUDADeviceGuard guard(x.device().device_id);
  dispatch<FloatingTypes>(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* from_x = data_of<T>(x);
    const T* from_y = data_of<T>(y);
    const int64_t n = x.size(-1);
    const dim3 block = row_block(n / Vector<T>::kSize);
    vecdot_kernel<T><<<blocks_for(rows, block.y), block, 0, get_stream(x)>>>(
        from_x, from_y, data_of<T>(out),
        is_aligned(from_x) && is_aligned(from_y), rows, n);
    TVM_FFI_CHECK_CUDA_ERROR(cudaGetLastError());
  });
}

}  // namespace cuda
}  // namespace vector_kernels
