// SPDX-License-Identifier: Apache-2.0
// CUDA device code as plain C++: replaces nvcc for a kernel file, so that its logic can be tested
// without a GPU. Each thread of a block is a fiber, and a few blocks at a time take turns. Work
// runs synchronously at launch, whatever its stream, so a missing wait goes unnoticed.
//
// It tests indices, tails, strides, reductions, barriers, reads of uninitialized shared memory,
// and launches that a GPU rejects; and, if compiled with -fsanitize=thread, races between threads
// and between blocks. It cannot test a GPU's speed, or the rounding of its fast
// approximations.
#ifndef TESTS_EMULATION_CUDA_ON_CPU_H_
#define TESTS_EMULATION_CUDA_ON_CPU_H_

// The host halves of CUDA's own headers; they are not included again below.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/extra/c_env_api.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "clocks.h"
#include "streams.h"

namespace emulation {

/*! \brief Terminates the process with a message. */
[[noreturn]] void Stop(const char* why);
/*! \brief Terminates the process with a message that names the block and thread. */
[[noreturn]] void Fail(const char* why);

/*! \brief Makes and counts a CUDA runtime call, unless tests make it fail. */
cudaError_t Called(const std::function<cudaError_t()>& call);

/*!
 * \brief Queues a kernel on a stream, or rejects it as a GPU would, which sets CUDA's last
 * error.
 * \param name The kernel's name without template arguments, as used by SetAttribute().
 */
void Launch(const char* name, dim3 grid, dim3 block, size_t shared_bytes, cudaStream_t stream,
            std::function<void()> kernel);
/*! \brief The same for a kernel with copies of its arguments, which CUDA makes at launch. */
template <typename Kernel, typename... Arguments>
void Launch(const char* name, dim3 grid, dim3 block, size_t shared_bytes, cudaStream_t stream,
            Kernel kernel, Arguments... arguments) {
  Launch(name, grid, block, shared_bytes, stream,
         std::function<void()>([=] { kernel(arguments...); }));
}

/*!
 * \brief Implements cudaLaunchKernelEx().
 * \param words The kernel and its arguments as written in the source.
 *
 * A kernel that may start early runs after the previous one, as it may on a GPU, and every thread
 * must wait. RuntimeError: an attribute that is not emulated, or a thread that did not wait.
 */
cudaError_t LaunchEx(const char* words, const cudaLaunchConfig_t* config,
                     std::function<void()> kernel);
/*! \brief The same for a kernel with arguments, which are converted to its parameter types. */
template <typename... Parameters, typename... Arguments>
cudaError_t LaunchEx(const char* words, const cudaLaunchConfig_t* config,
                     void (*kernel)(Parameters...), Arguments&&... arguments) {
  std::tuple<Parameters...> given(std::forward<Arguments>(arguments)...);
  return LaunchEx(words, config, std::function<void()>([=] { std::apply(kernel, given); }));
}
/*! \brief Configuration members, whose names become macros for a kernel's variables below. */
constexpr auto gridDim_of = &cudaLaunchConfig_t::gridDim;
constexpr auto blockDim_of = &cudaLaunchConfig_t::blockDim;
/*! \brief Implements cudaFuncGetAttributes(), identically for every kernel. */
cudaError_t GetAttributes(cudaFuncAttributes* attributes);
/*! \brief The number of resident blocks per multiprocessor, identical for every kernel. */
cudaError_t CountBlocks(int* blocks);
/*! \brief Records that the thread has waited for the previous kernel. */
void WaitForPreviousKernel();

/*! \brief The first statement of each kernel: rejects the launch if a block has more threads. */
void LaunchBound(size_t threads = 1024);
/*!
 * \brief Static shared memory of the block.
 * \param key Unique among the kernel's variables.
 *
 * The first thread of a block to get here fills it with NaN, as a GPU does not clear it.
 */
void* Shared(const void* key, size_t size, size_t alignment);
template <typename T>
T& Shared(const void* key, size_t alignment) {
  return *static_cast<T*>(Shared(key, sizeof(T), std::max(alignment, alignof(T))));
}
/*!
 * \brief Implements cudaFuncSetAttribute().
 * \param words The call's arguments as written in the source, the kernel first.
 *
 * An attribute applies to all instances of a template.
 */
cudaError_t SetAttribute(const char* words, cudaFuncAttribute attribute, int value);

uint3 ThreadIndex();
uint3 BlockIndex();
dim3 BlockSize();
dim3 GridSize();
/*! \brief The block's dynamic shared memory. */
void* SharedMemory();
/*! \brief Waits for all threads of the block. */
void BlockBarrier();
/*! \brief Waits for the lanes in a mask and orders their memory accesses. */
void WarpBarrier(unsigned mask);
void Fence(Scope scope);
/*! \brief Sets whether the thread discards what it reads before its next write. */
void Discard(bool discards);

/*!
 * \brief Replaces min(i, last) in the source: beyond the end, loads repeat the last vector.
 *
 * Their values are discarded, so it is harmless if another thread writes there meanwhile, as
 * happens if the output is the input.
 */
template <typename T>
T ClampedIndex(T i, T last) {
  Discard(i > last);
  return std::min(i, last);
}
/*! \brief Lets other fibers run before an atomic operation by the code at `from`. */
void BeginAtomic(const void* at, size_t size, const void* from);
/*! \brief The calling thread's lane in its warp. */
unsigned Lane();
/*!
 * \brief Passes a value to the lanes in a mask and waits for theirs. Does not order memory.
 * \return The values of all lanes, kSlot bytes apart; valid until the lane's second-next exchange.
 */
const char* Exchange(unsigned mask, const void* value, size_t size);

constexpr size_t kSlot = 16;

// The slots are not the kernel's memory: their reuse by other blocks is not a race.
template <typename T>
[[gnu::noinline, gnu::no_sanitize("thread")]] T ValueOf(const char* values, unsigned lane) {
  T value;
  std::memcpy(&value, values + kSlot * lane, sizeof(T));
  return value;
}

// `lane` may be outside the segment of `width` lanes: then the caller's own value is returned.
template <typename T>
T Shuffle(unsigned mask, T value, int lane, int width) {
  static_assert(sizeof(T) <= kSlot);
  const char* values = Exchange(mask, &value, sizeof(T));
  const int own = static_cast<int>(Lane());
  const int first = own & ~(width - 1);
  const int from = lane >= first && lane < first + width ? lane : own;
  if (((mask >> from) & 1u) == 0) Fail("a shuffle reads a lane that its mask leaves out");
  return ValueOf<T>(values, static_cast<unsigned>(from));
}

inline unsigned Ballot(unsigned mask, bool vote) {
  const char* values = Exchange(mask, &vote, sizeof(vote));
  unsigned votes = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (((mask >> lane) & 1u) != 0 && ValueOf<bool>(values, lane)) votes |= 1u << lane;
  }
  return votes;
}

