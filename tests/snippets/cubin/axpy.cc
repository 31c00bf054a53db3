// SPDX-License-Identifier: Apache-2.0
// A library with the CUBIN of axpy.cu embedded.

// [embedded.begin]
#include "launch_axpy.h"

TVM_FFI_EMBED_CUBIN(axpy_cubin);

static void axpy(double a, ffi::TensorView x, ffi::TensorView y) {
  check_axpy(x, y);
  static auto kernel = TVM_FFI_EMBED_CUBIN_GET_KERNEL(axpy_cubin, "axpy");
  launch_axpy(kernel, a, x, y);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(axpy, axpy);
// [embedded.end]
