// SPDX-License-Identifier: Apache-2.0
// out = softmax(q k^T * scale) v, for one query of each sequence over a paged
// cache, on a GPU. Build with build_cuda.sh, run with load_decode_attention.py.

// [includes.begin]
#include "decode_attention_checks.h"
// [includes.end]

namespace {

// [merged.begin]
// The value to subtract from each score: the largest one, or 0 if all are -inf,
// since score - largest would be NaN.
__device__ inline float shift_for(float largest) {
  return largest == -INFINITY ? 0.0f : largest;
}

// The largest score of some tokens, and the sum of 2^(score - largest).
struct Total {
  float largest = -INFINITY;
  float sum = 0;
};

// One element of the result over some tokens, before the division by the sum.
struct Merged {
  Total total;
  float value = 0;

  // Adds other tokens. The larger of the two maxima becomes the new one.
  __device__ void add(const Total& other, float other_value) {
    const float largest = fmaxf(total.largest, other.largest);
    const float shift = shift_for(largest);
    const float own = exp2f(total.largest - shift);
    const float others = exp2f(other.largest - shift);
    total.sum = total.sum * own + other.sum * others;
    value = value * own + other_value * others;
    total.largest = largest;
  }
};
// [merged.end]

// [part_kernel.begin]
constexpr int kThreads = 128;
// Leaves each thread at most 64 or 128 registers. Without the bound, nvcc uses
// fewer in float32, and has fewer loads in flight.
template <int kHeads>
constexpr int kBlocksPerSm = kHeads == 1 ? 8 : 4;

// Adjacent threads load adjacent vectors of a row. Unwanted vectors become
// zeros.
template <typename T>
__device__ Vector<T> load(const T* from, bool wanted = true) {
  uint4 words = *reinterpret_cast<const uint4*>(from);
  if (!wanted) words = {0, 0, 0, 0};
  Vector<T> loaded;
  memcpy(&loaded, &words, sizeof(loaded));
  return loaded;
}

// A block processes a part of a sequence, for up to kHeads query heads that
// share a KV head. A team of threads processes one token at a time, and keeps
// its own maximum and sums.
template <typename T, int kDim, int kHeads>
__global__ void __launch_bounds__(kThreads, kBlocksPerSm<kHeads>)
    part_kernel(const T* q, Cache<T> k, Cache<T> v, const int32_t* page_table,
                const int32_t* lengths, Sizes sizes, float factor,
                float* values, Total* totals) {
  constexpr int kItems = Vector<T>::kSize;
  constexpr int kTeam = kDim / kItems;  // threads
  constexpr int kTeams = kThreads / kTeam;
  constexpr int kTokens = kHeads == 1 ? 4 : 2;  // of a team, in a batch
  const int64_t length = lengths[blockIdx.z];
  const int64_t start = blockIdx.y * kPartTokens;
  if (!sizes.has_length(length) || start >= length) return;
  const int64_t end = min(start + kPartTokens, length);
  const int team = static_cast<int>(threadIdx.x) / kTeam;
  const int first = static_cast<int>(threadIdx.x) % kTeam * kItems;

  // Several blocks share a large group.
  const auto group = static_cast<unsigned>(sizes.group);
  const unsigned blocks = (group + kHeads - 1) / kHeads;
  const unsigned kv_head = blockIdx.x / blocks;
  const unsigned begun = blockIdx.x % blocks * kHeads;
  const int heads = static_cast<int>(min(group - begun, unsigned{kHeads}));
  const int64_t row = blockIdx.z * sizes.heads + kv_head * group + begun;

  float query[kHeads][kItems] = {};
  float sums[kHeads][kItems] = {};
  Total own[kHeads];
#pragma unroll
  for (int h = 0; h < kHeads; ++h) {
    if (h >= heads) break;
    const auto* from = q + (row + h) * kDim + first;
    const Vector<T> loaded = load(from);
    for (int i = 0; i < kItems; ++i)
      query[h][i] = static_cast<float>(loaded.items[i]) * factor;
  }

  const int shift = __ffs(static_cast<int>(sizes.page_size)) - 1;
  const int32_t* table = page_table + blockIdx.z * sizes.max_pages;
  // All threads run the same iterations, since they exchange scores.
  for (int64_t turn = start; turn < end; turn += kTeams * kTokens) {
    Vector<T> keys[kTokens], items[kTokens];
    float scores[kTokens][kHeads];
#pragma unroll
    for (int t = 0; t < kTokens; ++t) {
      // Past the end, the last token is read again, with a weight of 0.
      const int64_t token = turn + t * kTeams + team;
      const int64_t read = min(token, end - 1);
      const int64_t told = table[read >> shift];
      const int64_t slot = read & (sizes.page_size - 1);
      // A page that does not exist cannot be rejected on the GPU: the first one
      // is read instead, and NaN poisons the result.
      const bool there = sizes.has_page(told);
      const int64_t page = there ? told : 0;
      keys[t] = load(k.row(page, slot, kv_head) + first);
      items[t] = load(v.row(page, slot, kv_head) + first, token < end);
      for (float& score : scores[t])
        score = token >= end ? -INFINITY : there ? 0.0f : NAN;
    }
#pragma unroll
    for (int t = 0; t < kTokens; ++t) {
#pragma unroll
      for (int h = 0; h < kHeads; ++h) {
        float score = 0;
        for (int i = 0; i < kItems; ++i)
          score += query[h][i] * static_cast<float>(keys[t].items[i]);
        for (unsigned bits = kTeam / 2; bits > 0; bits /= 2)
          score += from_lane_across(score, bits);
        scores[t][h] += score;
      }
    }
#pragma unroll
    for (int h = 0; h < kHeads; ++h) {
      const float before = own[h].largest;
      for (int t = 0; t < kTokens; ++t)
        own[h].largest = fmaxf(own[h].largest, scores[t][h]);
      const float shift_of_head = shift_for(own[h].largest);
      const float scale = exp2f(before - shift_of_head);
      own[h].sum *= scale;
      for (float& sum : sums[h]) sum *= scale;
      for (int t = 0; t < kTokens; ++t) {
        const float weight = exp2f(scores[t][h] - shift_of_head);
        own[h].sum += weight;
        for (int i = 0; i < kItems; ++i)
          sums[h][i] += weight * static_cast<float>(items[t].items[i]);
      }
    }
  }

  __shared__ float team_sums[kTeams][kHeads][kDim];
  __shared__ float team_totals[kTeams][kHeads][2];
#pragma unroll
  for (int h = 0; h < kHeads; ++h) {
    for (int i = 0; i < kItems; ++i) team_sums[team][h][first + i] = sums[h][i];
    if (first != 0) continue;  // A team's threads have the same total.
    team_totals[team][h][0] = own[h].largest;
    team_totals[team][h][1] = own[h].sum;
  }
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < heads * kDim; i += kThreads) {
    const int h = i / kDim;
    Merged merged;
    for (int of = 0; of < kTeams; ++of) {
      const Total total{team_totals[of][h][0], team_totals[of][h][1]};
      merged.add(total, team_sums[of][h][i % kDim]);
    }
    const int64_t to = (row + h) * gridDim.y + blockIdx.y;
    values[to * kDim + i % kDim] = merged.value;
    if (i % kDim == 0) totals[to] = merged.total;
  }
}
// [part_kernel.end]

