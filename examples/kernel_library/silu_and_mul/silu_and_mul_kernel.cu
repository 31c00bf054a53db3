// SPDX-License-Identifier: Apache-2.0
// y = silu(a) * b, where a and b are the halves of each row of x, on a GPU.
// Build with build_cuda.sh, run with load_silu_and_mul.py.

// [includes.begin]
#include <algorithm>

#include "silu_and_mul_checks.h"
// [includes.end]

// [formula.begin]
// a / (1 + exp(-a)), computed from exp(-|a|), which never overflows: where a is
// far below 0, exp(-a) would become infinity, and the result 0, too soon. The
// divisor is between 1 and 2, where the fast division is off by at most two
// units in the last place.
__device__ inline float silu(float a) {
  const float power = expf(-fabsf(a));
  return __fdividef(a < 0 ? a * power : a, 1 + power);
}

__device__ inline double silu(double a) {
  const double power = exp(-fabs(a));
  return (a < 0 ? a * power : a) / (1 + power);
}
// [formula.end]

// [cuda_kernel.begin]
constexpr int kThreads = 256;
constexpr int kBlocksPerSm = 4;  // so a thread has at most 64 registers

// Blocks in x share a row, blocks in y share the rows. The output does not
// overlap the input, so loads may pass stores, as __restrict__ declares.
template <typename T, int kItems>
__global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    silu_and_mul_kernel(const T* __restrict__ x, T* __restrict__ y,
                        StridedLayout starts, int64_t rows, int64_t half) {
  using C = typename Compute<T>::Type;
  using Part = RowPart<T, kItems>;
  const T zero = static_cast<T>(0.0f);
  const int64_t row_step = static_cast<int64_t>(gridDim.y) * blockDim.y;
  const int64_t step = gridDim.x * Part::stretch();
  for (int64_t row =
           static_cast<int64_t>(blockIdx.y) * blockDim.y + threadIdx.y;
       row < rows; row += row_step) {
    const T* from = x + starts.offset(row);
    T* to = y + row * half;
    for (int64_t start = blockIdx.x * Part::stretch(); start < half;
         start += step) {
      Part a, b;
      a.load(from, start, half, zero);
      b.load(from + half, start, half, zero);
      Part::each(start, half, [&](int64_t i, int k) {
        Vector<T, kItems> out;
        for (int j = 0; j < kItems; ++j) {
          out.items[j] =
              static_cast<T>(silu(static_cast<C>(a.vectors[k].items[j])) *
                             static_cast<C>(b.vectors[k].items[j]));
        }
        store(to + i, out);
      });
    }
  }
}
// [cuda_kernel.end]

// [function.begin]
template <typename T, int kItems>
void launch(const Rows& rows, const T* x, T* y, cudaStream_t stream) {
  constexpr int64_t kMost = int64_t{kThreads} * kRowLoads;
  constexpr unsigned kMostInY = 65535;  // blocks, on every GPU
  const int64_t half = rows.length / 2;
  const int64_t vectors = (half + kItems - 1) / kItems;
  const dim3 block = row_block(std::min(vectors, kMost));
  const dim3 grid(blocks_for(vectors, int64_t{block.x} * kRowLoads),
                  std::min(blocks_for(rows.count, block.y), kMostInY));
  silu_and_mul_kernel<T, kItems>
      <<<grid, block, 0, stream>>>(x, y, rows.starts, rows.count, half);
  TVM_FFI_CHECK_CUDA_ERROR(cudaGetLastError());
}

void silu_and_mul(ffi::TensorView x, ffi::TensorView y) {
  CHECK_CUDA(x);
  CHECK_DTYPE_IN(x, FloatingTypes);
  CHECK_ALIGNED(x);
  CHECK_TWO_HALVES(x);
  CHECK_DENSE_ROWS(x);
  CHECK_SAME_DEVICE(y, x);
  CHECK_SAME_DTYPE(y, x);
  CHECK_LIKE_A_HALF(y, x);
  CHECK_CONTIGUOUS(y);
  CHECK_ALIGNED(y);
  CHECK_APART(y, x);
  const Rows rows("silu_and_mul", x);
  ffi::CUDADeviceGuard guard(x.device().device_id);
  cudaStream_t stream = get_stream(x);
  if (x.numel() == 0) return;  // An empty grid is an error.
  dispatch<FloatingTypes>(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* from = data_of<T>(x);
    T* to = data_of<T>(y);
    // 16 bytes at once where both halves of every row are aligned.
    constexpr int kItems = Vector<T>::kSize;
    if (rows.length % (2 * kItems) == 0 && rows.begin_at_multiples_of(kItems) &&
        is_aligned(from) && is_aligned(to)) {
      launch<T, kItems>(rows, from, to, stream);
    } else {
      launch<T, 1>(rows, from, to, stream);
    }
  });
}
// [function.end]

// [export.begin]
TVM_FFI_DLL_EXPORT_TYPED_FUNC(silu_and_mul, silu_and_mul);
// [export.end]
