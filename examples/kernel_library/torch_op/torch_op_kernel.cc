// SPDX-License-Identifier: Apache-2.0
// The squared ReLU, y = max(x, 0)^2, and its gradient, on a CPU. Build with
// build_cpu.sh, run with load_torch_op.py.

// [includes.begin]
#include "../tvm_ffi_utils.h"
// [includes.end]

// [function.begin]
void relu_squared(ffi::TensorView x, ffi::TensorView y) {
  CHECK_CPU(x);
  CHECK_DTYPE_IN(x, FloatingTypes);
  CHECK_CONTIGUOUS(x);
  CHECK_ALIGNED(x);
  CHECK_SAME_DEVICE(y, x);
  CHECK_SAME_DTYPE(y, x);
  CHECK_SAME_SHAPE(y, x);
  CHECK_CONTIGUOUS(y);
  CHECK_ALIGNED(y);
  CHECK_NO_PARTIAL_OVERLAP(y, x);
  dispatch<FloatingTypes>(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    using C = typename Compute<T>::Type;
    // NaN stays NaN, as in PyTorch.
    const auto formula = [](T x) {
      const C value = static_cast<C>(x);
      const C square = value * value;
      return static_cast<T>(value <= C(0) ? C(0) : square);
    };
    map_elements(x.numel(), formula, data_of<T>(y), data_of<T>(x));
  });
}
// [function.end]

// [backward.begin]
// dx = dy * 2x where x > 0, else 0; dy is the gradient of the loss w.r.t. y.
void relu_squared_backward(ffi::TensorView dy, ffi::TensorView x,
                           ffi::TensorView dx) {
  CHECK_CPU(x);
  CHECK_DTYPE_IN(x, FloatingTypes);
  CHECK_CONTIGUOUS(x);
  CHECK_ALIGNED(x);
  CHECK_SAME_DEVICE(dy, x);
  CHECK_SAME_DTYPE(dy, x);
  CHECK_SAME_SHAPE(dy, x);
  CHECK_CONTIGUOUS(dy);
  CHECK_ALIGNED(dy);
  CHECK_SAME_DEVICE(dx, x);
  CHECK_SAME_DTYPE(dx, x);
  CHECK_SAME_SHAPE(dx, x);
  CHECK_CONTIGUOUS(dx);
  CHECK_ALIGNED(dx);
  CHECK_NO_PARTIAL_OVERLAP(dx, x);
  CHECK_NO_PARTIAL_OVERLAP(dx, dy);
  dispatch<FloatingTypes>(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    using C = typename Compute<T>::Type;
    const auto formula = [](T dy, T x) {
      const C value = static_cast<C>(x);
      const C product = static_cast<C>(dy) * (C(2) * value);
      return static_cast<T>(value <= C(0) ? C(0) : product);
    };
    map_elements(x.numel(), formula, data_of<T>(dx), data_of<T>(dy),
                 data_of<T>(x));
  });
}
// [backward.end]

// [export.begin]
TVM_FFI_DLL_EXPORT_TYPED_FUNC(relu_squared, relu_squared);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(relu_squared_backward, relu_squared_backward);
// [export.end]
