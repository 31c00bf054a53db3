// SPDX-License-Identifier: Apache-2.0
// out = softmax(q k^T * scale) v, for one query of each sequence over a paged
// cache, on a CPU. Build with build_cpu.sh, run with load_decode_attention.py.

// [includes.begin]
#include <algorithm>
#include <cmath>

#include "decode_attention_checks.h"
// [includes.end]

namespace {

// [head.begin]
// Compilers preserve the order of a sum: sixteen sums in parallel can be
// vectorized.
template <typename T>
float dot(const T* a, const T* b, int64_t n) {
  constexpr int64_t kLanes = 16;
  float sums[kLanes] = {};
  for (int64_t i = 0; i < n; i += kLanes) {
    for (int64_t lane = 0; lane < kLanes; ++lane) {
      sums[lane] +=
          static_cast<float>(a[i + lane]) * static_cast<float>(b[i + lane]);
    }
  }
  float total = 0;
  for (float sum : sums) total += sum;
  return total;
}

// One head of one query: the scores of all tokens, then their weighted sum.
template <typename T>
void attend(const T* q, const Cache<T>& k, const Cache<T>& v, int64_t head,
            const int32_t* pages, int64_t length, const Sizes& sizes,
            float scale, float* scores, T* out) {
  const auto row = [&](const Cache<T>& cache, int64_t token) {
    return cache.row(pages[token / sizes.page_size], token % sizes.page_size,
                     head);
  };
  float largest = -INFINITY;
  for (int64_t token = 0; token < length; ++token) {
    scores[token] = scale * dot(q, row(k, token), sizes.dim);
    largest = std::max(largest, scores[token]);
  }
  double total = 0;
  double sums[128] = {};
  for (int64_t token = 0; token < length; ++token) {
    const double weight = std::exp(scores[token] - largest);
    const T* value = row(v, token);
    total += weight;
    for (int64_t i = 0; i < sizes.dim; ++i)
      sums[i] += weight * static_cast<double>(static_cast<float>(value[i]));
  }
  for (int64_t i = 0; i < sizes.dim; ++i) {
    out[i] = static_cast<T>(length == 0 ? 0.0f
                                        : static_cast<float>(sums[i] / total));
  }
}
// [head.end]

// [numbers.begin]
// On a CPU, the lengths and page numbers can be read, and so be checked.
void check_numbers(const int32_t* page_table, const int32_t* lengths,
                   const Sizes& sizes) {
  for (int64_t b = 0; b < sizes.batch; ++b) {
    if (!sizes.has_length(lengths[b])) {
      TVM_FFI_THROW(ValueError)
          << "decode_attention: lengths[" << b << "] must be between 0 and "
          << sizes.max_tokens() << ", got " << lengths[b];
    }
    const int64_t used = (lengths[b] + sizes.page_size - 1) / sizes.page_size;
    for (int64_t i = 0; i < used; ++i) {
      const int32_t page = page_table[b * sizes.max_pages + i];
      if (!sizes.has_page(page)) {
        TVM_FFI_THROW(ValueError)
            << "decode_attention: page_table[" << b << ", " << i
            << "] must be one of the " << sizes.pages << " pages, got " << page;
      }
    }
  }
}
// [numbers.end]

// A score for each token of one sequence.
int64_t workspace_bytes(const Sizes& sizes) {
  return sizes.max_tokens() * static_cast<int64_t>(sizeof(float));
}

}  // namespace

// [workspace_size.begin]
int64_t decode_attention_workspace_size(ffi::TensorView q,
                                        ffi::TensorView k_cache,
                                        ffi::TensorView page_table) {
  CHECK_CPU(q);
  CHECK_SIZES(q, k_cache, page_table);
  return workspace_bytes(Sizes(q, k_cache, page_table));
}
// [workspace_size.end]

// [function.begin]
void decode_attention(ffi::TensorView q, ffi::TensorView k_cache,
                      ffi::TensorView v_cache, ffi::TensorView page_table,
                      ffi::TensorView lengths, double scale,
                      ffi::TensorView out, ffi::TensorView workspace) {
  CHECK_CPU(q);
  CHECK_SIZES(q, k_cache, page_table);
  const Sizes sizes(q, k_cache, page_table);
  CHECK_OTHERS(q, k_cache, v_cache, lengths, out, workspace,
               workspace_bytes(sizes));
  CHECK_WRITTEN(out, q, k_cache, v_cache, page_table, lengths);
  CHECK_WRITTEN(workspace, q, k_cache, v_cache, page_table, lengths);
  CHECK_APART(workspace, out);
  const auto* of_sequence = data_of<int32_t>(lengths);
  check_numbers(data_of<int32_t>(page_table), of_sequence, sizes);
  dispatch<AttentionTypes>(q.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const Cache<T> k(k_cache), v(v_cache);
    for (int64_t i = 0; i < sizes.batch * sizes.heads; ++i) {
      const int64_t b = i / sizes.heads;
      const int64_t kv_head = i % sizes.heads / sizes.group;
      attend(data_of<T>(q) + i * sizes.dim, k, v, kv_head,
             data_of<int32_t>(page_table) + b * sizes.max_pages, of_sequence[b],
             sizes, static_cast<float>(scale), data_of<float>(workspace),
             data_of<T>(out) + i * sizes.dim);
    }
  });
}
// [function.end]

// [export.begin]
TVM_FFI_DLL_EXPORT_TYPED_FUNC(decode_attention_workspace_size,
                              decode_attention_workspace_size);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(decode_attention, decode_attention);
// [export.end]
