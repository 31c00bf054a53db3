// SPDX-License-Identifier: Apache-2.0
// y = x * factor on a CPU. Build with build_cpu.sh, run with load_scale.py.

// [includes.begin]
#include "../tvm_ffi_utils.h"
// [includes.end]

// [function.begin]
void scale(ffi::TensorView x, ffi::TensorView y, double factor) {
  CHECK_CPU(x);
  CHECK_DTYPE_IN(x, FloatingTypes);
  CHECK_ALIGNED(x);
  CHECK_SAME_DEVICE(y, x);
  CHECK_SAME_DTYPE(y, x);
  CHECK_SAME_SHAPE(y, x);
  CHECK_CONTIGUOUS(y);
  CHECK_ALIGNED(y);
  CHECK_NO_PARTIAL_OVERLAP(y, x);
  dispatch<FloatingTypes>(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* from = data_of<T>(x);
    T* to = data_of<T>(y);
    const auto times = [factor](T value) {
      using C = typename Compute<T>::Type;
      return static_cast<T>(static_cast<C>(value) * static_cast<C>(factor));
    };
    for_each_run(StridedLayout("scale", x), [&](int64_t first, int64_t offset,
                                                int64_t count, int64_t step) {
      if (step == 1) {
        map_elements(count, times, to + first, from + offset);
      } else {
        for (int64_t i = 0; i < count; ++i) {
          to[first + i] = times(from[offset + i * step]);
        }
      }
    });
  });
}
// [function.end]

// [returning.begin]
ffi::Tensor scaled(ffi::TensorView x, double factor) {
  CHECK_CPU(x);
  CHECK_DTYPE_IN(x, FloatingTypes);
  CHECK_ALIGNED(x);
  ffi::Tensor y = alloc_tensor(x.shape(), x.dtype(), x.device());
  scale(x, y, factor);
  return y;
}
// [returning.end]

// [export.begin]
TVM_FFI_DLL_EXPORT_TYPED_FUNC(scale, scale);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(scaled, scaled);
// [export.end]
