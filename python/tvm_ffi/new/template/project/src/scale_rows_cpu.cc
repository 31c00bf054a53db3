// SPDX-License-Identifier: Apache-2.0
// y = x * scale + bias on a CPU.
#include "scale_rows.h"

// [function.begin]
void scale_rows_cpu(const ffi::TensorView& x, const ffi::TensorView& scale,
                    const ffi::TensorView& y, const ffi::TensorView* bias) {
  dispatch<FloatingTypes>(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    using C = typename Compute<T>::Type;
    const int64_t rows = x.size(0);
    const int64_t columns = x.size(1);
    const T* scales = data_of<T>(scale);
    const T* biases = bias == nullptr ? nullptr : data_of<T>(*bias);
    for (int64_t row = 0; row < rows; ++row) {
      const T* from = data_of<T>(x) + row * row_stride(x);
      T* to = data_of<T>(y) + row * columns;
      const C factor = static_cast<C>(scales[row]);
      for (int64_t i = 0; i < columns; ++i) {
        const C shift = biases == nullptr ? C(0) : static_cast<C>(biases[i]);
        to[i] = static_cast<T>(scaled(static_cast<C>(from[i]), factor, shift));
      }
    }
  });
}
// [function.end]
