// SPDX-License-Identifier: Apache-2.0
// y[c] = sum over r of weight[r] * x[r, c], on a GPU, in a workspace from the
// caller. Build with build_cuda.sh, run with load_column_sum.py.

// [includes.begin]
#include <algorithm>

#include "column_sum_checks.h"
// [includes.end]

namespace {

constexpr int kThreads = 256;
constexpr int kLoads = 4;          // Vectors that a thread loads at a time.
constexpr int kBlocksPerSm = 4;    // So a thread has at most 64 registers.
constexpr int64_t kBlocks = 2048;  // Blocks for a large input.

// [partial_kernel.begin]
// A block sums the rows of one part for a tile of columns: blockDim.x threads
// span adjacent columns, so that loads are coalesced, and blockDim.y threads
// span rows. partials is (parts, columns).
// Rows that do not fill a batch have their own loop, so that all loads of a
// batch are issued before the first is used.
template <typename T, int kItems, bool kWeight>
__global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    partial_kernel(const T* __restrict__ x, const T* __restrict__ weight,
                   int64_t rows, int64_t columns, int64_t stride,
                   int64_t rows_of_part,
                   typename Compute<T>::Type* __restrict__ partials) {
  using C = typename Compute<T>::Type;
  using Items = Vector<T, kItems>;
  using Sums = Vector<C, kItems>;
  __shared__ Sums sums[kThreads];
  const unsigned thread = threadIdx.y * blockDim.x + threadIdx.x;
  const int64_t first = blockIdx.y * rows_of_part;
  const int64_t last = min(first + rows_of_part, rows);
  const int64_t tile = int64_t{blockDim.x} * kItems;
  for (int64_t start = blockIdx.x * tile; start < columns;
       start += gridDim.x * tile) {
    const int64_t column = start + int64_t{threadIdx.x} * kItems;
    Sums sum = {};
    const auto add = [&](const Items& items, T factor) {
#pragma unroll
      for (int j = 0; j < kItems; ++j) {
        const C item = static_cast<C>(items.items[j]);
        sum.items[j] += kWeight ? static_cast<C>(factor) * item : item;
      }
    };
    const int64_t step = blockDim.y;
    int64_t row = column < columns ? first + threadIdx.y : last;
    const T* from = x + row * stride + column;
    for (; row + (kLoads - 1) * step < last; row += kLoads * step) {
      Items items[kLoads];
      T factors[kLoads] = {};
#pragma unroll
      for (int k = 0; k < kLoads; ++k) {
        items[k] = *reinterpret_cast<const Items*>(from);
        if constexpr (kWeight) factors[k] = weight[row + k * step];
        from += step * stride;
      }
#pragma unroll
      for (int k = 0; k < kLoads; ++k) add(items[k], factors[k]);
    }
#pragma unroll 1
    for (; row < last; row += step) {
      add(*reinterpret_cast<const Items*>(from), kWeight ? weight[row] : T{});
      from += step * stride;
    }
    // The threads of a column add their sums in pairs.
    sums[thread] = sum;
    for (unsigned half = blockDim.y / 2; half > 0; half /= 2) {
      __syncthreads();
      if (threadIdx.y < half) {
        const Sums other = sums[thread + half * blockDim.x];
        for (int j = 0; j < kItems; ++j) sum.items[j] += other.items[j];
        sums[thread] = sum;
      }
    }
    if (threadIdx.y == 0 && column < columns) {
      store(partials + blockIdx.y * columns + column, sum);
    }
    __syncthreads();  // The next tile overwrites the sums.
  }
}
// [partial_kernel.end]

// [sum_kernel.begin]
// Each block adds the parts of 32 columns, always in the same order.
template <typename T>
__global__ void __launch_bounds__(1024)
    sum_kernel(const typename Compute<T>::Type* partials, int64_t parts,
               int64_t columns, T* y) {
  using C = typename Compute<T>::Type;
  __shared__ C sums[32][32];
  for (int64_t start = int64_t{blockIdx.x} * 32; start < columns;
       start += int64_t{gridDim.x} * 32) {
    const int64_t column = start + threadIdx.x;
    C sum = 0;
    if (column < columns) {
      for (int64_t part = threadIdx.y; part < parts;
           part += kLoads * blockDim.y) {
        C loaded[kLoads];
#pragma unroll
        for (int k = 0; k < kLoads; ++k) {
          const int64_t at = part + k * blockDim.y;
          loaded[k] = at < parts ? partials[at * columns + column] : C{0};
        }
#pragma unroll
        for (C each : loaded) sum += each;
      }
    }
    sums[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y == 0 && column < columns) {
      for (unsigned row = 1; row < blockDim.y; ++row)
        sum += sums[row][threadIdx.x];
      y[column] = static_cast<T>(sum);
    }
    __syncthreads();  // The next columns overwrite the sums.
  }
}
// [sum_kernel.end]

// [parts.begin]
int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

// A full warp spans the columns if there are enough.
dim3 block_of(int64_t columns, int64_t items) {
  unsigned side_by_side = 1;
  while (side_by_side < 32 && side_by_side * items < columns) side_by_side *= 2;
  return dim3(side_by_side, kThreads / side_by_side);
}

// The split of the rows depends only on the shape and dtype of x.
struct Parts {
  int64_t rows;  // of each part except the last
  int64_t count;
  int64_t bytes;  // of all partial sums

