// SPDX-License-Identifier: Apache-2.0
// The exported functions: they check the arguments, choose the implementation
// by device, and provide signatures and documentation. No kernel depends on
// this file. Build with build_cpu.sh, build_cuda.sh or CMake, run with
// load_library.py.

// [includes.begin]
#define TVM_FFI_DLL_EXPORT_INCLUDE_METADATA 1  // before the first include
#include "kernels.h"
// [includes.end]

namespace vector_kernels {
namespace {

// [for_device.begin]
// The implementation for the device of x.
template <typename Kernel>
Kernel* for_device(const char* name, const ffi::TensorView& x, Kernel* on_cpu,
                   Kernel* on_cuda) {
  const DLDevice device = x.device();
  if (device.device_type == kDLCUDA) return on_cuda;
  if (device.device_type == kDLCPU) return on_cpu;
  TVM_FFI_THROW(ValueError)
      << name << ": x must be on the CPU or a CUDA device, got "
      << text_of(device);
}
// [for_device.end]

// [checks.begin]
#define CHECK_DENSE(x)                \
  do {                                \
    CHECK_DTYPE_IN(x, FloatingTypes); \
    CHECK_CONTIGUOUS(x);              \
    CHECK_ALIGNED(x);                 \
  } while (0)

#define CHECK_DENSE_LIKE(y, x) \
  do {                         \
    CHECK_SAME_DEVICE(y, x);   \
    CHECK_SAME_DTYPE(y, x);    \
    CHECK_SAME_SHAPE(y, x);    \
    CHECK_CONTIGUOUS(y);       \
    CHECK_ALIGNED(y);          \
  } while (0)
// [checks.end]

// [axpy.begin]
void axpy(double a, ffi::TensorView x, ffi::TensorView y) {
  auto* kernel = for_device("axpy", x, cpu::axpy, cuda::axpy);
  CHECK_DENSE(x);
  CHECK_DENSE_LIKE(y, x);
  CHECK_NO_PARTIAL_OVERLAP(y, x);
  kernel(a, x, y);
}
// [axpy.end]

void lerp(ffi::TensorView x, ffi::TensorView y, double weight) {
  auto* kernel = for_device("lerp", x, cpu::lerp, cuda::lerp);
  CHECK_DENSE(x);
  CHECK_DENSE_LIKE(y, x);
  CHECK_NO_PARTIAL_OVERLAP(y, x);
  kernel(x, y, weight);
}

void vecdot(ffi::TensorView x, ffi::TensorView y, ffi::TensorView out) {
  auto* kernel = for_device("vecdot", x, cpu::vecdot, cuda::vecdot);
  CHECK_DENSE(x);
  CHECK_OR_THROW(x.ndim() >= 1, ValueError, x, "at least 1-dimensional",
                 x.ndim());
  CHECK_DENSE_LIKE(y, x);
  CHECK_SAME_DEVICE(out, x);
  CHECK_SAME_DTYPE(out, x);
  const ffi::ShapeView rows(x.shape().data(), x.shape().size() - 1);
  CHECK_OR_THROW(text_of(out.shape()) == text_of(rows), ValueError, out,
                 "of shape " << text_of(rows) << ", one number for each row",
                 text_of(out.shape()));
  CHECK_CONTIGUOUS(out);
  CHECK_ALIGNED(out);
  CHECK_APART(out, x);
  CHECK_APART(out, y);
  kernel(x, y, out);
}

// [export.begin]
TVM_FFI_DLL_EXPORT_TYPED_FUNC(axpy, axpy);
TVM_FFI_DLL_EXPORT_TYPED_FUNC_DOC(axpy, "y += a * x, in place.");
TVM_FFI_DLL_EXPORT_TYPED_FUNC(lerp, lerp);
TVM_FFI_DLL_EXPORT_TYPED_FUNC_DOC(lerp, "y += weight * (x - y), in place.");
TVM_FFI_DLL_EXPORT_TYPED_FUNC(vecdot, vecdot);
TVM_FFI_DLL_EXPORT_TYPED_FUNC_DOC(
    vecdot, "out = sum of x * y over the last dimension.");
// [export.end]

}  // namespace
}  // namespace vector_kernels