// [merge_kernel.begin]
constexpr int kMergers = 4;  // per row; each merges every fourth part

// A block merges the parts of one head of one sequence, always in the same
// order.
template <typename T, int kDim>
__global__ void __launch_bounds__(kDim* kMergers)
    merge_kernel(const float* values, const Total* totals,
                 const int32_t* lengths, Sizes sizes, int64_t parts, T* out) {
  const int64_t row = blockIdx.y * sizes.heads + blockIdx.x;
  const int64_t length = lengths[blockIdx.y];
  const bool valid = sizes.has_length(length);
  const int64_t used = valid ? (length + kPartTokens - 1) / kPartTokens : 0;
  Merged merged;
#pragma unroll 4
  for (int64_t part = threadIdx.y; part < used; part += kMergers) {
    const int64_t from = row * parts + part;
    merged.add(totals[from], values[from * kDim + threadIdx.x]);
  }
  __shared__ float others[kMergers][3][kDim];
  others[threadIdx.y][0][threadIdx.x] = merged.total.largest;
  others[threadIdx.y][1][threadIdx.x] = merged.total.sum;
  others[threadIdx.y][2][threadIdx.x] = merged.value;
  __syncthreads();
  if (threadIdx.y != 0) return;
  for (int of = 1; of < kMergers; ++of) {
    const Total total{others[of][0][threadIdx.x], others[of][1][threadIdx.x]};
    merged.add(total, others[of][2][threadIdx.x]);
  }
  const float result = length == 0 ? 0.0f : merged.value / merged.total.sum;
  out[row * kDim + threadIdx.x] = static_cast<T>(valid ? result : NAN);
}
// [merge_kernel.end]

