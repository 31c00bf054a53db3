// SPDX-License-Identifier: Apache-2.0
// One implementation file: it does not know how it is exported.
#include "kernels.h"

namespace my_library {

// [optional.begin]
void shift(tvm::ffi::TensorView x, tvm::ffi::TensorView y, tvm::ffi::Optional<double> by) {
  const auto step = static_cast<float>(by.value_or(1.0));
  const auto* from = static_cast<const float*>(x.data_ptr());
  auto* to = static_cast<float*>(y.data_ptr());
  for (int64_t i = 0; i < x.numel(); ++i) to[i] = from[i] + step;
}
// [optional.end]

}  // namespace my_library
