// SPDX-License-Identifier: Apache-2.0
// The fibers, their scheduler, and the functions of CUDA's runtime that kernel files call.
#include "cuda_on_cpu.h"

#include <tvm/ffi/function.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <random>
#include <utility>
#include <vector>

namespace emulation {
namespace {

constexpr size_t kStackBytes = 256 << 10;  // AddressSanitizer needs some
constexpr size_t kMostThreads = 1024;
constexpr size_t kMostSharedBytes = 227 << 10;  // of sm_90
constexpr int kPoison = 0xff;                   // NaN in every floating-point type

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
  void* scheduler = nullptr;  // its stack pointer
  unsigned current = 0;

  Fiber& fiber() { return (*fibers)[current]; }
};

Block* block = nullptr;

int launches = 0;         // since refuse_launch() was called
int failing_launch = -1;  // the one of them that is refused
cudaError_t last_error = cudaSuccess;

[[noreturn]] void Stop(const char* why) {
  std::fprintf(stderr, "emulation: %s\n", why);
  std::abort();
}

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

// Runs the threads of one block in an order that changes, so that what lacks a barrier shows.
void RunBlock(std::vector<unsigned>* order) {
  static std::mt19937 random(0);
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

}  // namespace

void Fail(const char* why) {
  std::fprintf(stderr, "emulation: block (%u, %u, %u), thread %u: ", block->index.x, block->index.y,
               block->index.z, block->current);
  Stop(why);
}

void Launch(dim3 grid, dim3 size, size_t shared_bytes, cudaStream_t,
            const std::function<void()>& kernel) {
  static std::mutex one_kernel;  // at a time, as on one stream
  const std::lock_guard<std::mutex> lock(one_kernel);
  if (launches++ == failing_launch) {
    last_error = cudaErrorLaunchOutOfResources;
    return;
  }
  static std::vector<Fiber> fibers(kMostThreads);  // their stacks are kept
  const size_t threads = size_t{size.x} * size.y * size.z;
  if (grid.x == 0 || grid.y == 0 || grid.z == 0) Stop("a grid of no blocks");
  if (threads == 0 || threads > kMostThreads) Stop("a block of no or too many threads");
  if (shared_bytes > kMostSharedBytes) Stop("too much shared memory");
  Block running;
  running.grid = grid;
  running.size = size;
  running.kernel = &kernel;
  running.fibers = &fibers;
  running.warps.resize((threads + 31) / 32);
  running.shared.resize(shared_bytes);
  block = &running;
  std::vector<unsigned> order(threads);
  for (unsigned thread = 0; thread < threads; ++thread) order[thread] = thread;
  for (unsigned z = 0; z < grid.z; ++z) {
    for (unsigned y = 0; y < grid.y; ++y) {
      for (unsigned x = 0; x < grid.x; ++x) {
        running.index = uint3{x, y, z};
        RunBlock(&order);
      }
    }
  }
  block = nullptr;
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

extern "C" {
cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int) { return cudaSuccess; }
cudaError_t cudaGetLastError() { return std::exchange(emulation::last_error, cudaSuccess); }
const char* cudaGetErrorString(cudaError_t error) {
  return error == cudaSuccess ? "none" : "a launch that was told to fail";
}
const char* cudaGetErrorName(cudaError_t error) {
  return error == cudaSuccess ? "none" : "cudaErrorLaunchOutOfResources";
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  *value = attribute == cudaDevAttrMultiProcessorCount ? 2 : 1024;
  return cudaSuccess;
}
cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus* status) {
  *status = cudaStreamCaptureStatusNone;
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* at, int byte, size_t size, cudaStream_t) {
  std::memset(at, byte, size);
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t size, cudaMemcpyKind, cudaStream_t) {
  std::memcpy(to, from, size);
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
}

// For tests: refuses one launch, counted from 0 and from now; -1 refuses none.
TVM_FFI_DLL_EXPORT_TYPED_FUNC(refuse_launch, [](int number) {
  emulation::launches = 0;
  emulation::failing_launch = number;
});
// How many launches there were since then, the refused one included.
TVM_FFI_DLL_EXPORT_TYPED_FUNC(launches, [] { return emulation::launches; });
