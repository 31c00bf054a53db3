// SPDX-License-Identifier: Apache-2.0
// y = x + 1 for float32 vectors on a CPU. Build with build_cpu.sh, run with
// load_add_one.py.

// [kernel.begin]
#include "../tvm_ffi_utils.h"

void add_one(ffi::TensorView x, ffi::TensorView y) {
  CHECK_CPU(x);
  CHECK_DIM(1, x);
  CHECK_DTYPE(x, dl_float32);
  CHECK_CONTIGUOUS(x);
  CHECK_ALIGNED(x);
  CHECK_SAME_DEVICE(y, x);
  CHECK_SAME_DTYPE(y, x);
  CHECK_SAME_SHAPE(y, x);
  CHECK_CONTIGUOUS(y);
  CHECK_ALIGNED(y);
  CHECK_NO_PARTIAL_OVERLAP(y, x);
  const auto plus_one = [](float value) { return value + 1.0f; };
  map_elements(x.numel(), plus_one, data_of<float>(y), data_of<float>(x));
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(add_one, add_one);
// [kernel.end]
