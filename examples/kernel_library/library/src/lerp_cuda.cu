// SPDX-License-Identifier: Apache-2.0
// y += weight * (x - y) on a GPU.
#include "elementwise.cuh"

namespace vector_kernels {
namespace cuda {
namespace {

template <typename T>
struct Lerp {
  using C = typename Compute<T>::Type;
  C weight;
  __device__ T operator()(T x, T y) const {
    const auto old = static_cast<C>(y);
    return static_cast<T>(old + weight * (static_cast<C>(x) - old));
  }
};

}  // namespace

void lerp(ffi::TensorView x, ffi::TensorView y, double weight) {
  dispatch<FloatingTypes>(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    using C = typename Compute<T>::Type;
    launch_update<T>(x, y, Lerp<T>{static_cast<C>(weight)});
  });
}

}  // namespace cuda
}  // namespace vector_kernels
