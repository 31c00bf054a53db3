// SPDX-License-Identifier: Apache-2.0
// y += a * x on a GPU.
#include "elementwise.cuh"

namespace vector_kernels {
namespace cuda {
namespace {

// [axpy.begin]
template <typename T>
struct Axpy {
  using C = typename Compute<T>::Type;
  C a;
  __device__ T operator()(T x, T y) const {
    return static_cast<T>(static_cast<C>(y) + a * static_cast<C>(x));
  }
};

}  // namespace

void axpy(double a, ffi::TensorView x, ffi::TensorView y) {
  dispatch<FloatingTypes>(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    using C = typename Compute<T>::Type;
    launch_update<T>(x, y, Axpy<T>{static_cast<C>(a)});
  });
}
// [axpy.end]

}  // namespace cuda
}  // namespace vector_kernels