  explicit Parts(const ffi::TensorView& x) {
    const int64_t columns = x.size(1);
    const int64_t items = 16 / item_size(x);
    const dim3 block = block_of(columns, items);
    const int64_t tiles = ceil_div(columns, block.x * items);
    rows = std::max<int64_t>(ceil_div(x.size(0) * tiles, kBlocks),
                             kLoads * block.y);
    count = ceil_div(x.size(0), rows);
    bytes = count * columns * std::max<int64_t>(item_size(x), sizeof(float));
  }
};
// [parts.end]

// [launch.begin]
template <typename T, int kItems, bool kWeight>
void add_parts(const ffi::TensorView& x, const Parts& parts, const T* weight,
               typename Compute<T>::Type* partials, cudaStream_t stream) {
  const int64_t columns = x.size(1);
  const dim3 block = block_of(columns, kItems);
  const dim3 grid(blocks_for(columns, block.x * kItems),
                  static_cast<unsigned>(parts.count));
  partial_kernel<T, kItems, kWeight>
      <<<grid, block, 0, stream>>>(data_of<T>(x), weight, x.size(0), columns,
                                   row_stride(x), parts.rows, partials);
  TVM_FFI_CHECK_CUDA_ERROR(cudaGetLastError());
}

// Calls body with a value that can be a template argument.
template <typename Body>
void with_constant(bool value, Body&& body) {
  value ? body(std::true_type{}) : body(std::false_type{});
}
// [launch.end]

}  // namespace

// [workspace_size.begin]
int64_t column_sum_workspace_size(ffi::TensorView x, MaybeTensor maybe_weight) {
  CHECK_CUDA(x);
  CHECK_INPUTS(x, maybe_weight);
  return Parts(x).bytes;
}
// [workspace_size.end]

// [function.begin]
void column_sum(ffi::TensorView x, MaybeTensor maybe_weight, ffi::TensorView y,
                ffi::TensorView workspace) {
  CHECK_CUDA(x);
  CHECK_INPUTS(x, maybe_weight);
  const Parts parts(x);
  CHECK_MEMORY(x, maybe_weight, y, workspace, parts.bytes);
  ffi::CUDADeviceGuard guard(x.device().device_id);
  cudaStream_t stream = get_stream(x);
  const int64_t columns = x.size(1);
  if (columns == 0) return;  // There may be billions of empty rows.
  dispatch<FloatingTypes>(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* weight = maybe_weight ? data_of<T>(*maybe_weight) : nullptr;
    auto* partials = data_of<typename Compute<T>::Type>(workspace);
    constexpr int kItems = Vector<T>::kSize;
    const bool aligned = is_aligned(data_of<T>(x)) && columns % kItems == 0 &&
                         row_stride(x) % kItems == 0;
    if (parts.count != 0) {  // An empty grid is an error.
      with_constant(aligned, [&](auto vectors) {
        with_constant(weight != nullptr, [&](auto weighted) {
          add_parts<T, decltype(vectors)::value ? kItems : 1,
                    decltype(weighted)::value>(x, parts, weight, partials,
                                               stream);
        });
      });
    }
    unsigned height = 1;  // Threads that add the parts of one column.
    while (height < 32 && height < parts.count) height *= 2;
    sum_kernel<<<blocks_for(columns, 32), dim3(32, height), 0, stream>>>(
        partials, parts.count, columns, data_of<T>(y));
    TVM_FFI_CHECK_CUDA_ERROR(cudaGetLastError());
  });
}
// [function.end]

// [export.begin]
TVM_FFI_DLL_EXPORT_TYPED_FUNC(column_sum_workspace_size,
                              column_sum_workspace_size);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(column_sum, column_sum);
// [export.end]
