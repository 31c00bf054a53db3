// SPDX-License-Identifier: Apache-2.0
// y = x / scale in float8_e4m3fn, where scale makes the largest of each row of
// x the largest that y can hold, and the way back, on a GPU. Build with
// build_cuda.sh, run with load_quantize_fp8.py.

// [includes.begin]
#include "quantize_fp8_scale.h"
// [includes.end]

// [quantize_kernel.begin]
template <typename T, int kItems>
__global__ void __launch_bounds__(kMaxRowThreads, 2)
    quantize_kernel(const T* x, float8_e4m3fn* y, float* scales,
                    StridedLayout starts, int64_t rows, int64_t length) {
  using Items = Vector<T, kItems>;
  using Quantized = Vector<float8_e4m3fn, kItems>;
  RowPart<T, kItems> part;
  const int64_t stretch = part.stretch();
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.y;
  for (int64_t first = static_cast<int64_t>(blockIdx.x) * blockDim.y;
       first < rows; first += step) {
    // All threads take part in the reduction, those without a row with 0.
    const int64_t row = first + threadIdx.y;
    const int64_t n = row < rows ? length : 0;
    const T* from = x + (n == 0 ? 0 : starts.offset(row));
    float8_e4m3fn* to = y + row * length;

    float largest = 0;
    int64_t start = 0;
    for (; start < n; start += stretch) {
      part.load(from, start, n);
      part.each(start, n, [&](int64_t, int, const Items& items) {
        for (const T& item : items.items) {
          largest = fmaxf(largest, finite_magnitude(static_cast<float>(item)));
        }
      });
    }
    largest = reduce_row(largest, [](float a, float b) { return fmaxf(a, b); });
    const float scale = scale_for(largest);
    const float inverse = 1.0f / scale;
    if (threadIdx.x == 0 && row < rows) scales[row] = scale;

    // The last stretch is still in registers: a row that fits is read once.
    const int64_t held = start - stretch;
    for (start = held; start >= 0; start -= stretch) {
      if (start != held) part.load(from, start, n);
      part.each(start, n, [&](int64_t i, int, const Items& items) {
        Quantized out;
        for (int j = 0; j < kItems; ++j) {
          const float item = static_cast<float>(items.items[j]);
          out.items[j] = float8_e4m3fn(item * inverse);
        }
        *reinterpret_cast<Quantized*>(to + i) = out;
      });
    }
  }
}
// [quantize_kernel.end]

// [dequantize_kernel.begin]
template <typename T, int kItems>
__global__ void __launch_bounds__(kMaxRowThreads, 2)
    dequantize_kernel(const float8_e4m3fn* y, const float* scales, T* out,
                      StridedLayout starts, int64_t rows, int64_t length) {
  using C = typename Compute<T>::Type;
  using Quantized = Vector<float8_e4m3fn, kItems>;
  using Items = Vector<T, kItems>;
  RowPart<float8_e4m3fn, kItems> part;
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.y;
  for (int64_t row =
           static_cast<int64_t>(blockIdx.x) * blockDim.y + threadIdx.y;
       row < rows; row += step) {
    const C scale = static_cast<C>(scales[row]);
    const float8_e4m3fn* from = y + starts.offset(row);
    T* to = out + row * length;
    for (int64_t start = 0; start < length; start += part.stretch()) {
      part.load(from, start, length);
      part.each(start, length, [&](int64_t i, int, const Quantized& items) {
        Items wide;
        for (int j = 0; j < kItems; ++j) {
          const float item = static_cast<float>(items.items[j]);
          wide.items[j] = static_cast<T>(static_cast<C>(item) * scale);
        }
        *reinterpret_cast<Items*>(to + i) = wide;
      });
    }
  }
}
// [dequantize_kernel.end]

