// SPDX-License-Identifier: Apache-2.0
// Kernels that are compiled but never run: the fake driver records how they were launched.
extern "C" __global__ void axpy(float a, const float* x, float* y, long long n) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}

// The fake driver infers the 40 KB of static shared memory from the name.
extern "C" __global__ void static40(float* y) {
  __shared__ float held[40 * 256];
  extern __shared__ float more[];
  held[threadIdx.x] = y[threadIdx.x];
  more[threadIdx.x] = y[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = held[blockDim.x - 1 - threadIdx.x] + more[0];
}

__global__ void of_cpp(float* y) { *y = 1; }
