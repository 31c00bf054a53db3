// SPDX-License-Identifier: Apache-2.0
// The fibers, their scheduler, and the functions of CUDA's runtime that kernel files call.
#include "cuda_on_cpu.h"

#include <tvm/ffi/function.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "streams.h"

namespace emulation {
namespace {

constexpr size_t kStackBytes = 256 << 10;  // AddressSanitizer needs some
constexpr size_t kMostThreads = 1024;
constexpr size_t kSharedBytes = 48 << 10;       // unless the kernel's attribute allows more
constexpr size_t kMostSharedBytes = 227 << 10;  // of sm_90
constexpr int kDevices = 2;
constexpr int kPoison = 0xff;  // NaN in every floating-point type

enum class State { kNew, kReady, kAtBlockBarrier, kAtWarp, kDone };

struct Fiber {
  State state = State::kNew;
  void* stack_pointer = nullptr;  // where it goes on
  std::unique_ptr<char[]> stack;
};

// What lanes that call with one mask hand to each other. The two sets of slots take turns, so that
// a fast lane does not overwrite what a slow one has yet to read.
struct Meeting {
  alignas(16) char slots[2][32 * kSlot];
  unsigned mask;
  unsigned arrived[2] = {0, 0};
  unsigned calls[32] = {};

  explicit Meeting(unsigned mask) : mask(mask) {}
};

struct Warp {
  std::vector<std::unique_ptr<Meeting>> meetings;

  Meeting& of(unsigned mask) {
    for (const auto& meeting : meetings) {
      if (meeting->mask == mask) return *meeting;
    }
    meetings.push_back(std::make_unique<Meeting>(mask));
    return *meetings.back();
  }
};

struct Block {
  dim3 grid;
  dim3 size;
  uint3 index;
  const std::function<void()>* kernel;
  std::vector<Fiber>* fibers;
  std::vector<Warp> warps;
  std::vector<char> shared;
  size_t most_shared;                // bytes, of both kinds together
  std::vector<void*> static_shared;  // what threads of this block have declared
  size_t static_bytes = 0;
  void* scheduler = nullptr;  // its stack pointer
  unsigned current = 0;

