// SPDX-License-Identifier: Apache-2.0
// CUDA device code as plain C++: what a kernel file sees instead of nvcc, so that its logic is
// tested where there is no GPU. Each thread of a block is a fiber, and a few blocks at a time take
// turns. Work runs where it is launched, whatever its stream, so that a missing wait is not seen.
//
// It shows indices, tails, strides, reductions, barriers, reads of shared memory that was never
// written, and launches that a GPU refuses; and races between threads and between blocks if it is
// compiled with -fsanitize=thread. It shows nothing of a GPU's speed, or of its rounding of fast
// approximations.
#ifndef TESTS_EMULATION_CUDA_ON_CPU_H_
#define TESTS_EMULATION_CUDA_ON_CPU_H_

// The host halves of CUDA's own headers; nothing of them is seen again below.
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

/*! \brief Ends the process with a message. */
[[noreturn]] void Stop(const char* why);
/*! \brief Ends the process with a message that names block and thread. */
[[noreturn]] void Fail(const char* why);

/*! \brief Makes and counts a call of CUDA's runtime, unless tests let it fail. */
cudaError_t Called(const std::function<cudaError_t()>& call);

/*!
 * \brief Queues a kernel on a stream, or refuses what a GPU would refuse: that is CUDA's last
 * error.
 * \param name The kernel's name without template arguments, as SetAttribute() knows it.
 */
void Launch(const char* name, dim3 grid, dim3 block, size_t shared_bytes, cudaStream_t stream,
            std::function<void()> kernel);
/*! \brief The same for a kernel with copies of its arguments, as CUDA makes them at the launch. */
template <typename Kernel, typename... Arguments>
void Launch(const char* name, dim3 grid, dim3 block, size_t shared_bytes, cudaStream_t stream,
            Kernel kernel, Arguments... arguments) {
  Launch(name, grid, block, shared_bytes, stream,
         std::function<void()>([=] { kernel(arguments...); }));
}

/*!
 * \brief What cudaLaunchKernelEx() does.
 * \param words The kernel and its arguments as the source has them.
 *
 * A kernel that may begin early runs after the one before it, as it may on a GPU, and must wait in
 * each thread. RuntimeError: an attribute that is not emulated, or a thread that did not wait.
 */
cudaError_t LaunchEx(const char* words, const cudaLaunchConfig_t* config,
                     std::function<void()> kernel);
/*! \brief The same for a kernel with its arguments, which are converted to its parameters. */
template <typename... Parameters, typename... Arguments>
cudaError_t LaunchEx(const char* words, const cudaLaunchConfig_t* config,
                     void (*kernel)(Parameters...), Arguments&&... arguments) {
  std::tuple<Parameters...> given(std::forward<Arguments>(arguments)...);
  return LaunchEx(words, config, std::function<void()>([=] { std::apply(kernel, given); }));
}
/*! \brief Members of a configuration, whose names become those of a kernel's variables below. */
constexpr auto gridDim_of = &cudaLaunchConfig_t::gridDim;
constexpr auto blockDim_of = &cudaLaunchConfig_t::blockDim;
/*! \brief What cudaFuncGetAttributes() says of every kernel. */
cudaError_t GetAttributes(cudaFuncAttributes* attributes);
/*! \brief How many blocks run at once on a multiprocessor, of every kernel. */
cudaError_t CountBlocks(int* blocks);
/*! \brief Notes that the thread has waited for the kernel before. */
void WaitForPreviousKernel();

/*! \brief The first statement of each kernel: the launch is refused if a block has more threads. */
void LaunchBound(size_t threads = 1024);
/*!
 * \brief Static shared memory of the block.
 * \param key What no other variable of the kernel has.
 *
 * The first thread of a block that gets here fills it with NaN, as a GPU clears nothing.
 */
void* Shared(const void* key, size_t size, size_t alignment);
template <typename T>
T& Shared(const void* key, size_t alignment) {
  return *static_cast<T*>(Shared(key, sizeof(T), std::max(alignment, alignof(T))));
}
/*!
 * \brief What cudaFuncSetAttribute() does.
 * \param words The call's arguments as the source has them, the kernel first.
 *
 * An attribute is that of all instances of a template.
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
/*! \brief Waits for the lanes of a mask, whose accesses to memory it orders. */
void WarpBarrier(unsigned mask);
void Fence(Scope scope);
/*! \brief Whether the thread discards what it reads before its next write. */
void Discard(bool discards);

/*!
 * \brief min(i, last), as the source has it: beyond the end, loads repeat the last vector.
 *
 * Their values are discarded, so that it does no harm if another thread writes there meanwhile, as
 * it does where the output is the input.
 */
template <typename T>
T ClampedIndex(T i, T last) {
  Discard(i > last);
  return std::min(i, last);
}
/*! \brief Lets others run before an atomic operation, which the code at `from` asks for. */
void BeginAtomic(const void* at, size_t size, const void* from);
/*! \brief Lane of the calling thread in its warp. */
unsigned Lane();
/*!
 * \brief Hands a value to the lanes of a mask, and waits for theirs. That orders no memory.
 * \return The values of all lanes, kSlot bytes apart; valid until the lane's next exchange but one.
 */
const char* Exchange(unsigned mask, const void* value, size_t size);

constexpr size_t kSlot = 16;

// The slots are not the kernel's memory: what other blocks had there before is no race.
template <typename T>
[[gnu::noinline, gnu::no_sanitize("thread")]] T ValueOf(const char* values, unsigned lane) {
  T value;
  std::memcpy(&value, values + kSlot * lane, sizeof(T));
  return value;
}

// `lane` may be out of the segment of `width` lanes: then the caller's own value comes back.
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

// Reads and writes `*at` at once, as no other fiber runs meanwhile. These are no plain accesses.
template <typename T, typename F>
[[gnu::noinline, gnu::no_sanitize("thread")]] T Atomic(T* at, F change) {
  BeginAtomic(at, sizeof(T), __builtin_return_address(0));
  const T old = *at;
  *at = change(old);
  return old;
}

}  // namespace emulation

// CUDA's headers gave these a meaning for a host compiler.
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
// CUDA's template would ask for the kernel's address, which a launch here does not know.
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

// A number of another type is converted to that of the memory, as CUDA's overloads do.
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

// A graph keeps the memory that is allocated in its capture.
#define TVMFFIEnvTensorAlloc emulation::TensorAlloc

// The tests hand CPU tensors in.
#include "tvm_ffi_utils.h"
#undef CHECK_CUDA
#define CHECK_CUDA CHECK_CPU
#define kDLCUDA kDLCPU

#endif  // TESTS_EMULATION_CUDA_ON_CPU_H_
