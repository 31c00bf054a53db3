// SPDX-License-Identifier: Apache-2.0
// y = x * factor on a GPU, through the C ABI only. Build with build_cuda.sh,
// run with load_c_abi.py.
#include <cuda_runtime.h>
#include <tvm/ffi/extra/c_env_api.h>

#include "arguments.h"

namespace {

// [kernel.begin]
constexpr int kThreads = 256;
constexpr int kLoads = 4;

// Two 8-byte or four 4-byte numbers: one 16-byte load.
template <typename T>
struct alignas(16) Four {
  T items[16 / sizeof(T)];
};

// y may be x, so the compiler moves no load above a store. Each thread
// therefore loads kLoads vectors before it stores the first. Near the end, it
// loads the last vector again instead of one past it, and discards it.
template <typename T>
__global__ void scale_vectors(const T* x, T* y, T factor, int64_t n) {
  constexpr int kSize = 16 / sizeof(T);
  constexpr int kTile = kLoads * kThreads;  // vectors per block and iteration
  const auto* from = reinterpret_cast<const Four<T>*>(x);
  auto* to = reinterpret_cast<Four<T>*>(y);
  const int64_t count = n / kSize;
#pragma unroll 1  // Unrolling would add a division to compute the trip count.
  for (int64_t tile = static_cast<int64_t>(blockIdx.x) * kTile; tile < count;
       tile += static_cast<int64_t>(gridDim.x) * kTile) {
    const int64_t first = tile + threadIdx.x;
    Four<T> loaded[kLoads];
#pragma unroll
    for (int k = 0; k < kLoads; ++k)
      loaded[k] = from[min(first + k * kThreads, count - 1)];
#pragma unroll
    for (int k = 0; k < kLoads; ++k) {
      const int64_t i = first + k * kThreads;
      if (i >= count) break;
      for (T& item : loaded[k].items) item *= factor;
      to[i] = loaded[k];
    }
  }
  // The tail: fewer elements than one vector holds.
  const int64_t i = count * kSize + threadIdx.x;
  if (blockIdx.x == 0 && i < n) y[i] = x[i] * factor;
}

// Any strides, any alignment.
template <typename T>
__global__ void scale_elements(const T* x, Layout at, T* y, T factor,
                               int64_t n) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
#pragma unroll 1  // Unrolling would add a division to compute the trip count.
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
       i < n; i += step) {
    int64_t rest = i;
    int64_t offset = 0;
    for (int d = at.ndim - 1; d > 0; --d) {
      offset += rest % at.shape[d] * at.strides[d];
      rest /= at.shape[d];
    }
    y[i] = x[offset + rest * at.strides[0]] * factor;
  }
}
// [kernel.end]

template <typename T>
cudaError_t launch(const Arguments& given, cudaStream_t stream) {
  const auto* x = reinterpret_cast<const T*>(data_of(given.x));
  auto* y = reinterpret_cast<T*>(data_of(given.y));
  const int64_t n = numel(given.x);
  const auto factor = static_cast<T>(given.factor);
  const auto addresses =
      reinterpret_cast<uintptr_t>(x) | reinterpret_cast<uintptr_t>(y);
  const bool vectors = is_contiguous(given.x) && addresses % 16 == 0;
  // A thread processes kLoads vectors, or one element.
  const int64_t share =
      kThreads * (vectors ? kLoads * 16 / int64_t{sizeof(T)} : 1);
  const int64_t wanted = (n + share - 1) / share;
  const auto blocks =
      static_cast<unsigned>(wanted < (1 << 20) ? wanted : 1 << 20);
  if (vectors) {
    scale_vectors<T><<<blocks, kThreads, 0, stream>>>(x, y, factor, n);
  } else {
    scale_elements<T>
        <<<blocks, kThreads, 0, stream>>>(x, layout_of(given.x), y, factor, n);
  }
  return cudaGetLastError();
}

// [launch.begin]
// Launches on the tensors' GPU, which is current only meanwhile, and on the
// current stream of the caller's framework.
cudaError_t launch_on_device(const Arguments& given) {
  const int32_t device = given.x->device.device_id;
  auto stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(kDLCUDA, device));
  int before = 0;
  cudaError_t status = cudaGetDevice(&before);
  if (status != cudaSuccess) return status;
  if (before != device) status = cudaSetDevice(device);
  if (status != cudaSuccess) return status;
  status = given.x->dtype.bits == 32 ? launch<float>(given, stream)
                                     : launch<double>(given, stream);
  if (before == device) return status;
  const cudaError_t restored = cudaSetDevice(before);
  return status != cudaSuccess ? status : restored;
}
// [launch.end]

}  // namespace

// [export.begin]
extern "C" TVM_FFI_DLL_EXPORT int __tvm_ffi_scale(void*, const TVMFFIAny* args,
                                                  int32_t num_args,
                                                  TVMFFIAny* result) {
  Arguments given;
  if (read_arguments(args, num_args, kDLCUDA, &given) != 0) return -1;
  result->type_index = kTVMFFINone;
  if (numel(given.x) == 0) return 0;  // An empty grid is an error.
  const cudaError_t status = launch_on_device(given);
  if (status == cudaSuccess) return 0;
  cudaGetLastError();  // Otherwise the next checked launch would report it.
  const char* parts[2] = {"scale: CUDA error: ", cudaGetErrorString(status)};
  TVMFFIErrorSetRaisedFromCStrParts("RuntimeError", parts, 2);
  return -1;
}
// [export.end]