// Reads and writes `*at` atomically, as no other fiber runs meanwhile. Not plain accesses.
template <typename T, typename F>
[[gnu::noinline, gnu::no_sanitize("thread")]] T Atomic(T* at, F change) {
  BeginAtomic(at, sizeof(T), __builtin_return_address(0));
  const T old = *at;
  *at = change(old);
  return old;
}

}  // namespace emulation

// CUDA's headers defined these for a host compiler.
#undef __global__
#undef __device__
#undef __host__
#undef __shared__
#undef __constant__
#undef __launch_bounds__
#undef __forceinline__
#undef __noinline__
#define __CUDACC__ 1
#define __global__
#define __device__
#define __host__
#define __constant__
#define __launch_bounds__(...)
#define __forceinline__ [[gnu::always_inline]] inline
#define __noinline__
#define threadIdx (emulation::ThreadIndex())
#define blockIdx (emulation::BlockIndex())
#define blockDim (emulation::BlockSize())
#define gridDim (emulation::GridSize())
#define warpSize 32
// CUDA's template would need the kernel's address, which an emulated launch does not know.
#define cudaFuncSetAttribute(kernel, ...) emulation::SetAttribute(#kernel, __VA_ARGS__)
#define cudaFuncGetAttributes(attributes, ...) emulation::GetAttributes(attributes)
#define cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, ...) emulation::CountBlocks(blocks)
#define cudaLaunchKernelEx(config, ...) emulation::LaunchEx(#__VA_ARGS__, config, __VA_ARGS__)
using std::max;
using std::min;

