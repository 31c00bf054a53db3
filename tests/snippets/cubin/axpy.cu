// SPDX-License-Identifier: Apache-2.0
// y += a * x. Device code only: no launch, no header.

// [kernel.begin]
extern "C" __global__ void axpy(float a, const float* x, float* y, long long n) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
       i += step) {
    y[i] += a * x[i];
  }
}
// [kernel.end]
