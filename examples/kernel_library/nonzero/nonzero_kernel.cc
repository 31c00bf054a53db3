// SPDX-License-Identifier: Apache-2.0
// The indices of the nonzero elements, on a CPU. Build with
// build_cpu.sh, run with load_nonzero.py.

// [includes.begin]
#include "value_bits.h"
// [includes.end]

namespace {

// [rows.begin]
// Calls body(row, stride, index) for each row of x, in order, until it returns
// false; index is the row's position in all dimensions except the last.
template <typename T, typename Body>
void for_each_row(const ffi::TensorView& x, Body body) {
  if (x.numel() == 0) return;
  const T* row = data_of<T>(x);
  const int32_t outer = x.ndim() - 1;
  const int64_t stride = outer >= 0 ? x.stride(outer) : 0;
  int64_t index[StridedLayout::kMaxDims] = {};
  while (body(row, stride, static_cast<const int64_t*>(index))) {
    int32_t d = outer - 1;
    for (; d >= 0; --d) {
      row += x.stride(d);
      if (++index[d] < x.size(d)) break;
      row -= index[d] * x.stride(d);
      index[d] = 0;
    }
    if (d < 0) return;
  }
}
// [rows.end]

}  // namespace

// [function.begin]
ffi::Tensor nonzero(ffi::TensorView x) {
  CHECK_CPU(x);
  CHECK_HAS_ZERO(x);
  CHECK_ALIGNED(x);
  CHECK_OR_THROW(x.ndim() <= StridedLayout::kMaxDims, ValueError, x,
                 "of at most " << StridedLayout::kMaxDims << " dimensions",
                 x.ndim());
  const int64_t ndim = x.ndim();
  const int64_t n = ndim == 0 ? 1 : x.size(-1);
  ffi::Tensor out;
  dispatch_size(x.dtype(), [&](auto bits) {
    using T = decltype(bits);
    int64_t count = 0;
    for_each_row<T>(x, [&](const T* row, int64_t stride, const int64_t*) {
      if (stride == 1) {
        for (int64_t i = 0; i < n; ++i) count += is_nonzero(row[i], bits);
      } else {
        for (int64_t i = 0; i < n; ++i)
          count += is_nonzero(row[i * stride], bits);
      }
      return true;
    });

    out = alloc_tensor({count, ndim}, dl_int64, x.device());
    auto* to = static_cast<int64_t*>(out.data_ptr());
    const int64_t* end = to + count * ndim;
    // Every index is written, and the output advances if the element counts:
    // this avoids a branch that half of the elements take.
    for_each_row<T>(x, [&](const T* row, int64_t stride, const int64_t* index) {
      for (int64_t i = 0; i < n && to != end; ++i) {
        for (int64_t d = 0; d < ndim - 1; ++d) to[d] = index[d];
        to[ndim - 1] = i;
        to += is_nonzero(row[i * stride], bits) ? ndim : 0;
      }
      return to != end;
    });
  });
  return out;
}
// [function.end]

// [export.begin]
TVM_FFI_DLL_EXPORT_TYPED_FUNC(nonzero, nonzero);
// [export.end]
