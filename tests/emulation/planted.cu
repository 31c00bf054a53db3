// SPDX-License-Identifier: Apache-2.0
// Kernels for testing the emulation: correct ones, and bugs that it must find.
#include <tvm/ffi/extra/storage.h>

#include "tvm_ffi_utils.h"

namespace {

__device__ float warp_sum(float x) {
  for (int step = 16; step > 0; step /= 2) x += __shfl_down_sync(~0u, x, step);
  return x;
}

// Sums n numbers in one block, through dynamic shared memory.
template <bool barrier>
__global__ void sum_kernel(const float* x, float* y, int64_t n) {
  extern __shared__ float partial[];
  float sum = 0;
  for (int64_t i = threadIdx.x; i < n; i += blockDim.x) sum += x[i];
  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
  if (barrier) __syncthreads();
  if (threadIdx.x < 32) {
    sum = warp_sum(threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : 0.0f);
    if (threadIdx.x == 0) *y = sum;
  }
}

__global__ void beyond_kernel(const float* x, float* y, int64_t n) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i <= n) y[i] = x[i];
}

// Reads one element, which may be outside x.
__global__ void stray_kernel(const float* x, float* y, int64_t i) {
  const float value = x[i];
  *y = value != value ? 1.0f : 2.0f;
}

__global__ void returns_kernel(float* y) {
  if (threadIdx.x >= 16) return;
  __syncthreads();
  *y = 1;
}

__global__ void half_warp_kernel(float* y) {
  if (threadIdx.x < 16) *y = __shfl_xor_sync(~0u, 1.0f, 1);
}

__global__ void left_out_kernel(float* y) {
  const float value = __shfl_xor_sync(threadIdx.x < 16 ? 0xffffu : 0xffff0000u, 1.0f, 16);
  if (threadIdx.x == 0) *y = value;
}

__global__ void one_kernel(float* y) { *y = 1; }

template <typename T>
__global__ void __launch_bounds__(2 * sizeof(T) * 16, 1) bounded_kernel(T* y) {
  *y = 1;
}

template <typename T>
__global__ void large_kernel(T* y) {
  *y = 1;
}

// Uses 16 KB of static shared memory, plus the launch's dynamic memory.
__global__ void static_kernel(float* y) {
  __shared__ float numbers[4096];
  numbers[threadIdx.x] = 1;
  *y = numbers[threadIdx.x];
}

// Each block reads both kinds of shared memory before it writes them.
__global__ void unwritten_kernel(float* y) {
  extern __shared__ float dynamic[];
  __shared__ float numbers[1];
  y[2 * blockIdx.x] = numbers[0];
  y[2 * blockIdx.x + 1] = dynamic[0];
  numbers[0] = dynamic[0] = 1;
}

// Each block reads the previous block's result without waiting for it.
__global__ void chain_kernel(float* y) {
  y[blockIdx.x] = blockIdx.x == 0 ? 1.0f : y[blockIdx.x - 1] + 1.0f;
}

// Races, each next to a correct version.

template <bool atomic>
__global__ void total_kernel(const float* x, float* y) {
  const float value = x[blockIdx.x * blockDim.x + threadIdx.x];
  if (atomic) {
    atomicAdd(y, value);
  } else {
    *y += value;
    y[1] = value;  // These two follow the race and are not watched.
    atomicAdd(&y[2], value);
  }
}

// The sum of a thread's neighbours, twice, through one buffer.
template <bool barrier>
__global__ void twice_kernel(const float* x, float* y) {
  __shared__ float row[64];
  float value = x[threadIdx.x];
  for (int i = 0; i < 2; ++i) {
    row[threadIdx.x] = value;
    __syncthreads();
    value += row[(threadIdx.x + 1) % 64];
    if (barrier) __syncthreads();
  }
  y[threadIdx.x] = value;
}

// A warp's lanes pass values through shared memory.
template <bool barrier>
__global__ void lanes_kernel(const float* x, float* y) {
  __shared__ float row[32];
  row[threadIdx.x] = x[threadIdx.x];
  const float other = __shfl_xor_sync(~0u, x[threadIdx.x], 1);  // does not order memory
  if (barrier) __syncwarp();
  y[threadIdx.x] = other + row[threadIdx.x ^ 1];
}

// In place, two rounds of 32 elements: values loaded beyond the end are discarded.
__global__ void in_place_kernel(float* y, int64_t n) {
  float loaded[2];
  for (int k = 0; k < 2; ++k) {
    const int64_t i = min(int64_t{threadIdx.x} + 32 * k, n - 1);
    loaded[k] = y[i];
  }
  for (int k = 0; k < 2; ++k) {
    const int64_t i = int64_t{threadIdx.x} + 32 * k;
    if (i < n) y[i] = loaded[k] + 1;
  }
}

