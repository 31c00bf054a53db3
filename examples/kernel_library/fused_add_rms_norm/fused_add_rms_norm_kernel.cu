// SPDX-License-Identifier: Apache-2.0
// residual += x; y = residual / sqrt(mean(residual * residual) + eps) * weight,
// or that divided by scale in float8_e4m3fn, for each row, on a GPU. Build with
// build_cuda.sh, run with load_fused_add_rms_norm.py.

// [includes.begin]
#include "fused_add_rms_norm_checks.h"
// [includes.end]

// [overlap.begin]
// Code for sm_80 and sm_89 has neither; stream order is enough there.
__device__ void let_next_kernel_begin() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}

__device__ void wait_for_previous_kernel() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}
// [overlap.end]

// [cuda_kernel.begin]
// y may be x itself. Everything else overlaps no output, so it may be loaded
// while another thread stores, as __restrict__ declares.
template <typename T, typename Out, int kItems, bool kWeight>
__global__ void __launch_bounds__(kMaxRowThreads)
    fused_add_rms_norm_kernel(const T* x, T* __restrict__ residual, Out* y,
                              const T* __restrict__ weight,
                              const float* __restrict__ scale,
                              StridedLayout starts, int64_t rows,
                              int64_t length, float eps) {
  using Part = RowPart<T, kItems>;
  let_next_kernel_begin();
  const T zero = static_cast<T>(0.0f);
  constexpr bool kScale = !std::is_same<T, Out>::value;
  const float divisor = kScale ? *scale : 1.0f;
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.y;
  for (int64_t first = static_cast<int64_t>(blockIdx.x) * blockDim.y;
       first < rows; first += step) {
    // All threads take part in the reduction; those without a row contribute 0.
    const int64_t row = first + threadIdx.y;
    const int64_t n = row < rows ? length : 0;
    const T* from = x + (n == 0 ? 0 : starts.offset(row));
    T* kept = residual + row * length;
    Out* to = y + row * length;

    // The weight of the first chunk is loaded before the reduction.
    Part part, times;
    if constexpr (kWeight) times.load(weight, 0, n, zero);
    wait_for_previous_kernel();  // Every thread waits: every block has a row.
    float sum = 0;
    for (int64_t start = Part::last(n); start >= 0; start -= Part::stretch()) {
      Part items;
      part.load(kept, start, n, zero);
      items.load(from, start, n, zero);
      for (int k = 0; k < kRowLoads; ++k) {
        for (int j = 0; j < kItems; ++j) {
          T& item = part.vectors[k].items[j];
          item = static_cast<T>(static_cast<float>(item) +
                                static_cast<float>(items.vectors[k].items[j]));
          sum += static_cast<float>(item) * static_cast<float>(item);
        }
      }
      Part::each(start, n,
                 [&](int64_t i, int k) { store(kept + i, part.vectors[k]); });
    }
    sum = reduce_row(sum, [](float a, float b) { return a + b; });
    float factor = rsqrtf(sum / static_cast<float>(length) + eps);
    if constexpr (kScale) factor /= divisor;

    const auto normalize = [&](int64_t i, int k) {
      Vector<Out, kItems> out;
      for (int j = 0; j < kItems; ++j) {
        float value = static_cast<float>(part.vectors[k].items[j]) * factor;
        if constexpr (kWeight)
          value *= static_cast<float>(times.vectors[k].items[j]);
        out.items[j] = static_cast<Out>(value);
      }
      store(to + i, out);
    };
    // The sums of the first chunk are still in registers: a row that fits is
    // read once. The other chunks of a longer row are reread from the residual,
    // by the thread that stored them.
    Part::each(0, n, normalize);
    for (int64_t start = Part::stretch(); start < n; start += Part::stretch()) {
      part.load(kept, start, n, zero);
      if constexpr (kWeight) times.load(weight, start, n, zero);
      Part::each(start, n, normalize);
    }
  }
}
// [cuda_kernel.end]

