/* SPDX-License-Identifier: Apache-2.0 */
/* y = x * factor in C99, through the C ABI only. Build with build_cpu.sh, run
 * with load_c_abi.py, or without Python with build_host.sh. */
#include "arguments.h"

/* [kernel.begin] */
/* Blocks of elements are buffered before they go to y, so that compilers
 * vectorize the loop even where y may be x. Prefetching makes large tensors
 * faster; the address is computed as an integer, since a pointer must not
 * point far past the end of an array. All three constants are in
 * bytes. */
#define BLOCK 256
#define AHEAD 2048
#define LINE 64
#define PREFETCH(address, writes) \
  __builtin_prefetch((const void*)((uintptr_t)(address) + AHEAD), writes)

/* y is contiguous, x may have any strides. `type` is the element type to read,
 * multiply and write. */
#define DEFINE_SCALE(name, type)                                            \
  static void name##_row(const type* x, type* y, int64_t n, type factor) {  \
    type block[BLOCK / sizeof(type)];                                       \
    const int64_t size = BLOCK / (int64_t)sizeof(type);                     \
    int64_t i, k;                                                           \
    for (i = 0; i + size <= n; i += size) {                                 \
      for (k = 0; k < size; k += LINE / (int64_t)sizeof(type)) {            \
        PREFETCH(x + i + k, 0);                                             \
        PREFETCH(y + i + k, 1);                                             \
      }                                                                     \
      for (k = 0; k < size; ++k) block[k] = x[i + k] * factor;              \
      memcpy(y + i, block, sizeof(block));                                  \
    }                                                                       \
    for (; i < n; ++i) y[i] = x[i] * factor;                                \
  }                                                                         \
                                                                            \
  static void name(const type* x, const Layout* at, type* y, type factor) { \
    const int32_t last = at->ndim - 1;                                      \
    const int64_t count = at->shape[last];                                  \
    const int64_t step = at->strides[last];                                 \
    int64_t index[MAX_DIMS] = {0};                                          \
    int64_t row = 0; /* where it begins in x */                             \
    int64_t i;                                                              \
    int32_t d;                                                              \
    do {                                                                    \
      if (step == 1) {                                                      \
        name##_row(x + row, y, count, factor);                              \
      } else {                                                              \
        for (i = 0; i < count; ++i) y[i] = x[row + i * step] * factor;      \
      }                                                                     \
      y += count;                                                           \
      for (d = last - 1; d >= 0; --d) { /* the next row, as an odometer */  \
        row += at->strides[d];                                              \
        if (++index[d] < at->shape[d]) break;                               \
        row -= at->strides[d] * at->shape[d];                               \
        index[d] = 0;                                                       \
      }                                                                     \
    } while (d >= 0);                                                       \
  }

DEFINE_SCALE(scale_float32, float)
DEFINE_SCALE(scale_float64, double)
/* [kernel.end] */

/* [export.begin] */
/* The symbol that the loader looks up: __tvm_ffi_ and the name. Arguments are
 * borrowed for the call; the caller owns the result. */
TVM_FFI_DLL_EXPORT int __tvm_ffi_scale(void* handle, const TVMFFIAny* args,
                                       int32_t num_args, TVMFFIAny* result) {
  Arguments given;
  Layout layout;
  (void)handle;
  if (read_arguments(args, num_args, kDLCPU, &given) != 0) return -1;
  result->type_index = kTVMFFINone;
  if (numel(given.x) == 0) return 0;
  layout = layout_of(given.x);
  if (given.x->dtype.bits == 32) {
    scale_float32((const float*)data_of(given.x), &layout,
                  (float*)data_of(given.y), (float)given.factor);
  } else {
    scale_float64((const double*)data_of(given.x), &layout,
                  (double*)data_of(given.y), given.factor);
  }
  return 0;
}
/* [export.end] */
