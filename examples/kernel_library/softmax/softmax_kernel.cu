// SPDX-License-Identifier: Apache-2.0
// y = exp(x) / sum(exp(x)), for each row of x, on a GPU. Build with
// build_cuda.sh, run with load_softmax.py.

// [includes.begin]
#include "../tvm_ffi_utils.h"
// [includes.end]

// [online.begin]
// What is known of a row after some of its elements: the largest of them, and
// the sum of exp(x - largest). An element larger than all before it scales the
// sum, so one pass over a row finds both.
template <typename C>
struct Seen {
  C largest;
  C sum;

  // Where all elements are -inf, x - largest would be NaN.
  __device__ C shift() const { return largest == -INFINITY ? C{0} : largest; }
};

template <typename C>
__device__ Seen<C> joined(const Seen<C>& a, const Seen<C>& b) {
  Seen<C> both{fmax(a.largest, b.largest), 0};
  both.sum = a.sum * exp(a.largest - both.shift()) +
             b.sum * exp(b.largest - both.shift());
  return both;
}
// [online.end]

// [cuda_kernel.begin]
template <typename T, int kItems>
__global__ void __launch_bounds__(kMaxRowThreads)
    softmax_kernel(const T* x, T* y, StridedLayout starts, int64_t rows,
                   int64_t length) {
  using C = typename Compute<T>::Type;
  using Items = Vector<T, kItems>;
  RowPart<T, kItems> part;
  RowPart<C, kItems> powers;  // exp() of each element of the same stretch
  const int64_t stretch = part.stretch();
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.y;
  for (int64_t first = static_cast<int64_t>(blockIdx.x) * blockDim.y;
       first < rows; first += step) {
    // All threads take part in the reduction, those without a row with nothing
    // seen.
    const int64_t row = first + threadIdx.y;
    const int64_t n = row < rows ? length : 0;
    const T* from = x + (n == 0 ? 0 : starts.offset(row));
    T* to = y + row * length;

    Seen<C> own{-INFINITY, 0};
    int64_t start = 0;
    for (; start < n; start += stretch) {
      part.load(from, start, n);
      Seen<C> now = own;
      part.each(start, n, [&](int64_t, int, const Items& items) {
        for (const T& item : items.items) {
          now.largest = fmax(now.largest, static_cast<C>(item));
        }
      });
      const C shift = now.shift();
      now.sum = own.sum * exp(own.largest - shift);
      part.each(start, n, [&](int64_t, int k, const Items& items) {
        for (int j = 0; j < kItems; ++j) {
          const C power = exp(static_cast<C>(items.items[j]) - shift);
          powers.vectors[k].items[j] = power;
          now.sum += power;
        }
      });
      own = now;
    }
    const Seen<C> all = reduce_row(own, joined<C>);
    if (n == 0) continue;

    // The powers of the last stretch are still in registers, relative to the
    // largest element that this thread has seen: a row that fits is read once.
    const int64_t held = start - stretch;
    const C factor = exp(own.largest - all.largest) / all.sum;
    powers.each(held, n, [&](int64_t i, int, const auto& row_powers) {
      Items out;
      for (int j = 0; j < kItems; ++j) {
        out.items[j] = static_cast<T>(row_powers.items[j] * factor);
      }
      *reinterpret_cast<Items*>(to + i) = out;
    });
    // Of a longer row, what was read last is read again first, while a cache
    // has it.
    for (start = held - stretch; start >= 0; start -= stretch) {
      part.load(from, start, n);
      part.each(start, n, [&](int64_t i, int, const Items& items) {
        Items out;
        for (int j = 0; j < kItems; ++j) {
          const C item = static_cast<C>(items.items[j]);
          out.items[j] = static_cast<T>(exp(item - all.largest) / all.sum);
        }
        *reinterpret_cast<Items*>(to + i) = out;
      });
    }
  }
}
// [cuda_kernel.end]

// [function.begin]
template <typename T, int kItems>
void launch(const Rows& rows, const T* x, T* y, cudaStream_t stream) {
  const dim3 block = row_block((rows.length + kItems - 1) / kItems);
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
  if (x.numel() == 0) return;  // A grid of no blocks is an error.
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
