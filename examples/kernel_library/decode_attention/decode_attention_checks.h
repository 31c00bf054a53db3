// SPDX-License-Identifier: Apache-2.0
// The sizes, the paged cache and the checks, shared by both devices.
#ifndef DECODE_ATTENTION_CHECKS_H_
#define DECODE_ATTENTION_CHECKS_H_

#include "../tvm_ffi_utils.h"

namespace {

constexpr int64_t kPartTokens = 256;  // Read by one thread block of a GPU.
constexpr int64_t kMost = 65535;      // Limit of a grid in y and z.
constexpr int64_t kMostTokens = kMost * kPartTokens;
constexpr DLDataType dl_uint8{kDLUInt, 8, 1};

using AttentionTypes = TypeList<float, float16, bfloat16>;

struct Sizes {
  int64_t batch, heads, dim;           // of q
  int64_t pages, page_size, kv_heads;  // of a cache
  int64_t max_pages;                   // of a sequence
  int64_t group;                       // query heads that share a KV head

  Sizes(const ffi::TensorView& q, const ffi::TensorView& cache,
        const ffi::TensorView& page_table)
      : batch(q.size(0)),
        heads(q.size(1)),
        dim(q.size(2)),
        pages(cache.size(0)),
        page_size(cache.size(1)),
        kv_heads(cache.size(2)),
        max_pages(page_table.size(1)),
        group(heads / kv_heads) {}

  // A cache without pages has room for no tokens.
  HOST_DEVICE int64_t max_tokens() const {
    return max_pages * page_size * static_cast<int64_t>(pages != 0);
  }
  HOST_DEVICE bool has_length(int64_t tokens) const {
    return tokens >= 0 && tokens <= max_tokens();
  }
  HOST_DEVICE bool has_page(int64_t page) const {
    return page >= 0 && page < pages;
  }
  // Parts of the longest possible sequence: from the shapes, not the lengths.
  int64_t parts() const {
    return (max_tokens() + kPartTokens - 1) / kPartTokens;
  }
};

// [cache.begin]
// A cache of shape (pages, page_size, kv_heads, dim). Only the last dimension
// must be dense.
template <typename T>
struct Cache {
  const T* data;
  int64_t of_page, of_slot, of_head;  // strides, in elements

  explicit Cache(const ffi::TensorView& cache)
      : data(data_of<T>(cache)),
        of_page(cache.stride(0)),
        of_slot(cache.stride(1)),
        of_head(cache.stride(2)) {}

