// SPDX-License-Identifier: Apache-2.0
// y = a + b for fifteen dtypes, on a CPU. Build with build_cpu.sh, run with
// load_dispatch.py.

#include "sum.h"

// [function.begin]
void add(ffi::TensorView a, ffi::TensorView b, ffi::TensorView y) {
  CHECK_CPU(a);
  CHECK_DTYPE_IN(a, Types);
  CHECK_CONTIGUOUS(a);
  CHECK_ALIGNED(a);
  CHECK_SAME_DEVICE(b, a);
  CHECK_SAME_DTYPE(b, a);
  CHECK_SAME_SHAPE(b, a);
  CHECK_CONTIGUOUS(b);
  CHECK_ALIGNED(b);
  CHECK_SAME_DEVICE(y, a);
  CHECK_SAME_DTYPE(y, a);
  CHECK_SAME_SHAPE(y, a);
  CHECK_CONTIGUOUS(y);
  CHECK_ALIGNED(y);
  CHECK_NO_PARTIAL_OVERLAP(y, a);
  CHECK_NO_PARTIAL_OVERLAP(y, b);
  dispatch<Types>(a.dtype(), [&](auto zero) {
    using T = decltype(computed_as<decltype(zero)>());
    map_elements(a.numel(), Sum{}, data_of<T>(y), data_of<T>(a), data_of<T>(b));
  });
}
// [function.end]

TVM_FFI_DLL_EXPORT_TYPED_FUNC(add, add);