// [quantize.begin]
void quantize_fp8(ffi::TensorView x, ffi::TensorView y, ffi::TensorView scale) {
  CHECK_CUDA(x);
  CHECK_DTYPE_IN(x, FloatingTypes);
  CHECK_ALIGNED(x);
  CHECK_DENSE_ROWS(x);
  CHECK_SAME_DEVICE(y, x);
  CHECK_DTYPE(y, dl_float8_e4m3fn);
  CHECK_SAME_SHAPE(y, x);
  CHECK_CONTIGUOUS(y);
  CHECK_NO_PARTIAL_OVERLAP(y, x);
  CHECK_SCALE_OF(scale, x);
  CHECK_NO_PARTIAL_OVERLAP(scale, x);
  CHECK_NO_PARTIAL_OVERLAP(scale, y);
  const Rows rows("quantize_fp8", x);
  ffi::CUDADeviceGuard guard(x.device().device_id);
  cudaStream_t stream = get_stream(x);
  if (rows.count == 0) return;  // A grid of no blocks is an error.
  dispatch<FloatingTypes>(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* from = data_of<T>(x);
    float8_e4m3fn* to = data_of<float8_e4m3fn>(y);
    const auto launch = [&](auto items) {
      constexpr int kItems = decltype(items)::value;
      const dim3 block = row_block((rows.length + kItems - 1) / kItems);
      quantize_kernel<T, kItems>
          <<<blocks_for(rows.count, block.y), block, 0, stream>>>(
              from, to, data_of<float>(scale), rows.starts, rows.count,
              rows.length);
      TVM_FFI_CHECK_CUDA_ERROR(cudaGetLastError());
    };
    constexpr int kItems = Vector<T>::kSize;
    if (rows.length % kItems == 0 && rows.begin_at_multiples_of(kItems) &&
        is_aligned(from) && is_aligned(to, kItems)) {
      launch(std::integral_constant<int, kItems>{});
    } else {
      launch(std::integral_constant<int, 1>{});
    }
  });
}
// [quantize.end]

// [dequantize.begin]
void dequantize_fp8(ffi::TensorView y, ffi::TensorView scale,
                    ffi::TensorView out) {
  CHECK_CUDA(y);
  CHECK_DTYPE(y, dl_float8_e4m3fn);
  CHECK_DENSE_ROWS(y);
  CHECK_SCALE_OF(scale, y);
  CHECK_SAME_DEVICE(out, y);
  CHECK_DTYPE_IN(out, FloatingTypes);
  CHECK_SAME_SHAPE(out, y);
  CHECK_CONTIGUOUS(out);
  CHECK_ALIGNED(out);
  CHECK_NO_PARTIAL_OVERLAP(out, y);
  CHECK_NO_PARTIAL_OVERLAP(out, scale);
  const Rows rows("dequantize_fp8", y);
  ffi::CUDADeviceGuard guard(y.device().device_id);
  cudaStream_t stream = get_stream(y);
  if (y.numel() == 0) return;  // A grid of no blocks is an error.
  dispatch<FloatingTypes>(out.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const float8_e4m3fn* from = data_of<float8_e4m3fn>(y);
    T* to = data_of<T>(out);
    const auto launch = [&](auto items) {
      constexpr int kItems = decltype(items)::value;
      const dim3 block = row_block((rows.length + kItems - 1) / kItems);
      dequantize_kernel<T, kItems>
          <<<blocks_for(rows.count, block.y), block, 0, stream>>>(
              from, data_of<float>(scale), to, rows.starts, rows.count,
              rows.length);
      TVM_FFI_CHECK_CUDA_ERROR(cudaGetLastError());
    };
    constexpr int kItems = Vector<T>::kSize;
    if (rows.length % kItems == 0 && rows.begin_at_multiples_of(kItems) &&
        is_aligned(from, kItems) && is_aligned(to)) {
      launch(std::integral_constant<int, kItems>{});
    } else {
      launch(std::integral_constant<int, 1>{});
    }
  });
}
// [dequantize.end]

// [returning.begin]
// The same into a new tensor.
ffi::Tensor quantized_fp8(ffi::TensorView x, ffi::TensorView scale) {
  CHECK_CUDA(x);
  CHECK_DTYPE_IN(x, FloatingTypes);
  CHECK_ALIGNED(x);
  CHECK_DENSE_ROWS(x);
  CHECK_SCALE_OF(scale, x);
  CHECK_NO_PARTIAL_OVERLAP(scale, x);
  ffi::Tensor y = alloc_tensor(x.shape(), dl_float8_e4m3fn, x.device());
  quantize_fp8(x, y, scale);
  return y;
}
// [returning.end]

// [export.begin]
TVM_FFI_DLL_EXPORT_TYPED_FUNC(quantize_fp8, quantize_fp8);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(quantized_fp8, quantized_fp8);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(dequantize_fp8, dequantize_fp8);
// [export.end]