// Each thread writes one byte of a word.
__global__ void bytes_kernel(unsigned char* y) { y[blockIdx.x * blockDim.x + threadIdx.x] = 1; }

// The last block to finish adds the results of all blocks in y[1...]; y[0] counts the tickets.
template <bool fence>
__global__ void last_block_kernel(const float* x, float* y) {
  const float sum = warp_sum(x[blockIdx.x * blockDim.x + threadIdx.x]);
  if (threadIdx.x == 0) y[1 + blockIdx.x] = sum;
  if (fence) __threadfence();
  __shared__ bool last;
  if (threadIdx.x == 0) last = atomicAdd(y, 1.0f) == static_cast<float>(gridDim.x - 1);
  __syncthreads();
  if (!last) return;
  __threadfence();
  const float part = threadIdx.x < gridDim.x ? y[1 + threadIdx.x] : 0.0f;
  const float all = warp_sum(part);
  __syncwarp();
  if (threadIdx.x == 0) y[1] = all;
}

// The last thread to finish adds the results of all threads. No barrier is needed, but the fence
// covers only one block.
template <bool fence>
__global__ void last_thread_kernel(const float* x, float* y) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned n = gridDim.x * blockDim.x;
  y[2 + i] = x[i];
  if (fence) __threadfence_block();
  if (atomicAdd(y, 1.0f) != static_cast<float>(n - 1)) return;
  __threadfence_block();
  float all = 0;
  for (unsigned k = 0; k < n; ++k) all += y[2 + k];
  y[1] = all;
}

// Each thread adds one to its block's own static memory, which no other block sees.
__global__ void own_kernel(float* y) {
  __shared__ alignas(64) float count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  atomicAdd(&count, 1.0f);
  __syncthreads();
  if (threadIdx.x == 0) y[blockIdx.x] = reinterpret_cast<uintptr_t>(&count) % 64 == 0 ? count : -1;
}

__global__ void add_kernel(float* y, float by) { *y += by; }

cudaStream_t stream_of(ffi::TensorView x) { return get_stream(x); }

void sum(ffi::TensorView x, ffi::TensorView y) {
  sum_kernel<true><<<1, 256, 8 * sizeof(float), stream_of(x)>>>(data_of<float>(x),
                                                                data_of<float>(y), x.numel());
}
void sum_without_barrier(ffi::TensorView x, ffi::TensorView y) {
  sum_kernel<false><<<1, 256, 8 * sizeof(float), stream_of(x)>>>(data_of<float>(x),
                                                                 data_of<float>(y), x.numel());
}
void beyond(ffi::TensorView x, ffi::TensorView y) {
  beyond_kernel<<<dim3(static_cast<unsigned>(x.numel() / 32 + 1)), 32, 0, stream_of(x)>>>(
      data_of<float>(x), data_of<float>(y), x.numel());
}
void before_first(ffi::TensorView x, ffi::TensorView y) {
  stray_kernel<<<1, 1, 0, stream_of(x)>>>(data_of<float>(x), data_of<float>(y), -1);
}
void after_last(ffi::TensorView x, ffi::TensorView y) {
  stray_kernel<<<1, 1, 0, stream_of(x)>>>(data_of<float>(x), data_of<float>(y), x.numel());
}
void unwritten(ffi::TensorView, ffi::TensorView y) {
  unwritten_kernel<<<2, 1, sizeof(float), stream_of(y)>>>(data_of<float>(y));
}
void chain(ffi::TensorView, ffi::TensorView y) {
  chain_kernel<<<static_cast<unsigned>(y.numel()), 1, 0, stream_of(y)>>>(data_of<float>(y));
}
void static_and_dynamic(ffi::TensorView, ffi::TensorView y) {
  static_kernel<<<1, 32, 40 << 10, stream_of(y)>>>(data_of<float>(y));
}
void returns(ffi::TensorView, ffi::TensorView y) {
  returns_kernel<<<1, 32, 0, stream_of(y)>>>(data_of<float>(y));
}
void half_warp(ffi::TensorView, ffi::TensorView y) {
  half_warp_kernel<<<1, 32, 0, stream_of(y)>>>(data_of<float>(y));
}
void left_out(ffi::TensorView, ffi::TensorView y) {
  left_out_kernel<<<1, 32, 0, stream_of(y)>>>(data_of<float>(y));
}