  HOST_DEVICE const T* row(int64_t page, int64_t slot, int64_t head) const {
    return data + page * of_page + slot * of_slot + head * of_head;
  }
};

inline bool is_power_of_two(int64_t n) { return n > 0 && (n & (n - 1)) == 0; }

// Whether every row along the last dimension begins at a 16-byte boundary.
inline bool has_aligned_rows(const ffi::TensorView& x) {
  if (!is_aligned(data_of<char>(x))) return false;
  for (int32_t i = 0; i < x.ndim() - 1; ++i) {
    if (x.size(i) > 1 && x.stride(i) * item_size(x) % 16 != 0) return false;
  }
  return true;
}
// [cache.end]

// [checks.begin]
#define CHECK_ROWS(x)                                                 \
  do {                                                                \
    CHECK_DENSE_ROWS(x);                                              \
    CHECK_OR_THROW(has_aligned_rows(x), ValueError, x,                \
                   "made of rows at multiples of 16 bytes",           \
                   "an address or strides " << text_of((x).strides()) \
                                            << " that are not");      \
  } while (0)

// Everything the workspace size depends on.
#define CHECK_SIZES(q, k_cache, page_table)                                    \
  do {                                                                         \
    CHECK_DTYPE_IN(q, AttentionTypes);                                         \
    CHECK_DIM(3, q);                                                           \
    CHECK_OR_THROW((q).size(2) == 64 || (q).size(2) == 128, ValueError, q,     \
                   "of 64 or 128 elements for each head", (q).size(2));        \
    CHECK_OR_THROW((q).size(0) <= kMost && (q).size(1) <= kMost, ValueError,   \
                   q, "of at most " << kMost << " sequences and heads",        \
                   text_of((q).shape()));                                      \
    CHECK_CONTIGUOUS(q);                                                       \
    CHECK_ROWS(q);                                                             \
    CHECK_SAME_DEVICE(k_cache, q);                                             \
    CHECK_SAME_DTYPE(k_cache, q);                                              \
    CHECK_DIM(4, k_cache);                                                     \
    CHECK_OR_THROW((k_cache).size(3) == (q).size(2), ValueError, k_cache,      \
                   "of " << (q).size(2) << " elements for each head like " #q, \
                   (k_cache).size(3));                                         \
    CHECK_OR_THROW(                                                            \
        (k_cache).size(2) > 0 && (q).size(1) % (k_cache).size(2) == 0,         \
        ValueError, k_cache,                                                   \
        "of a number of heads that divides the " << (q).size(1) << " of " #q,  \
        (k_cache).size(2));                                                    \
    CHECK_OR_THROW(is_power_of_two((k_cache).size(1)) &&                       \
                       (k_cache).size(1) <= kMostTokens,                       \
                   ValueError, k_cache,                                        \
                   "of a power of two of at most " << kMostTokens              \
                                                   << " tokens for each page", \
                   (k_cache).size(1));                                         \
    CHECK_ROWS(k_cache);                                                       \
    CHECK_SAME_DEVICE(page_table, q);                                          \
    CHECK_DTYPE(page_table, dl_int32);                                         \
    CHECK_DIM(2, page_table);                                                  \
    CHECK_OR_THROW((page_table).size(0) == (q).size(0), ValueError,            \
                   page_table, "of " << (q).size(0) << " sequences like " #q,  \
                   (page_table).size(0));                                      \
    CHECK_OR_THROW(                                                            \
        (page_table).size(1) <= kMostTokens / (k_cache).size(1), ValueError,   \
        page_table,                                                            \
        "of at most " << kMostTokens << " tokens for each sequence",           \
        (page_table).size(1) << " pages of " << (k_cache).size(1));            \
    CHECK_CONTIGUOUS(page_table);                                              \
    CHECK_ALIGNED(page_table);                                                 \
  } while (0)

// The other arguments, with a workspace of `bytes` bytes.
#define CHECK_OTHERS(q, k_cache, v_cache, lengths, out, workspace, bytes) \
  do {                                                                    \
    CHECK_SAME_DEVICE(v_cache, q);                                        \
    CHECK_SAME_DTYPE(v_cache, q);                                         \
    CHECK_SAME_SHAPE(v_cache, k_cache);                                   \
    CHECK_ROWS(v_cache);                                                  \
    CHECK_SAME_DEVICE(lengths, q);                                        \
    CHECK_DTYPE(lengths, dl_int32);                                       \
    CHECK_DIM(1, lengths);                                                \
    CHECK_OR_THROW((lengths).size(0) == (q).size(0), ValueError, lengths, \
                   "of " << (q).size(0) << " sequences like " #q,         \
                   (lengths).size(0));                                    \
    CHECK_CONTIGUOUS(lengths);                                            \
    CHECK_ALIGNED(lengths);                                               \
    CHECK_SAME_DEVICE(out, q);                                            \
    CHECK_SAME_DTYPE(out, q);                                             \
    CHECK_SAME_SHAPE(out, q);                                             \
    CHECK_CONTIGUOUS(out);                                                \
    CHECK_ALIGNED(out);                                                   \
    CHECK_SAME_DEVICE(workspace, q);                                      \
    CHECK_DTYPE(workspace, dl_uint8);                                     \
    CHECK_CONTIGUOUS(workspace);                                          \
    CHECK_OR_THROW((workspace).numel() >= (bytes), ValueError, workspace, \
                   "of at least " << (bytes) << " bytes",                 \
                   (workspace).numel());                                  \
    CHECK_OR_THROW(is_aligned(data_of<char>(workspace)), ValueError,      \
                   workspace, "aligned to 16 bytes",                      \
                   "an address that is not");                             \
  } while (0)

// `written` must not overlap anything that is yet to be read.
#define CHECK_WRITTEN(written, q, k_cache, v_cache, page_table, lengths) \
  do {                                                                   \
    CHECK_APART(written, q);                                             \
    CHECK_APART(written, k_cache);                                       \
    CHECK_APART(written, v_cache);                                       \
    CHECK_APART(written, page_table);                                    \
    CHECK_APART(written, lengths);                                       \
  } while (0)
// [checks.end]

}  // namespace

#endif  // DECODE_ATTENTION_CHECKS_H_
