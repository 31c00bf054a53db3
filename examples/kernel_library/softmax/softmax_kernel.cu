// SPDX-License-Identifier: Apache-2.0
// y = exp(x) / sum(exp(x)), for each row of x, on a GPU. Build with
// build_cuda.sh, run with load_softmax.py.

// [includes.begin]
#include "../tvm_ffi_utils.h"
// [includes.end]

// [online.begin]
// exp(x). In float32, a GPU computes 2^x in fewer instructions than e^x.
// Rounding the exponent x * log2(e) adds a relative error of about
// |x| * 2^-24.
__device__ inline float power(float x) { return exp2f(x * 1.44269504f); }
__device__ inline double power(double x) { return exp(x); }

// The value to subtract from each element: the largest one, or 0 if all are
// -inf, since x - largest would be NaN.
template <typename C>
__device__ C shift_for(C largest) {
  return largest == -INFINITY ? C{0} : largest;
}
// [online.end]

// [cuda_kernel.begin]
// Number of loads per thread before the first is used: of vectors, or of single
// elements where rows are not aligned. The smaller the loads, the more of them
// keep memory busy; eight of float64 need too many registers.
template <typename T, int kItems>
constexpr int kLoads = kItems > 1       ? kRowLoads
                       : sizeof(T) == 8 ? 4
                                        : 8;

template <typename T, int kItems>
__global__ void __launch_bounds__(kMaxRowThreads)
    softmax_kernel(const T* x, T* y, StridedLayout starts, int64_t rows,
                   int64_t length) {
  using C = typename Compute<T>::Type;
  using Items = Vector<T, kItems>;
  using Part = RowPart<T, kItems, kLoads<T, kItems>>;
  using Powers = RowPart<C, kItems, kLoads<T, kItems>>;
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.y;
  for (int64_t first = static_cast<int64_t>(blockIdx.x) * blockDim.y;
       first < rows; first += step) {
    // All threads take part in the reductions; those without a row contribute
    // -inf and 0.
    const int64_t row = first + threadIdx.y;
    const int64_t n = row < rows ? length : 0;
    const T* from = x + (n == 0 ? 0 : starts.offset(row));
    T* to = y + row * length;

    // The largest element that this thread has seen, and the sum of
    // exp(x - largest). A larger element rescales the sum.
    C own_largest = -INFINITY;
    C own_sum = 0;
    Powers powers;  // exp() of each element of the latest chunk
    for (int64_t start = Part::last(n); start >= 0; start -= Part::stretch()) {
      Part part;
      part.load(from, start, n, static_cast<T>(-INFINITY));
      const C before = own_largest;
      for (int k = 0; k < kLoads<T, kItems>; ++k) {
        for (int j = 0; j < kItems; ++j) {
          const C item = static_cast<C>(part.vectors[k].items[j]);
          powers.vectors[k].items[j] = item;
          own_largest = fmax(own_largest, item);
        }
      }
      const C shift = shift_for(own_largest);
      own_sum *= power(before - shift);
      for (auto& vector : powers.vectors) {
        for (C& item : vector.items) {
          item = power(item - shift);
          own_sum += item;
        }
      }
    }
    const C largest =
        reduce_row(own_largest, [](C a, C b) { return fmax(a, b); });
    const C scale = power(own_largest - shift_for(largest));
    const C inverse =
        1 / reduce_row(own_sum * scale, [](C a, C b) { return a + b; });

    // The exponentials of the first chunk are still in registers, relative to
    // the largest element that this thread saw: a row that fits is read once.
    const C factor = scale * inverse;
    Powers::each(0, n, [&](int64_t i, int k) {
      Items out;
      for (int j = 0; j < kItems; ++j) {
        out.items[j] = static_cast<T>(powers.vectors[k].items[j] * factor);
      }
      store(to + i, out);
    });
    // In a longer row, the chunks read last are reread first, while they are
    // still cached.
    for (int64_t start = Part::stretch(); start < n; start += Part::stretch()) {
      Part part;
      part.load(from, start, n, static_cast<T>(-INFINITY));
      Part::each(start, n, [&](int64_t i, int k) {
        Items out;
        for (int j = 0; j < kItems; ++j) {
          const C item = static_cast<C>(part.vectors[k].items[j]);
          out.items[j] = static_cast<T>(power(item - largest) * inverse);
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
  const dim3 block =
      row_block((rows.length + kItems - 1) / kItems, kLoads<T, kItems>);
  softmax_kernel<T, kItems>
      <<<blocks_for(rows.count, block.y), block, 0, stream>>>(
          x, y, rows.starts, rows.count, rows.length);
  TVM_FFI_CHECK_CUDA_ERROR(cudaGetLastError());
}

void softmax(ffi::TensorView x, ffi::TensorView y) {
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
  const Rows rows("softmax", x);
  ffi::CUDADeviceGuard guard(x.device().device_id);
  cudaStream_t stream = get_stream(x);
  if (x.numel() == 0) return;  // An empty grid is an error.
  dispatch<FloatingTypes>(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* from = data_of<T>(x);
    T* to = data_of<T>(y);
    constexpr int kItems = Vector<T>::kSize;
    if (rows.length % kItems == 0 && rows.begin_at_multiples_of(kItems) &&
        is_aligned(from) && is_aligned(to)) {
      launch<T, kItems>(rows, from, to, stream);
    } else {
      launch<T, 1>(rows, from, to, stream);
    }
  });
}
// [function.end]

// [export.begin]
TVM_FFI_DLL_EXPORT_TYPED_FUNC(softmax, softmax);
// [export.end]