void total_of_blocks(ffi::TensorView x, ffi::TensorView y) {
  total_kernel<true><<<8, 1, 0, stream_of(y)>>>(data_of<float>(x), data_of<float>(y));
}
void total_of_blocks_without_atomic(ffi::TensorView x, ffi::TensorView y) {
  total_kernel<false><<<8, 1, 0, stream_of(y)>>>(data_of<float>(x), data_of<float>(y));
}
void total_of_threads(ffi::TensorView x, ffi::TensorView y) {
  total_kernel<true><<<1, 8, 0, stream_of(y)>>>(data_of<float>(x), data_of<float>(y));
}
void total_of_threads_without_atomic(ffi::TensorView x, ffi::TensorView y) {
  total_kernel<false><<<1, 8, 0, stream_of(y)>>>(data_of<float>(x), data_of<float>(y));
}
void twice(ffi::TensorView x, ffi::TensorView y) {
  twice_kernel<true><<<1, 64, 0, stream_of(y)>>>(data_of<float>(x), data_of<float>(y));
}
void twice_without_barrier(ffi::TensorView x, ffi::TensorView y) {
  twice_kernel<false><<<1, 64, 0, stream_of(y)>>>(data_of<float>(x), data_of<float>(y));
}
void lanes(ffi::TensorView x, ffi::TensorView y) {
  lanes_kernel<true><<<1, 32, 0, stream_of(y)>>>(data_of<float>(x), data_of<float>(y));
}
void lanes_without_barrier(ffi::TensorView x, ffi::TensorView y) {
  lanes_kernel<false><<<1, 32, 0, stream_of(y)>>>(data_of<float>(x), data_of<float>(y));
}
void in_place(ffi::TensorView, ffi::TensorView y) {
  in_place_kernel<<<1, 32>>>(data_of<float>(y), 40);
}
void bytes(ffi::TensorView, ffi::TensorView y) {
  bytes_kernel<<<3, 37, 0, stream_of(y)>>>(reinterpret_cast<unsigned char*>(data_of<float>(y)));
}
void last_block(ffi::TensorView x, ffi::TensorView y) {
  last_block_kernel<true><<<8, 32, 0, stream_of(y)>>>(data_of<float>(x), data_of<float>(y));
}
void last_block_without_fence(ffi::TensorView x, ffi::TensorView y) {
  last_block_kernel<false><<<8, 32, 0, stream_of(y)>>>(data_of<float>(x), data_of<float>(y));
}
void last_thread(ffi::TensorView x, ffi::TensorView y) {
  last_thread_kernel<true><<<1, 40, 0, stream_of(y)>>>(data_of<float>(x), data_of<float>(y));
}
void last_thread_without_fence(ffi::TensorView x, ffi::TensorView y) {
  last_thread_kernel<false><<<1, 40, 0, stream_of(y)>>>(data_of<float>(x), data_of<float>(y));
}
void last_thread_of_blocks(ffi::TensorView x, ffi::TensorView y) {
  last_thread_kernel<true><<<8, 1, 0, stream_of(y)>>>(data_of<float>(x), data_of<float>(y));
}
void own(ffi::TensorView, ffi::TensorView y) {
  own_kernel<<<16, 64, 0, stream_of(y)>>>(data_of<float>(y));
}

// Launches that a GPU may reject.
dim3 dim3_of(ffi::Shape of) {
  auto at = [&](int i) { return static_cast<unsigned>(of[i]); };
  return dim3(at(0), at(1), at(2));
}
void launch(ffi::TensorView y, ffi::Shape grid, ffi::Shape block, int64_t shared) {
  one_kernel<<<dim3_of(grid), dim3_of(block), static_cast<size_t>(shared), stream_of(y)>>>(
      data_of<float>(y));
  TVM_FFI_CHECK_CUDA_ERROR(cudaGetLastError());
}
void launch_bounded(ffi::TensorView y, int64_t threads) {
  bounded_kernel<float><<<2, static_cast<unsigned>(threads), 0, stream_of(y)>>>(data_of<float>(y));
  TVM_FFI_CHECK_CUDA_ERROR(cudaGetLastError());
}
void refused_and_sum(ffi::TensorView x, ffi::TensorView y) {
  for (int i = 0; i < 3; ++i) {
    bounded_kernel<float><<<1, 256, 0, stream_of(y)>>>(data_of<float>(y));
    sum(x, y);
  }
}
void launch_large(ffi::TensorView y, int64_t shared) {
  large_kernel<float><<<1, 1, static_cast<size_t>(shared), stream_of(y)>>>(data_of<float>(y));
  TVM_FFI_CHECK_CUDA_ERROR(cudaGetLastError());
}
void allow_large(int64_t shared) {
  TVM_FFI_CHECK_CUDA_ERROR(cudaFuncSetAttribute(
      large_kernel<float>, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)));
}