  Fiber& fiber() { return (*fibers)[current]; }
};

Block* block = nullptr;

int launches = 0;         // since refuse_launch() was called
int failing_launch = -1;  // the one of them that is refused
int calls = 0;            // of CUDA's runtime, since fail_call() was called
int failing_call = -1;    // the one of them that fails
// CUDA keeps both for each thread of the host. A call that succeeds leaves the last error as it is.
thread_local cudaError_t last_error = cudaSuccess;
thread_local int current_device = 0;

// The most dynamic shared memory of kernels that asked for more, by their names.
std::map<std::string, size_t>& SharedLimits() {
  static std::map<std::string, size_t> limits;
  return limits;
}

cudaError_t Remember(cudaError_t error) {
  if (error != cudaSuccess) last_error = error;
  return error;
}

struct Words {
  cudaError_t error;
  const char* name;
  const char* description;
};

const Words& WordsOf(cudaError_t error) {
  static const Words all[] = {
      {cudaSuccess, "cudaSuccess", "no error"},
      {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
      {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration",
       "invalid configuration argument"},
      {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
      {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
      {cudaErrorLaunchOutOfResources, "cudaErrorLaunchOutOfResources",
       "too many resources requested for launch"},
      {cudaErrorStreamCaptureUnsupported, "cudaErrorStreamCaptureUnsupported",
       "operation not permitted when stream is capturing"},
      {cudaErrorStreamCaptureInvalidated, "cudaErrorStreamCaptureInvalidated",
       "operation failed due to a previous error during capture"},
      {cudaErrorStreamCaptureImplicit, "cudaErrorStreamCaptureImplicit",
       "operation would make the legacy stream depend on a capturing blocking stream"},
      {cudaErrorUnknown, "cudaErrorUnknown", "unknown error"},
  };
  for (const Words& words : all) {
    if (words.error == error) return words;
  }
  static const Words other = {cudaErrorUnknown, "unrecognized error code",
                              "unrecognized error code"};
  return other;
}

// Why a GPU refuses a launch before any thread runs; cudaSuccess if it does not.
cudaError_t Refusal(dim3 grid, dim3 size, size_t shared_bytes, size_t most_dynamic) {
  const bool empty =
      grid.x == 0 || grid.y == 0 || grid.z == 0 || size.x == 0 || size.y == 0 || size.z == 0;
  const bool large_grid = grid.x > 0x7fffffffu || grid.y > 65535 || grid.z > 65535;
  const bool large_block = size.x > 1024 || size.y > 1024 || size.z > 64 ||
                           size_t{size.x} * size.y * size.z > kMostThreads;
  if (empty || large_grid || large_block) return cudaErrorInvalidConfiguration;
  return shared_bytes > most_dynamic ? cudaErrorInvalidValue : cudaSuccess;
}

// What a kernel throws in place of running, when it is asked for its launch bound.
struct Bound {
  size_t threads;
};
thread_local bool asked_for_bound = false;

// Puts the registers that a function must keep on the stack, leaves the stack pointer in *from, and
// goes on where `to` was left. The C library's swapcontext() makes a system call each time.
#ifndef __x86_64__
#error "expected an x86-64 processor: the fibers switch by its instructions"
#endif
extern "C" void emulation_switch(void** from, void* to);
asm(R"(
.text
.local emulation_switch
emulation_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
)");

void Pause(State state) {
  Fiber& fiber = block->fiber();
  fiber.state = state;
  emulation_switch(&fiber.stack_pointer, block->scheduler);
}

void RunThread() {
  (*block->kernel)();
  Pause(State::kDone);
}

void Resume(unsigned thread) {
  block->current = thread;
  Fiber& fiber = block->fiber();
  if (fiber.state == State::kNew) {
    if (!fiber.stack) fiber.stack.reset(new char[kStackBytes]);
    // As if RunThread had been left at its very beginning: six registers, and where to return to.
    auto end = reinterpret_cast<uintptr_t>(fiber.stack.get() + kStackBytes) / 16 * 16;
    void** top = reinterpret_cast<void**>(end) - 8;
    std::fill(top, top + 6, nullptr);
    top[6] = reinterpret_cast<void*>(&RunThread);
    fiber.stack_pointer = top;
    fiber.state = State::kReady;
  }
  emulation_switch(&block->scheduler, fiber.stack_pointer);
}

// What the orders of blocks and threads are drawn from; EMULATION_SEED repeats a run.
std::mt19937& Random() {
  static std::mt19937 random([] {
    const char* seed = std::getenv("EMULATION_SEED");
    return seed ? static_cast<unsigned>(std::strtoul(seed, nullptr, 10)) : 0u;
  }());
  return random;
}

// Runs the threads of one block in an order that changes, so that what lacks a barrier shows.
void RunBlock(std::vector<unsigned>* order) {
  std::mt19937& random = Random();
  switch (random() % 3) {
    case 0:
      std::sort(order->begin(), order->end());
      break;
    case 1:
      std::sort(order->begin(), order->end(), std::greater<>());
      break;
    default:
      std::shuffle(order->begin(), order->end(), random);
  }
  std::vector<Fiber>& fibers = *block->fibers;
  std::fill(block->shared.begin(), block->shared.end(), static_cast<char>(kPoison));
  block->static_shared.clear();
  block->static_bytes = 0;
  for (Warp& warp : block->warps) warp.meetings.clear();
  for (unsigned thread : *order) fibers[thread].state = State::kNew;
  while (true) {
    bool any_ran = false;
    for (unsigned thread : *order) {
      const State state = fibers[thread].state;
      if (state != State::kNew && state != State::kReady) continue;
      Resume(thread);
      any_ran = true;
    }
    if (any_ran) continue;
    size_t done = 0;
    size_t waiting = 0;
    for (unsigned thread : *order) {
      done += fibers[thread].state == State::kDone;
      waiting += fibers[thread].state == State::kAtBlockBarrier;
    }
    if (done == order->size()) return;
    if (done > 0 && waiting > 0) Stop("__syncthreads() where some threads have returned");
    if (waiting != order->size()) Stop("threads wait for lanes that never come");
    for (unsigned thread : *order) fibers[thread].state = State::kReady;
  }
}

// The most threads of a block that a kernel is compiled for.
size_t BoundOf(const std::function<void()>& kernel) {
  asked_for_bound = true;
  try {
    kernel();
  } catch (const Bound& bound) {
    asked_for_bound = false;
    return bound.threads;
  }
  Stop("a kernel does not begin with its launch bound");
}

}  // namespace

void Stop(const char* why) {
  std::fprintf(stderr, "emulation: %s\n", why);
  std::abort();
}

cudaError_t Called(const std::function<cudaError_t()>& call) {
  return Remember(calls++ == failing_call ? cudaErrorUnknown : call());
}

void Fail(const char* why) {
  std::fprintf(stderr, "emulation: block (%u, %u, %u), thread %u: ", block->index.x, block->index.y,
               block->index.z, block->current);
  Stop(why);
}

namespace {

// Runs a kernel to its end.
void Run(dim3 grid, dim3 size, size_t shared_bytes, size_t most_shared,
         const std::function<void()>& kernel) {
  static std::mutex one_kernel;  // at a time, as on one stream
  const std::lock_guard<std::mutex> lock(one_kernel);
  static std::vector<Fiber> fibers(kMostThreads);  // their stacks are kept
  const size_t threads = size_t{size.x} * size.y * size.z;
  Block running;
  running.grid = grid;
  running.size = size;
  running.kernel = &kernel;
  running.fibers = &fibers;
  running.warps.resize((threads + 31) / 32);
  running.shared.resize(shared_bytes);
  running.most_shared = most_shared;
  block = &running;
  std::vector<unsigned> order(threads);
  for (unsigned thread = 0; thread < threads; ++thread) order[thread] = thread;
  // A GPU promises no order of blocks either, so that what relies on one shows.
  std::vector<size_t> blocks(size_t{grid.x} * grid.y * grid.z);
  std::iota(blocks.begin(), blocks.end(), size_t{0});
  std::shuffle(blocks.begin(), blocks.end(), Random());
  for (const size_t at : blocks) {
    running.index =
        uint3{static_cast<unsigned>(at % grid.x), static_cast<unsigned>(at / grid.x % grid.y),
              static_cast<unsigned>(at / grid.x / grid.y)};
    RunBlock(&order);
  }
  block = nullptr;
}

}  // namespace

void Launch(const char* name, dim3 grid, dim3 size, size_t shared_bytes, cudaStream_t stream,
            std::function<void()> kernel) {
  static std::mutex one_launch;
  const std::lock_guard<std::mutex> lock(one_launch);
  if (launches++ == failing_launch) {
    Remember(cudaErrorLaunchOutOfResources);
    return;
  }
  const auto limit = SharedLimits().find(name);
  const bool asked = limit != SharedLimits().end();
  cudaError_t error = Refusal(grid, size, shared_bytes, asked ? limit->second : kSharedBytes);
  if (error == cudaSuccess && size_t{size.x} * size.y * size.z > BoundOf(kernel))
    error = cudaErrorInvalidValue;
  const size_t most_shared = asked ? kMostSharedBytes : kSharedBytes;
  const auto work = [=] { Run(grid, size, shared_bytes, most_shared, kernel); };
  if (error == cudaSuccess) error = Enqueue(stream, Kind::kLaunch, work);
  Remember(error);
}

void LaunchBound(size_t threads) {
  if (asked_for_bound) throw Bound{threads};
}

void Shared(void* at, size_t size) {
  std::vector<void*>& known = block->static_shared;
  if (std::find(known.begin(), known.end(), at) != known.end()) return;
  known.push_back(at);
  std::memset(at, kPoison, size);
  block->static_bytes += size;
  // A GPU refuses the launch; here it shows only now.
  if (block->static_bytes + block->shared.size() > block->most_shared)
    Fail("static and dynamic shared memory together are more than a launch may have");
}

cudaError_t SetAttribute(const char* words, cudaFuncAttribute attribute, int value) {
  const std::string kernel = words;
  if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize) {
    if (value < 0 || static_cast<size_t>(value) > kMostSharedBytes)
      return Called([] { return cudaErrorInvalidValue; });
    SharedLimits()[kernel.substr(0, kernel.find('<'))] = static_cast<size_t>(value);
  }
  return Called([] { return cudaSuccess; });
}

uint3 ThreadIndex() {
  const dim3 size = block->size;
  const unsigned thread = block->current;
  return uint3{thread % size.x, thread / size.x % size.y, thread / size.x / size.y};
}
uint3 BlockIndex() { return block->index; }
dim3 BlockSize() { return block->size; }
dim3 GridSize() { return block->grid; }
void* SharedMemory() { return block->shared.data(); }
unsigned Lane() { return block->current % 32; }
void BlockBarrier() { Pause(State::kAtBlockBarrier); }

const char* Exchange(unsigned mask, const void* value, size_t size) {
  const unsigned lane = Lane();
  if (((mask >> lane) & 1u) == 0) Fail("a lane calls with a mask that leaves it out");
  Meeting& meeting = block->warps[block->current / 32].of(mask);
  const unsigned turn = meeting.calls[lane]++ % 2;
  std::memcpy(meeting.slots[turn] + kSlot * lane, value, size);
  meeting.arrived[turn] |= 1u << lane;
  if (meeting.arrived[turn] != mask) {
    Pause(State::kAtWarp);
  } else {  // The last one wakes the others.
    meeting.arrived[turn] = 0;
    const unsigned first = block->current - lane;
    for (unsigned other = 0; other < 32; ++other) {
      if (other != lane && ((mask >> other) & 1u) != 0)
        (*block->fibers)[first + other].state = State::kReady;
    }
  }
  return meeting.slots[turn];
}

}  // namespace emulation

using emulation::Called;

extern "C" {
cudaError_t cudaGetDevice(int* device) {
  return Called([&] {
    *device = emulation::current_device;
    return cudaSuccess;
  });
}
cudaError_t cudaSetDevice(int device) {
  return Called([&] {
    if (device < 0 || device >= emulation::kDevices) return cudaErrorInvalidDevice;
    emulation::current_device = device;
    return cudaSuccess;
  });
}
cudaError_t cudaGetLastError() { return std::exchange(emulation::last_error, cudaSuccess); }
cudaError_t cudaPeekAtLastError() { return emulation::last_error; }
const char* cudaGetErrorString(cudaError_t error) { return emulation::WordsOf(error).description; }
const char* cudaGetErrorName(cudaError_t error) { return emulation::WordsOf(error).name; }
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  return Called([&] {
    *value = attribute == cudaDevAttrMultiProcessorCount ? 2 : 1024;
    return cudaSuccess;
  });
}
}

// For tests: refuses one launch, counted from 0 and from now; -1 refuses none.
TVM_FFI_DLL_EXPORT_TYPED_FUNC(refuse_launch, [](int number) {
  emulation::launches = 0;
  emulation::failing_launch = number;
});
// How many launches there were since then, the refused one included.
TVM_FFI_DLL_EXPORT_TYPED_FUNC(launches, [] { return emulation::launches; });
// For tests: lets one call of CUDA's runtime fail, counted from 0 and from now; -1 lets none fail.
// Launches and what asks for errors are not counted.
TVM_FFI_DLL_EXPORT_TYPED_FUNC(fail_call, [](int number) {
  emulation::calls = 0;
  emulation::failing_call = number;
});
// How many calls there were since then, the failed one included.
TVM_FFI_DLL_EXPORT_TYPED_FUNC(calls, [] { return emulation::calls; });
