// SPDX-License-Identifier: Apache-2.0
// Every kind of error that a kernel's host code may throw. Build with
// build_cpu.sh, run with load_errors.py.

#include "failures.h"

// [tensors.begin]
// y[i] = x[i, 0] where keep[i], otherwise 0. Every property that the loop needs
// is checked, beginning with those that the other checks depend on.
void first_column(ffi::TensorView x, ffi::TensorView keep, ffi::TensorView y) {
  CHECK_CPU(x);
  CHECK_DIM(2, x);
  CHECK_DTYPE_IN(x, FloatingTypes);
  CHECK_DENSE_ROWS(x);
  CHECK_ALIGNED(x);
  CHECK_OR_THROW(x.size(1) > 0, ValueError, x, "of one column or more",
                 "shape " << text_of(x.shape()));
  CHECK_SAME_DEVICE(y, x);
  CHECK_SAME_DTYPE(y, x);
  CHECK_DIM(1, y);
  CHECK_OR_THROW(y.size(0) == x.size(0), ValueError, y,
                 "as long as x has rows, " << x.size(0), y.size(0));
  CHECK_CONTIGUOUS(y);
  CHECK_ALIGNED(y);
  CHECK_NO_PARTIAL_OVERLAP(y, x);
  CHECK_SAME_DEVICE(keep, x);
  CHECK_DTYPE(keep, dl_bool);
  CHECK_SAME_SHAPE(keep, y);
  CHECK_CONTIGUOUS(keep);
  CHECK_NO_PARTIAL_OVERLAP(y, keep);
  const auto* kept = data_of<uint8_t>(keep);  // Any nonzero byte is true.
  dispatch<FloatingTypes>(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* from = data_of<T>(x);
    T* to = data_of<T>(y);
    for (int64_t i = 0; i < x.size(0); ++i) {
      to[i] = kept[i] != 0 ? from[i * x.stride(0)] : static_cast<T>(0.0f);
    }
  });
}
// [tensors.end]

TVM_FFI_DLL_EXPORT_TYPED_FUNC(first_column, first_column);
