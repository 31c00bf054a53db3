// SPDX-License-Identifier: Apache-2.0
// The same, with the CUBIN as a byte array in a header.

// [array.begin]
#include "axpy_cubin.h"  // static const unsigned char axpy_image[] = {...};
#include "launch_axpy.h"

TVM_FFI_EMBED_CUBIN_FROM_BYTES(axpy_cubin, axpy_image);
// [array.end]

static void axpy(double a, ffi::TensorView x, ffi::TensorView y) {
  check_axpy(x, y);
  static auto kernel = TVM_FFI_EMBED_CUBIN_GET_KERNEL(axpy_cubin, "axpy");
  launch_axpy(kernel, a, x, y);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(axpy, axpy);