// [launch.begin]
template <int kItems, bool kWeight, bool kEarly, typename T, typename Out>
void launch(const Rows& rows, const T* x, T* residual, Out* y, const T* weight,
            const float* scale, double eps, cudaStream_t stream) {
  cudaLaunchConfig_t config{};
  config.blockDim = row_block((rows.length + kItems - 1) / kItems);
  config.gridDim = blocks_for(rows.count, config.blockDim.y);
  config.stream = stream;
  cudaLaunchAttribute early{};
  if (kEarly) {
    // Code for an older device, which may also run here, cannot wait.
    cudaFuncAttributes attributes{};
    TVM_FFI_CHECK_CUDA_ERROR(cudaFuncGetAttributes(
        &attributes, fused_add_rms_norm_kernel<T, Out, kItems, kWeight>));
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    config.attrs = &early;
    config.numAttrs = attributes.ptxVersion >= 90 ? 1 : 0;
  }
  TVM_FFI_CHECK_CUDA_ERROR(cudaLaunchKernelEx(
      &config, fused_add_rms_norm_kernel<T, Out, kItems, kWeight>, x, residual,
      y, weight, scale, rows.starts, rows.count, rows.length,
      static_cast<float>(eps)));
}

// Calls body with a value that can be a template argument.
template <typename Body>
void with_constant(bool value, Body&& body) {
  value ? body(std::true_type{}) : body(std::false_type{});
}
// [launch.end]

// [validate.begin]
// This parameter order lets a caller omit scale, or both.
template <bool kEarly>
void fused_add_rms_norm(ffi::TensorView x, ffi::TensorView residual,
                        ffi::TensorView y, double eps,
                        ffi::Optional<ffi::TensorView> maybe_weight,
                        ffi::Optional<ffi::TensorView> maybe_scale) {
  CHECK_CUDA(x);
  CHECK_DTYPE_IN(x, Types);
  CHECK_ALIGNED(x);
  CHECK_DENSE_ROWS(x);
  CHECK_SAME_DEVICE(residual, x);
  CHECK_SAME_DTYPE(residual, x);
  CHECK_SAME_SHAPE(residual, x);
  CHECK_CONTIGUOUS(residual);
  CHECK_ALIGNED(residual);
  CHECK_APART(residual, x);
  CHECK_SAME_DEVICE(y, x);
  CHECK_DTYPE(y, maybe_scale.has_value() ? dl_float8_e4m3fn : x.dtype());
  CHECK_SAME_SHAPE(y, x);
  CHECK_CONTIGUOUS(y);
  CHECK_ALIGNED(y);
  CHECK_NO_PARTIAL_OVERLAP(y, x);
  CHECK_APART(y, residual);
  const Rows rows("fused_add_rms_norm", x);
  if (maybe_weight.has_value()) {
    const ffi::TensorView weight = *maybe_weight;
    CHECK_LIKE_A_ROW(weight, x, rows);
    CHECK_APART(y, weight);
    CHECK_APART(residual, weight);
  }
  if (maybe_scale.has_value()) {
    const ffi::TensorView scale = *maybe_scale;
    CHECK_ONE_NUMBER_BESIDE(scale, x);
    CHECK_APART(y, scale);
    CHECK_APART(residual, scale);
  }
  // [validate.end]

  // [run.begin]
  ffi::CUDADeviceGuard guard(x.device().device_id);
  cudaStream_t stream = get_stream(x);
  if (x.numel() == 0) return;  // An empty grid is an error.
  dispatch<Types>(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* from = data_of<T>(x);
    T* kept = data_of<T>(residual);
    const T* weight = maybe_weight ? data_of<T>(*maybe_weight) : nullptr;
    const float* scale = maybe_scale ? data_of<float>(*maybe_scale) : nullptr;
    // Whole vectors where every row, and all that is used with it, is aligned.
    constexpr int kItems = Vector<T>::kSize;
    const auto run = [&](auto* to) {
      const bool aligned =
          rows.length % kItems == 0 && rows.begin_at_multiples_of(kItems) &&
          is_aligned(from) && is_aligned(kept) && is_aligned(weight) &&
          is_aligned(to, sizeof(*to) * kItems);
      with_constant(aligned, [&](auto vectors) {
        with_constant(weight != nullptr, [&](auto has_weight) {
          launch<decltype(vectors)::value ? kItems : 1,
                 decltype(has_weight)::value, kEarly>(
              rows, from, kept, to, weight, scale, eps, stream);
        });
      });
    };
    if (scale != nullptr) {
      run(data_of<float8_e4m3fn>(y));
    } else {
      run(data_of<T>(y));
    }
  });
}
// [run.end]

// [export.begin]
TVM_FFI_DLL_EXPORT_TYPED_FUNC(fused_add_rms_norm, fused_add_rms_norm<false>);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(fused_add_rms_norm_early,
                              fused_add_rms_norm<true>);
// [export.end]