// Calls that a library may make while a stream is being captured.
cudaStream_t stream_at(int64_t handle) { return reinterpret_cast<cudaStream_t>(handle); }
int64_t current_stream() { return reinterpret_cast<int64_t>(TVMFFIEnvGetStream(kDLCUDA, 0)); }
void launch_on(int64_t stream, ffi::TensorView y) {
  one_kernel<<<1, 1, 0, stream_at(stream)>>>(data_of<float>(y));
  TVM_FFI_CHECK_CUDA_ERROR(cudaGetLastError());
}
void memset_on(int64_t stream, ffi::TensorView y) {
  TVM_FFI_CHECK_CUDA_ERROR(cudaMemsetAsync(y.data_ptr(), 0, sizeof(float), stream_at(stream)));
}
void memset_at_once(ffi::TensorView y) {
  TVM_FFI_CHECK_CUDA_ERROR(cudaMemset(y.data_ptr(), 0, sizeof(float)));
}
// The variable changes between the launches, and no longer exists at a replay.
void add_one_and_ten(ffi::TensorView y) {
  for (float by : {1.0f, 10.0f}) add_kernel<<<1, 1, 0, stream_of(y)>>>(data_of<float>(y), by);
}
ffi::Tensor allocate() { return alloc_tensor({4}, dl_float32, {kDLCUDA, 0}); }
// A table on the host, created by the first call.
int64_t table_size() {
  auto create = [] { return ffi::Shape({1, 2, 3}); };
  return ffi::storage::GetOrCreate<ffi::Shape>("planted.table", create).size();
}
void synchronize(int64_t stream) {
  TVM_FFI_CHECK_CUDA_ERROR(cudaStreamSynchronize(stream_at(stream)));
}
void synchronize_device() { TVM_FFI_CHECK_CUDA_ERROR(cudaDeviceSynchronize()); }
int capture_status(int64_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  TVM_FFI_CHECK_CUDA_ERROR(cudaStreamIsCapturing(stream_at(stream), &status));
  return status;
}

// CUDA's error state.
int set_device(int device) { return cudaSetDevice(device); }
int get_last_error() { return cudaGetLastError(); }
int peek_at_last_error() { return cudaPeekAtLastError(); }
void check_set_device(int device) { TVM_FFI_CHECK_CUDA_ERROR(cudaSetDevice(device)); }
void guard(int device) { ffi::CUDADeviceGuard guard(device); }
int guard_of_none(int device) {
  ffi::CUDADeviceGuard guard;
  return cudaSetDevice(device);
}

// Launches that may start early, of a kernel whose last threads do not wait if `all_wait` is false.
template <bool all_wait>
__global__ void early_kernel(double factor, float* y, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  cudaTriggerProgrammaticLaunchCompletion();
  if (all_wait || i < n) cudaGridDependencySynchronize();
  if (i < n) y[i] = static_cast<float>(factor * y[i]);
}

template <bool all_wait>
void early(ffi::TensorView y, int attribute, bool allowed) {
  cudaLaunchAttribute given{};
  given.id = static_cast<cudaLaunchAttributeID>(attribute);
  given.val.programmaticStreamSerializationAllowed = allowed;
  cudaLaunchConfig_t config{};
  config.gridDim = 2;
  config.blockDim = 32;
  config.attrs = &given;
  config.numAttrs = 1;
  const int n = static_cast<int>(y.numel());
  TVM_FFI_CHECK_CUDA_ERROR(
      cudaLaunchKernelEx(&config, early_kernel<all_wait>, 2, data_of<float>(y), n));
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(sum, sum);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(sum_without_barrier, sum_without_barrier);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(beyond, beyond);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(before_first, before_first);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(after_last, after_last);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(unwritten, unwritten);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(chain, chain);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(total_of_blocks, total_of_blocks);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(total_of_blocks_without_atomic, total_of_blocks_without_atomic);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(total_of_threads, total_of_threads);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(total_of_threads_without_atomic, total_of_threads_without_atomic);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(twice, twice);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(twice_without_barrier, twice_without_barrier);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(lanes, lanes);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(lanes_without_barrier, lanes_without_barrier);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(bytes, bytes);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(last_block, last_block);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(last_block_without_fence, last_block_without_fence);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(last_thread, last_thread);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(last_thread_without_fence, last_thread_without_fence);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(last_thread_of_blocks, last_thread_of_blocks);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(own, own);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(in_place, in_place);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(static_and_dynamic, static_and_dynamic);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(returns, returns);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(half_warp, half_warp);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(left_out, left_out);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(launch, launch);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(launch_bounded, launch_bounded);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(refused_and_sum, refused_and_sum);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(launch_large, launch_large);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(allow_large, allow_large);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(current_stream, current_stream);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(launch_on, launch_on);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(memset_on, memset_on);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(memset_at_once, memset_at_once);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(add_one_and_ten, add_one_and_ten);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(allocate, allocate);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(table_size, table_size);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(synchronize, synchronize);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(synchronize_device, synchronize_device);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(capture_status, capture_status);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(set_device, set_device);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(get_last_error, get_last_error);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(peek_at_last_error, peek_at_last_error);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(check_set_device, check_set_device);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(guard, guard);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(guard_of_none, guard_of_none);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(early, early<true>);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(early_without_wait, early<false>);
