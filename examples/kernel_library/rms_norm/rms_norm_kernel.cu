// SPDX-License-Identifier: Apache-2.0
// y = x / sqrt(mean(x * x) + eps) * weight + bias, for each row of x, on a GPU.
// Build with build_cuda.sh, run with load_rms_norm.py.

// [includes.begin]
#include <tvm/ffi/optional.h>

#include "rms_norm_checks.h"
// [includes.end]

// [cuda_kernel.begin]
template <typename T, int kItems>
__global__ void __launch_bounds__(kMaxRowThreads, 2)
    rms_norm_kernel(const T* x, T* y, const T* weight, const T* bias,
                    StridedLayout starts, int64_t rows, int64_t length,
                    typename Compute<T>::Type eps) {
  using C = typename Compute<T>::Type;
  using Items = Vector<T, kItems>;
  RowPart<T, kItems> part;
  const int64_t stretch = part.stretch();
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.y;
  for (int64_t first = static_cast<int64_t>(blockIdx.x) * blockDim.y;
       first < rows; first += step) {
    // All threads take part in the reduction, those without a row with 0.
    const int64_t row = first + threadIdx.y;
    const int64_t n = row < rows ? length : 0;
    const T* from = x + (n == 0 ? 0 : starts.offset(row));
    T* to = y + row * length;

    C sum = 0;
    int64_t start = 0;
    for (; start < n; start += stretch) {
      part.load(from, start, n);
      part.each(start, n, [&](int64_t, int, const Items& items) {
        for (const T& item : items.items) {
          sum += static_cast<C>(item) * static_cast<C>(item);
        }
      });
    }
    sum = reduce_row(sum, [](C a, C b) { return a + b; });
    const C factor = C{1} / sqrt(sum / static_cast<C>(length) + eps);

    // The last stretch is still in registers: a row that fits is read once.
    // Of a longer one, what was read last is read again first, while a cache
    // has it.
    const int64_t held = start - stretch;
    for (start = held; start >= 0; start -= stretch) {
      if (start != held) part.load(from, start, n);
      part.each(start, n, [&](int64_t i, int, const Items& items) {
        Items out, scale, shift;
        if (weight) scale = *reinterpret_cast<const Items*>(weight + i);
        if (bias) shift = *reinterpret_cast<const Items*>(bias + i);
        for (int j = 0; j < kItems; ++j) {
          C value = static_cast<C>(items.items[j]) * factor;
          if (weight) value *= static_cast<C>(scale.items[j]);
          if (bias) value += static_cast<C>(shift.items[j]);
          out.items[j] = static_cast<T>(value);
        }
        *reinterpret_cast<Items*>(to + i) = out;
      });
    }
  }
}
// [cuda_kernel.end]

// [launch.begin]
template <typename T, int kItems>
void launch(const Rows& rows, const T* x, T* y, const T* weight, const T* bias,
            double eps, cudaStream_t stream) {
  const dim3 block = row_block((rows.length + kItems - 1) / kItems);
  rms_norm_kernel<T, kItems>
      <<<blocks_for(rows.count, block.y), block, 0, stream>>>(
          x, y, weight, bias, rows.starts, rows.count, rows.length,
          static_cast<typename Compute<T>::Type>(eps));
  TVM_FFI_CHECK_CUDA_ERROR(cudaGetLastError());
}
// [launch.end]

// [validate.begin]
// The order of the parameters lets a caller leave bias, or both, out.
void rms_norm(ffi::TensorView x, ffi::TensorView y, double eps,
              ffi::Optional<ffi::TensorView> maybe_weight,
              ffi::Optional<ffi::TensorView> maybe_bias) {
  CHECK_CUDA(x);
  CHECK_DTYPE_IN(x, FloatingTypes);
  CHECK_ALIGNED(x);
  CHECK_DENSE_ROWS(x);
  CHECK_SAME_DEVICE(y, x);
  CHECK_SAME_DTYPE(y, x);
  CHECK_SAME_SHAPE(y, x);
  CHECK_CONTIGUOUS(y);
  CHECK_ALIGNED(y);
  CHECK_NO_PARTIAL_OVERLAP(y, x);
  const Rows rows("rms_norm", x);
  if (maybe_weight.has_value()) {
    const ffi::TensorView weight = *maybe_weight;
    CHECK_LIKE_A_ROW(weight, x, rows);
    CHECK_NO_PARTIAL_OVERLAP(y, weight);
  }
  if (maybe_bias.has_value()) {
    const ffi::TensorView bias = *maybe_bias;
    CHECK_LIKE_A_ROW(bias, x, rows);
    CHECK_NO_PARTIAL_OVERLAP(y, bias);
  }
  // [validate.end]

  // [run.begin]
  ffi::CUDADeviceGuard guard(x.device().device_id);
  cudaStream_t stream = get_stream(x);
  if (x.numel() == 0) return;  // A grid of no blocks is an error.
  dispatch<FloatingTypes>(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* from = data_of<T>(x);
    T* to = data_of<T>(y);
    const T* weight = maybe_weight ? data_of<T>(*maybe_weight) : nullptr;
    const T* bias = maybe_bias ? data_of<T>(*maybe_bias) : nullptr;
    // 16 bytes at once where every row, and all that goes with it, is aligned.
    constexpr int kItems = Vector<T>::kSize;
    if (rows.length % kItems == 0 && rows.begin_at_multiples_of(kItems) &&
        is_aligned(from) && is_aligned(to) && is_aligned(weight) &&
        is_aligned(bias)) {
      launch<T, kItems>(rows, from, to, weight, bias, eps, stream);
    } else {
      launch<T, 1>(rows, from, to, weight, bias, eps, stream);
    }
  });
}
// [run.end]

// [export.begin]
TVM_FFI_DLL_EXPORT_TYPED_FUNC(rms_norm, rms_norm);
// [export.end]