inline void cudaGridDependencySynchronize() { emulation::WaitForPreviousKernel(); }
inline void cudaTriggerProgrammaticLaunchCompletion() {}
inline void __syncthreads() { emulation::BlockBarrier(); }
inline void __threadfence() { emulation::Fence(emulation::Scope::kDevice); }
inline void __threadfence_block() { emulation::Fence(emulation::Scope::kBlock); }
inline void __syncwarp(unsigned mask = ~0u) { emulation::WarpBarrier(mask); }
inline unsigned __ballot_sync(unsigned mask, int vote) {
  return emulation::Ballot(mask, vote != 0);
}
inline int __any_sync(unsigned mask, int vote) { return __ballot_sync(mask, vote) != 0; }
inline int __all_sync(unsigned mask, int vote) { return __ballot_sync(mask, vote) == mask; }

template <typename T>
T __shfl_sync(unsigned mask, T value, int lane, int width = 32) {
  const int first = static_cast<int>(emulation::Lane()) & ~(width - 1);
  return emulation::Shuffle(mask, value, first + (lane & (width - 1)), width);
}
template <typename T>
T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32) {
  return emulation::Shuffle(mask, value, static_cast<int>(emulation::Lane()) ^ bits, width);
}
template <typename T>
T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = 32) {
  return emulation::Shuffle(mask, value, static_cast<int>(emulation::Lane() + by), width);
}
template <typename T>
T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = 32) {
  const int lane = static_cast<int>(emulation::Lane()) - static_cast<int>(by);
  return emulation::Shuffle(mask, value, lane, width);
}

template <typename T>
T __ldg(const T* at) {
  return *at;
}
template <typename T>
T __ldcs(const T* at) {
  return *at;
}
template <typename T>
void __stcs(T* at, T value) {
  *at = value;
}
template <typename T>
void __stwb(T* at, T value) {
  *at = value;
}

// A number of another type is converted to the memory's type, as with CUDA's overloads.
template <typename T>
__forceinline__ T atomicAdd(T* at, std::common_type_t<T> value) {
  return emulation::Atomic(at, [&](T old) { return static_cast<T>(old + value); });
}
template <typename T>
__forceinline__ T atomicMax(T* at, std::common_type_t<T> value) {
  return emulation::Atomic(at, [&](T old) { return std::max(old, value); });
}
template <typename T>
__forceinline__ T atomicExch(T* at, std::common_type_t<T> value) {
  return emulation::Atomic(at, [&](T) { return value; });
}
template <typename T>
__forceinline__ T atomicCAS(T* at, std::common_type_t<T> expected, std::common_type_t<T> value) {
  return emulation::Atomic(at, [&](T old) { return old == expected ? value : old; });
}

inline int __popc(unsigned bits) { return __builtin_popcount(bits); }
inline int __ffs(int bits) { return __builtin_ffs(bits); }
inline int __clz(int bits) { return bits == 0 ? 32 : __builtin_clz(static_cast<unsigned>(bits)); }
inline float rsqrtf(float x) { return 1.0f / std::sqrt(x); }
inline double rsqrt(double x) { return 1.0 / std::sqrt(x); }
inline float __expf(float x) { return std::exp(x); }
inline float __fdividef(float x, float y) { return x / y; }

inline unsigned __float_as_uint(float x) {
  unsigned bits;
  std::memcpy(&bits, &x, sizeof(bits));
  return bits;
}
inline float __uint_as_float(unsigned bits) {
  float x;
  std::memcpy(&x, &bits, sizeof(x));
  return x;
}

// A graph keeps memory allocated during its capture.
#define TVMFFIEnvTensorAlloc emulation::TensorAlloc

// The tests pass CPU tensors.
#include "tvm_ffi_utils.h"
#undef CHECK_CUDA
#define CHECK_CUDA CHECK_CPU
#define kDLCUDA kDLCPU

#endif  // TESTS_EMULATION_CUDA_ON_CPU_H_
