// SPDX-License-Identifier: Apache-2.0
// y = x / scale in float8_e4m3fn, where scale maps the largest magnitude of
// each row of x to the largest that y can hold, and the inverse, on a GPU.
// Build with build_cuda.sh, run with load_quantize_fp8.py.

// [includes.begin]
#include "quantize_fp8_scale.h"
// [includes.end]

// [quantize_kernel.begin]
// sm_89 and newer round two numbers in one instruction.
template <int kItems>
__device__ Vector<float8_e4m3fn, kItems> narrowed(
    const Vector<float, kItems>& wide) {
  Vector<float8_e4m3fn, kItems> out;
  for (int j = 0; j + 1 < kItems; j += 2) {
    const __nv_fp8x2_e4m3 pair(make_float2(wide.items[j], wide.items[j + 1]));
    memcpy(&out.items[j], &pair, sizeof(pair));
  }
  if constexpr (kItems == 1) out.items[0] = float8_e4m3fn(wide.items[0]);
  return out;
}

// Vectors of a row that a thread holds: one of 16 elements, which takes several
// 16-byte loads. Single elements keep memory busy only if there are many.
template <int kItems>
constexpr int kLoadsOf = kItems == 16 ? 1
                         : kItems > 1 ? kRowLoads
                                      : 8;

template <typename T, int kItems>
__global__ void __launch_bounds__(kMaxRowThreads)
    quantize_kernel(const T* x, float8_e4m3fn* y, float* scales,
                    StridedLayout starts, int64_t rows, int64_t length) {
  using Part = RowPart<T, kItems, kLoadsOf<kItems>>;
  const T zero = static_cast<T>(0.0f);
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.y;
  for (int64_t first = static_cast<int64_t>(blockIdx.x) * blockDim.y;
       first < rows; first += step) {
    // All threads take part in the reduction; those without a row contribute 0.
    const int64_t row = first + threadIdx.y;
    const int64_t n = row < rows ? length : 0;
    const T* from = x + (n == 0 ? 0 : starts.offset(row));
    float8_e4m3fn* to = y + row * length;

    Vector<float, kItems> numbers[kLoadsOf<kItems>];
    const auto load = [&](int64_t start) {
      Part part;
      part.load(from, start, n, zero);
      for (int k = 0; k < kLoadsOf<kItems>; ++k) {
        for (int j = 0; j < kItems; ++j) {
          numbers[k].items[j] = static_cast<float>(part.vectors[k].items[j]);
        }
      }
    };
    float largest = 0;
    for (int64_t start = Part::last(n); start >= 0; start -= Part::stretch()) {
      load(start);
      for (const auto& vector : numbers) {
        for (float number : vector.items) {
          largest = fmaxf(largest, finite_magnitude(number));
        }
      }
    }
    largest = reduce_row(largest, [](float a, float b) { return fmaxf(a, b); });
    const float scale = scale_for(largest);
    const float inverse = 1.0f / scale;
    if (threadIdx.x == 0 && row < rows) scales[row] = scale;

    const auto quantize = [&](int64_t i, int k) {
      for (float& number : numbers[k].items) number *= inverse;
      store(to + i, narrowed(numbers[k]));
    };
    // The first chunk is still in registers: a row that fits is read once.
    Part::each(0, n, quantize);
    for (int64_t start = Part::stretch(); start < n; start += Part::stretch()) {
      load(start);
      Part::each(start, n, quantize);
    }
  }
}
// [quantize_kernel.end]

// [dequantize_kernel.begin]
template <int kItems>
__device__ Vector<float, kItems> widened(
    const Vector<float8_e4m3fn, kItems>& narrow) {
  Vector<float, kItems> out;
  for (int j = 0; j + 1 < kItems; j += 2) {
    __nv_fp8x2_e4m3 pair;
    memcpy(&pair, &narrow.items[j], sizeof(pair));
    const float2 two = static_cast<float2>(pair);
    out.items[j] = two.x;
    out.items[j + 1] = two.y;
  }
  if constexpr (kItems == 1) out.items[0] = static_cast<float>(narrow.items[0]);
  return out;
}

// Each thread stores 16 bytes at once, adjacent to its neighbors'. The loads
// are therefore short, and there are more of them.
template <int kItems>
constexpr int kNarrowLoads = kItems > 1 ? 4 : 8;

template <typename T, int kItems>
__global__ void __launch_bounds__(kMaxRowThreads)
    dequantize_kernel(const float8_e4m3fn* y, const float* scales, T* out,
                      StridedLayout starts, int64_t rows, int64_t length) {
  using C = typename Compute<T>::Type;
  using Part = RowPart<float8_e4m3fn, kItems, kNarrowLoads<kItems>>;
  const float8_e4m3fn zero = static_cast<float8_e4m3fn>(0.0f);
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.y;
  for (int64_t row =
           static_cast<int64_t>(blockIdx.x) * blockDim.y + threadIdx.y;
       row < rows; row += step) {
    // The output may be the scale itself, so a thread without an element must
    // not read it: another thread may be writing it.
    const bool any = int64_t{threadIdx.x} * kItems < length;
    const C scale = any ? static_cast<C>(scales[row]) : C{0};
    const float8_e4m3fn* from = y + starts.offset(row);
    T* to = out + row * length;
    for (int64_t start = 0; start < length; start += Part::stretch()) {
      Part part;
      part.load(from, start, length, zero);
      Part::each(start, length, [&](int64_t i, int k) {
        const Vector<float, kItems> items = widened(part.vectors[k]);
        Vector<T, kItems> wide;
        for (int j = 0; j < kItems; ++j) {
          wide.items[j] =
              static_cast<T>(static_cast<C>(items.items[j]) * scale);
        }
        store(to + i, wide);
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
  if (rows.count == 0) return;  // An empty grid is an error.
  dispatch<FloatingTypes>(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* from = data_of<T>(x);
    float8_e4m3fn* to = data_of<float8_e4m3fn>(y);
    const auto launch = [&](auto items) {
      constexpr int kItems = decltype(items)::value;
      const dim3 block =
          row_block((rows.length + kItems - 1) / kItems, kLoadsOf<kItems>);
      quantize_kernel<T, kItems>
          <<<blocks_for(rows.count, block.y), block, 0, stream>>>(
              from, to, data_of<float>(scale), rows.starts, rows.count,
              rows.length);
      TVM_FFI_CHECK_CUDA_ERROR(cudaGetLastError());
    };
    // 16 elements at once, which are 16 bytes of y, where all rows allow it;
    // otherwise 16 bytes of x at once, or single elements.
    const auto may_take = [&](int items) {
      return rows.length % items == 0 && rows.begin_at_multiples_of(items) &&
             is_aligned(from) && is_aligned(to, items);
    };
    constexpr int kItems = Vector<T>::kSize;
    if (may_take(16)) {
      launch(std::integral_constant<int, 16>{});
    } else if (may_take(kItems)) {
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
  if (y.numel() == 0) return;  // An empty grid is an error.
  dispatch<FloatingTypes>(out.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const float8_e4m3fn* from = data_of<float8_e4m3fn>(y);
    T* to = data_of<T>(out);
    const auto launch = [&](auto items) {
      constexpr int kItems = decltype(items)::value;
      const dim3 block =
          row_block((rows.length + kItems - 1) / kItems, kNarrowLoads<kItems>);
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
// The same, into a new tensor.
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
