// SPDX-License-Identifier: Apache-2.0
// y = x / sqrt(mean(x * x) + eps) * weight + bias, for each row of x, on a GPU.
// Build with build_cuda.sh, run with load_rms_norm.py.

// [includes.begin]
#include <tvm/ffi/optional.h>

#include "rms_norm_checks.h"
// [includes.end]

// [cuda_kernel.begin]
// The output overlaps neither weight nor bias, so they may be loaded while
// another thread stores, as __restrict__ declares. The output may be x itself.
template <typename T, int kItems, bool kWeight, bool kBias>
__global__ void __launch_bounds__(kMaxRowThreads)
    rms_norm_kernel(const T* x, T* y, const T* __restrict__ weight,
                    const T* __restrict__ bias, StridedLayout starts,
                    int64_t rows, int64_t length,
                    typename Compute<T>::Type eps) {
  using C = typename Compute<T>::Type;
  using Items = Vector<T, kItems>;
  using Part = RowPart<T, kItems>;
  const T zero = static_cast<T>(0.0f);
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.y;
  for (int64_t first = static_cast<int64_t>(blockIdx.x) * blockDim.y;
       first < rows; first += step) {
    // All threads take part in the reduction; those without a row contribute 0.
    const int64_t row = first + threadIdx.y;
    const int64_t n = row < rows ? length : 0;
    const T* from = x + (n == 0 ? 0 : starts.offset(row));
    T* to = y + row * length;

    // Weight and bias of the first chunk are loaded before the reduction.
    Part part, scale, shift;
    if constexpr (kWeight) scale.load(weight, 0, n, zero);
    if constexpr (kBias) shift.load(bias, 0, n, zero);
    C sum = 0;
    for (int64_t start = Part::last(n); start >= 0; start -= Part::stretch()) {
      part.load(from, start, n, zero);
      for (const Items& items : part.vectors) {
        for (const T& item : items.items) {
          sum += static_cast<C>(item) * static_cast<C>(item);
        }
      }
    }
    sum = reduce_row(sum, [](C a, C b) { return a + b; });
    const C factor = rsqrt(sum / static_cast<C>(length) + eps);

    const auto normalize = [&](int64_t i, int k) {
      Items out = part.vectors[k];
      for (int j = 0; j < kItems; ++j) {
        C value = static_cast<C>(out.items[j]) * factor;
        if constexpr (kWeight)
          value *= static_cast<C>(scale.vectors[k].items[j]);
        if constexpr (kBias) value += static_cast<C>(shift.vectors[k].items[j]);
        out.items[j] = static_cast<T>(value);
      }
      store(to + i, out);
    };
    // The first chunk is still in registers: a row that fits is read once. In a
    // longer row, the chunks read last are reread first, while they are still
    // cached.
    Part::each(0, n, normalize);
    for (int64_t start = Part::stretch(); start < n; start += Part::stretch()) {
      part.load(from, start, n, zero);
      if constexpr (kWeight) scale.load(weight, start, n, zero);
      if constexpr (kBias) shift.load(bias, start, n, zero);
      Part::each(start, n, normalize);
    }
  }
}
// [cuda_kernel.end]

// [launch.begin]
template <typename T, int kItems, bool kWeight, bool kBias>
void launch(const Rows& rows, const T* x, T* y, const T* weight, const T* bias,
            double eps, cudaStream_t stream) {
  const dim3 block = row_block((rows.length + kItems - 1) / kItems);
  rms_norm_kernel<T, kItems, kWeight, kBias>
      <<<blocks_for(rows.count, block.y), block, 0, stream>>>(
          x, y, weight, bias, rows.starts, rows.count, rows.length,
          static_cast<typename Compute<T>::Type>(eps));
  TVM_FFI_CHECK_CUDA_ERROR(cudaGetLastError());
}

// Calls body with a value that can be a template argument.
template <typename Body>
void with_constant(bool value, Body&& body) {
  value ? body(std::true_type{}) : body(std::false_type{});
}
// [launch.end]

// [validate.begin]
// This parameter order lets a caller omit bias, or both.
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
    CHECK_APART(y, weight);
  }
  if (maybe_bias.has_value()) {
    const ffi::TensorView bias = *maybe_bias;
    CHECK_LIKE_A_ROW(bias, x, rows);
    CHECK_APART(y, bias);
  }
  // [validate.end]

  // [run.begin]
  ffi::CUDADeviceGuard guard(x.device().device_id);
  cudaStream_t stream = get_stream(x);
  if (x.numel() == 0) return;  // An empty grid is an error.
  dispatch<FloatingTypes>(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* from = data_of<T>(x);
    T* to = data_of<T>(y);
    const T* weight = maybe_weight ? data_of<T>(*maybe_weight) : nullptr;
    const T* bias = maybe_bias ? data_of<T>(*maybe_bias) : nullptr;
    // 16 bytes at once where every row, the weight and the bias are aligned.
    constexpr int kItems = Vector<T>::kSize;
    const bool aligned = rows.length % kItems == 0 &&
                         rows.begin_at_multiples_of(kItems) &&
                         is_aligned(from) && is_aligned(to) &&
                         is_aligned(weight) && is_aligned(bias);
    with_constant(aligned, [&](auto vectors) {
      with_constant(weight != nullptr, [&](auto has_weight) {
        with_constant(bias != nullptr, [&](auto has_bias) {
          launch<T, decltype(vectors)::value ? kItems : 1,
                 decltype(has_weight)::value, decltype(has_bias)::value>(
              rows, from, to, weight, bias, eps, stream);
        });
      });
    });
  });
}
// [run.end]

// [export.begin]
TVM_FFI_DLL_EXPORT_TYPED_FUNC(rms_norm, rms_norm);
// [export.end]
