// SPDX-License-Identifier: Apache-2.0
// The exported function: checks the arguments and chooses the implementation by
// device.
#define TVM_FFI_DLL_EXPORT_INCLUDE_METADATA 1  // before the first include
#include "scale_rows.h"

namespace {

// One number per row or column of x, contiguous.
#define CHECK_VECTOR(v, x, dim, what)                                          \
  do {                                                                         \
    CHECK_SAME_DEVICE(v, x);                                                   \
    CHECK_SAME_DTYPE(v, x);                                                    \
    CHECK_DIM(1, v);                                                           \
    CHECK_OR_THROW((v).size(0) == (x).size(dim), ValueError, v,                \
                   "of length " << (x).size(dim)                               \
                                << ", one number for each " what << " of " #x, \
                   (v).size(0));                                               \
    CHECK_CONTIGUOUS(v);                                                       \
    CHECK_ALIGNED(v);                                                          \
  } while (0)

// [function.begin]
void scale_rows(ffi::TensorView x, ffi::TensorView scale, ffi::TensorView y,
                ffi::Optional<ffi::TensorView> maybe_bias) {
  const bool on_cuda = x.device().device_type == kDLCUDA;
#ifndef WITH_CUDA
  CHECK_OR_THROW(!on_cuda, ValueError, x,
                 "on the CPU, because this library was built without CUDA",
                 text_of(x.device()));
#endif
  CHECK_OR_THROW(on_cuda || x.device().device_type == kDLCPU, ValueError, x,
                 "on the CPU or a CUDA device", text_of(x.device()));
  CHECK_DIM(2, x);
  CHECK_DTYPE_IN(x, FloatingTypes);
  CHECK_DENSE_ROWS(x);
  CHECK_ALIGNED(x);
  CHECK_VECTOR(scale, x, 0, "row");
  CHECK_SAME_DEVICE(y, x);
  CHECK_SAME_DTYPE(y, x);
  CHECK_SAME_SHAPE(y, x);
  CHECK_CONTIGUOUS(y);
  CHECK_ALIGNED(y);
  CHECK_NO_PARTIAL_OVERLAP(y, x);
  CHECK_APART(y, scale);
  const ffi::TensorView* given = nullptr;
  if (maybe_bias.has_value()) {
    const ffi::TensorView& bias = *maybe_bias;
    CHECK_VECTOR(bias, x, 1, "column");
    CHECK_APART(y, bias);
    given = &bias;
  }
#ifdef WITH_CUDA
  if (on_cuda) return scale_rows_cuda(x, scale, y, given);
#endif
  scale_rows_cpu(x, scale, y, given);
}
// [function.end]

// [export.begin]
TVM_FFI_DLL_EXPORT_TYPED_FUNC(scale_rows, scale_rows);
TVM_FFI_DLL_EXPORT_TYPED_FUNC_DOC(
    scale_rows,
    "y[i, j] = x[i, j] * scale[i] + bias[j], without a bias if it is None.");
#ifdef TVM_FFI_DLL_EXPORT_TYPED_FUNC_ARG_NAMES  // not in apache-tvm-ffi
TVM_FFI_DLL_EXPORT_TYPED_FUNC_ARG_NAMES(scale_rows, "x", "scale", "y", "bias");
#endif
// [export.end]

}  // namespace