// [workspace_bytes.begin]
// For each part of each head of each sequence: its values and its total.
int64_t rows_of(const Sizes& sizes) {
  return sizes.batch * sizes.heads * sizes.parts();
}

int64_t workspace_bytes(const Sizes& sizes) {
  const int64_t bytes_of_row = sizes.dim * static_cast<int64_t>(sizeof(float)) +
                               static_cast<int64_t>(sizeof(Total));
  return rows_of(sizes) * bytes_of_row;
}
// [workspace_bytes.end]

// [launch.begin]
template <typename T, int kDim, int kHeads>
void launch(const T* q, const Cache<T>& k, const Cache<T>& v,
            const int32_t* page_table, const int32_t* lengths,
            const Sizes& sizes, double scale, T* out, float* values,
            cudaStream_t stream) {
  auto* totals = reinterpret_cast<Total*>(values + rows_of(sizes) * kDim);
  const auto batch = static_cast<unsigned>(sizes.batch);
  const int64_t parts = sizes.parts();
  if (parts != 0) {  // An empty grid is an error.
    const int64_t blocks =
        sizes.kv_heads * ((sizes.group + kHeads - 1) / kHeads);
    const dim3 grid(static_cast<unsigned>(blocks), static_cast<unsigned>(parts),
                    batch);
    // Powers of two take fewer instructions than powers of e.
    const auto factor = static_cast<float>(scale * 1.4426950408889634);
    part_kernel<T, kDim, kHeads><<<grid, kThreads, 0, stream>>>(
        q, k, v, page_table, lengths, sizes, factor, values, totals);
    TVM_FFI_CHECK_CUDA_ERROR(cudaGetLastError());
  }
  const dim3 grid(static_cast<unsigned>(sizes.heads), batch);
  merge_kernel<T, kDim><<<grid, dim3(kDim, kMergers), 0, stream>>>(
      values, totals, lengths, sizes, parts, out);
  TVM_FFI_CHECK_CUDA_ERROR(cudaGetLastError());
}
// [launch.end]

// Calls body with a value that can be a template argument.
template <int kIfTrue, int kIfFalse, typename Body>
void with_constant(bool value, Body&& body) {
  value ? body(std::integral_constant<int, kIfTrue>{})
        : body(std::integral_constant<int, kIfFalse>{});
}

}  // namespace

// [workspace_size.begin]
int64_t decode_attention_workspace_size(ffi::TensorView q,
                                        ffi::TensorView k_cache,
                                        ffi::TensorView page_table) {
  CHECK_CUDA(q);
  CHECK_SIZES(q, k_cache, page_table);
  return workspace_bytes(Sizes(q, k_cache, page_table));
}
// [workspace_size.end]

// [function.begin]
void decode_attention(ffi::TensorView q, ffi::TensorView k_cache,
                      ffi::TensorView v_cache, ffi::TensorView page_table,
                      ffi::TensorView lengths, double scale,
                      ffi::TensorView out, ffi::TensorView workspace) {
  CHECK_CUDA(q);
  CHECK_SIZES(q, k_cache, page_table);
  const Sizes sizes(q, k_cache, page_table);
  CHECK_OTHERS(q, k_cache, v_cache, lengths, out, workspace,
               workspace_bytes(sizes));
  CHECK_WRITTEN(out, q, k_cache, v_cache, page_table, lengths);
  CHECK_WRITTEN(workspace, q, k_cache, v_cache, page_table, lengths);
  CHECK_APART(workspace, out);
  ffi::CUDADeviceGuard guard(q.device().device_id);
  cudaStream_t stream = get_stream(q);
  if (q.numel() == 0) return;
  dispatch<AttentionTypes>(q.dtype(), [&](auto zero) {
    using T = decltype(zero);
    with_constant<64, 128>(sizes.dim == 64, [&](auto dim) {
      with_constant<1, 4>(sizes.group == 1, [&](auto heads) {
        launch<T, decltype(dim)::value, decltype(heads)::value>(
            data_of<T>(q), Cache<T>(k_cache), Cache<T>(v_cache),
            data_of<int32_t>(page_table), data_of<int32_t>(lengths), sizes,
            scale, data_of<T>(out), data_of<float>(workspace), stream);
      });
    });
  });
}
// [function.end]

// [export.begin]
TVM_FFI_DLL_EXPORT_TYPED_FUNC(decode_attention_workspace_size,
                              decode_attention_workspace_size);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(decode_attention, decode_attention);
// [export.end]
