// SPDX-License-Identifier: Apache-2.0
// The fibers, their scheduler, and the CUDA runtime functions that kernel files call.
#include "cuda_on_cpu.h"

#include <tvm/ffi/function.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "clocks.h"
#include "for_tests.h"
#include "races.h"
#include "streams.h"

namespace emulation {
namespace {

constexpr size_t kStackBytes = 256 << 10;  // AddressSanitizer needs some
constexpr size_t kMostThreads = 1024;
constexpr size_t kResidentThreads = 2048;  // as on a multiprocessor
constexpr size_t kResidentBlocks = 4;
constexpr unsigned kAtomicsPerPause = 32;       // on average: there may be millions
constexpr size_t kSharedBytes = 48 << 10;       // unless the kernel's attribute allows more
constexpr size_t kMostSharedBytes = 227 << 10;  // on sm_90
constexpr int kDevices = 2;
constexpr int kPoison = 0xff;  // NaN in every floating-point type

enum class State { kNew, kReady, kAtBlockBarrier, kAtWarp, kDone };

struct Fiber {
  State state = State::kNew;
  bool waited = false;            // for the previous kernel
  void* stack_pointer = nullptr;  // where it resumes
  std::unique_ptr<char[]> stack;
};

// The values exchanged by lanes that call with the same mask. Two sets of slots alternate, so that
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

// A variable in static shared memory.
struct Variable {
  const void* key;
  std::shared_ptr<void> memory;
  bool declared = false;  // by a thread of the running block
};

// A resident block of the grid; reused, with its memory, for later blocks.
struct Block {
  dim3 grid;
  dim3 size;
  uint3 index;
  const std::function<void()>* kernel;
  bool* all_waited;  // for the previous kernel
  Fiber* fibers;
  std::vector<unsigned> order;  // of its threads
  std::vector<Warp> warps;
  std::vector<char> shared;
  size_t most_shared;  // bytes, static and dynamic together
  std::vector<Variable> variables;
  size_t static_bytes = 0;
  std::unique_ptr<Clocks> clocks;  // null if races are not checked
  void* scheduler = nullptr;       // its stack pointer
  unsigned current = 0;

  Fiber& fiber() { return fibers[current]; }
};

// The block whose thread is running.
Block* block = nullptr;

// CUDA keeps it per host thread. A successful call does not reset it.
thread_local cudaError_t last_error = cudaSuccess;

// The raised limits on dynamic shared memory, by kernel name.
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
      {cudaErrorNotSupported, "cudaErrorNotSupported", "operation not supported"},
      {cudaErrorUnknown, "cudaErrorUnknown", "unknown error"},
  };
  for (const Words& words : all) {
    if (words.error == error) return words;
  }
  static const Words other = {cudaErrorUnknown, "unrecognized error code",
                              "unrecognized error code"};
  return other;
}

// Why a GPU rejects a launch before any thread runs, or cudaSuccess if it does not.
cudaError_t Refusal(dim3 grid, dim3 size, size_t shared_bytes, size_t most_dynamic) {
  const bool empty =
      grid.x == 0 || grid.y == 0 || grid.z == 0 || size.x == 0 || size.y == 0 || size.z == 0;
  const bool large_grid = grid.x > 0x7fffffffu || grid.y > 65535 || grid.z > 65535;
  const bool large_block = size.x > 1024 || size.y > 1024 || size.z > 64 ||
                           size_t{size.x} * size.y * size.z > kMostThreads;
  if (empty || large_grid || large_block) return cudaErrorInvalidConfiguration;
  return shared_bytes > most_dynamic ? cudaErrorInvalidValue : cudaSuccess;
}

// Thrown by a kernel instead of running, when its launch bound is queried.
struct Bound {
  size_t threads;
};
thread_local bool asked_for_bound = false;

// Pushes the callee-saved registers onto the stack, stores the stack pointer in *from, and resumes
// where `to` was suspended. The C library's swapcontext() makes a system call each time.
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
  if (!block->fiber().waited) *block->all_waited = false;
  Pause(State::kDone);
}

void Resume(unsigned thread) {
  block->current = thread;
  Fiber& fiber = block->fiber();
  if (fiber.state == State::kNew) {
    if (!fiber.stack) fiber.stack.reset(new char[kStackBytes]);
    // As if RunThread had been suspended at its start: six registers and the return address.
    auto end = reinterpret_cast<uintptr_t>(fiber.stack.get() + kStackBytes) / 16 * 16;
    void** top = reinterpret_cast<void**>(end) - 8;
    std::fill(top, top + 6, nullptr);
    top[6] = reinterpret_cast<void*>(&RunThread);
    fiber.stack_pointer = top;
    fiber.state = State::kReady;
  }
  const auto stack = reinterpret_cast<uintptr_t>(fiber.stack.get());
  races::running = {block->clocks.get(), thread, stack, kStackBytes, false};
  emulation_switch(&block->scheduler, fiber.stack_pointer);
  races::running.clocks = nullptr;
}

// The source of random block and thread orders; set EMULATION_SEED to reproduce a run.
std::mt19937& Random() {
  static std::mt19937 random([] {
    const char* seed = std::getenv("EMULATION_SEED");
    return seed ? static_cast<unsigned>(std::strtoul(seed, nullptr, 10)) : 0u;
  }());
  return random;
}

// Starts the block at a position in the grid. Its threads run in a changing order, to expose
// missing barriers.
void Begin(Block* begun, size_t at) {
  const dim3 grid = begun->grid;
  begun->index =
      uint3{static_cast<unsigned>(at % grid.x), static_cast<unsigned>(at / grid.x % grid.y),
            static_cast<unsigned>(at / grid.x / grid.y)};
  std::vector<unsigned>& order = begun->order;
  std::mt19937& random = Random();
  switch (random() % 3) {
    case 0:
      std::sort(order.begin(), order.end());
      break;
    case 1:
      std::sort(order.begin(), order.end(), std::greater<>());
      break;
    default:
      std::shuffle(order.begin(), order.end(), random);
  }
  std::fill(begun->shared.begin(), begun->shared.end(), static_cast<char>(kPoison));
  races::Forget(begun->shared.data(), begun->shared.size());
  for (Variable& variable : begun->variables) variable.declared = false;
  begun->static_bytes = 0;
  for (Warp& warp : begun->warps) warp.meetings.clear();
  for (unsigned thread : order) {
    begun->fibers[thread].state = State::kNew;
    begun->fibers[thread].waited = false;
  }
  begun->clocks.reset();
  if (races::Watching())
    begun->clocks = std::make_unique<Clocks>(static_cast<uint32_t>(at), order.size());
}

// Resumes each thread of the current block until it waits or yields; false if all have
// returned.
bool TakeTurn() {
  Fiber* fibers = block->fibers;
  const std::vector<unsigned>& order = block->order;
  bool any_ran = false;
  for (unsigned thread : order) {
    const State state = fibers[thread].state;
    if (state != State::kNew && state != State::kReady) continue;
    Resume(thread);
    any_ran = true;
  }
  if (any_ran) return true;
  size_t done = 0;
  size_t waiting = 0;
  for (unsigned thread : order) {
    done += fibers[thread].state == State::kDone;
    waiting += fibers[thread].state == State::kAtBlockBarrier;
  }
  if (done == order.size()) return false;
  if (done > 0 && waiting > 0) Stop("__syncthreads() where some threads have returned");
  if (waiting != order.size()) Stop("threads wait for lanes that never come");
  for (unsigned thread : order) fibers[thread].state = State::kReady;
  if (block->clocks) block->clocks->barrier();
  return true;
}

// Runs all blocks of a grid. Some are resident at once and take turns, so that they overlap; the
// others follow as those finish. A GPU guarantees no block order, so here it is random. Returns
// whether all threads waited for the previous kernel.
bool RunGrid(dim3 grid, dim3 size, size_t shared_bytes, size_t most_shared,
             const std::function<void()>& kernel) {
  static std::vector<Fiber> fibers(kResidentThreads);  // their stacks are kept
  const size_t threads = size_t{size.x} * size.y * size.z;
  std::vector<size_t> waiting(size_t{grid.x} * grid.y * grid.z);
  std::iota(waiting.begin(), waiting.end(), size_t{0});
  std::shuffle(waiting.begin(), waiting.end(), Random());
  auto next = [&](Block* begun) {
    Begin(begun, waiting.back());
    waiting.pop_back();
  };
  bool all_waited = true;
  std::vector<std::unique_ptr<Block>> resident;
  const size_t most = std::min(kResidentBlocks, kResidentThreads / threads);
  while (resident.size() < most && !waiting.empty()) {
    auto made = std::make_unique<Block>();
    made->grid = grid;
    made->size = size;
    made->kernel = &kernel;
    made->all_waited = &all_waited;
    made->fibers = &fibers[resident.size() * threads];
    made->order.resize(threads);
    std::iota(made->order.begin(), made->order.end(), 0u);
    made->warps.resize((threads + 31) / 32);
    made->shared.resize(shared_bytes);
    made->most_shared = most_shared;
    next(made.get());
    resident.push_back(std::move(made));
  }
  while (!resident.empty()) {
    const size_t turn = Random()() % resident.size();
    block = resident[turn].get();
    if (TakeTurn()) continue;
    if (waiting.empty()) {
      resident.erase(resident.begin() + static_cast<std::ptrdiff_t>(turn));
    } else {
      next(block);
    }
  }
  block = nullptr;
  return all_waited;
}

// The maximum block size for which a kernel is compiled.
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
  return Remember(for_tests::calls++ == for_tests::failing_call ? cudaErrorUnknown : call());
}

void Fail(const char* why) {
  std::fprintf(stderr, "emulation: block (%u, %u, %u), thread %u: ", block->index.x, block->index.y,
               block->index.z, block->current);
  Stop(why);
}

namespace {

// Runs a kernel to completion.
void Run(const std::string& name, dim3 grid, dim3 size, size_t shared_bytes, size_t most_shared,
         bool early, const std::function<void()>& kernel) {
  static std::mutex one_kernel;  // at a time, as on one stream
  const std::lock_guard<std::mutex> lock(one_kernel);
  races::Begin(name.c_str(), grid);
  const bool all_waited = RunGrid(grid, size, shared_bytes, most_shared, kernel);
  const std::string race = races::End();
  if (race.empty() && early && !all_waited) {
    TVM_FFI_THROW(RuntimeError) << "emulation: " << name << " may begin early: expected each "
                                << "thread to call cudaGridDependencySynchronize(), got one that "
                                << "returned without";
  }
  if (race.empty()) return;
  // The error may have to pass through a C function, which terminates the process.
  if (const char* log = std::getenv("EMULATION_LOG")) {
    std::ofstream(log + std::string(".") + std::to_string(getpid())) << race << "\n";
  }
  TVM_FFI_THROW(RuntimeError) << "emulation: " << race;
}

// Queues a kernel, or returns CUDA's error. If it may start early, every thread must wait.
cudaError_t Queue(const std::string& name, dim3 grid, dim3 size, size_t shared_bytes,
                  cudaStream_t stream, bool early, std::function<void()> kernel) {
  static std::mutex one_launch;
  const std::lock_guard<std::mutex> lock(one_launch);
  for_tests::launched_on = for_tests::current_device;
  if (for_tests::launches++ == for_tests::failing_launch) return cudaErrorLaunchOutOfResources;
  const auto limit = SharedLimits().find(name);
  const bool asked = limit != SharedLimits().end();
  cudaError_t error = Refusal(grid, size, shared_bytes, asked ? limit->second : kSharedBytes);
  if (error == cudaSuccess && size_t{size.x} * size.y * size.z > BoundOf(kernel))
    error = cudaErrorInvalidValue;
  const size_t most_shared = asked ? kMostSharedBytes : kSharedBytes;
  const auto work = [=] { Run(name, grid, size, shared_bytes, most_shared, early, kernel); };
  return error == cudaSuccess ? Enqueue(stream, Kind::kLaunch, work) : error;
}

}  // namespace

void Launch(const char* name, dim3 grid, dim3 size, size_t shared_bytes, cudaStream_t stream,
            std::function<void()> kernel) {
  Remember(Queue(name, grid, size, shared_bytes, stream, false, kernel));
}

cudaError_t LaunchEx(const char* words, const cudaLaunchConfig_t* config,
                     std::function<void()> kernel) {
  const std::string given = words;
  const std::string name = given.substr(0, given.find_first_of("<,"));
  bool early = false;
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    if (config->attrs[i].id != cudaLaunchAttributeProgrammaticStreamSerialization) {
      TVM_FFI_THROW(RuntimeError) << "emulation: " << name << ": expected the attribute "
                                  << "cudaLaunchAttributeProgrammaticStreamSerialization, got "
                                  << "number " << config->attrs[i].id << " of "
                                  << "cudaLaunchAttributeID, which is not emulated";
    }
    early = config->attrs[i].val.programmaticStreamSerializationAllowed != 0;
    // Code for an older device cannot wait.
    if (early && for_tests::capability < 90) return Remember(cudaErrorNotSupported);
  }
  return Remember(Queue(name, config->*gridDim_of, config->*blockDim_of, config->dynamicSmemBytes,
                        config->stream, early, kernel));
}

void WaitForPreviousKernel() { block->fiber().waited = true; }

cudaError_t GetAttributes(cudaFuncAttributes* attributes) {
  return Called([&] {
    *attributes = {};
    attributes->ptxVersion = for_tests::capability;
    return cudaSuccess;
  });
}

cudaError_t CountBlocks(int* blocks) {
  return Called([&] {
    *blocks = 2;
    return cudaSuccess;
  });
}

void LaunchBound(size_t threads) {
  if (asked_for_bound) throw Bound{threads};
}

void* Shared(const void* key, size_t size, size_t alignment) {
  std::vector<Variable>& variables = block->variables;
  auto found = std::find_if(variables.begin(), variables.end(),
                            [=](const Variable& variable) { return variable.key == key; });
  if (found == variables.end()) {
    const std::align_val_t aligned{alignment};
    variables.push_back(
        {key, {::operator new(size, aligned), [=](void* at) { ::operator delete(at, aligned); }}});
    found = variables.end() - 1;
  }
  void* at = found->memory.get();
  if (found->declared) return at;
  found->declared = true;
  std::memset(at, kPoison, size);
  races::Forget(at, size);
  block->static_bytes += size;
  // A GPU rejects the launch; here this is only detected now.
  if (block->static_bytes + block->shared.size() > block->most_shared)
    Fail("static and dynamic shared memory together are more than a launch may have");
  return at;
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

void Fence(Scope scope) {
  if (block->clocks) block->clocks->fence(block->current, scope);
}

void Discard(bool discards) { races::running.discards = discards; }

void BeginAtomic(const void* at, size_t size, const void* from) {
  if (Random()() % kAtomicsPerPause == 0) Pause(State::kReady);  // Others may go first.
  if (races::running.clocks != nullptr) races::Access(at, size, races::Kind::kAtomic, from);
}

namespace {

const char* Meet(unsigned mask, const void* value, size_t size, bool orders_memory) {
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
        block->fibers[first + other].state = State::kReady;
    }
    if (orders_memory && block->clocks) block->clocks->sync_warp(first, mask);
  }
  return meeting.slots[turn];
}

}  // namespace

const char* Exchange(unsigned mask, const void* value, size_t size) {
  return Meet(mask, value, size, false);
}
void WarpBarrier(unsigned mask) {
  const char nothing = 0;
  Meet(mask, &nothing, sizeof(nothing), true);
}

}  // namespace emulation

using emulation::Called;

extern "C" {
cudaError_t cudaGetDevice(int* device) {
  return Called([&] {
    *device = emulation::for_tests::current_device;
    return cudaSuccess;
  });
}
cudaError_t cudaSetDevice(int device) {
  return Called([&] {
    if (device < 0 || device >= emulation::kDevices) return cudaErrorInvalidDevice;
    emulation::for_tests::current_device = device;
    return cudaSuccess;
  });
}
cudaError_t cudaGetLastError() { return std::exchange(emulation::last_error, cudaSuccess); }
cudaError_t cudaPeekAtLastError() { return emulation::last_error; }
const char* cudaGetErrorString(cudaError_t error) { return emulation::WordsOf(error).description; }
const char* cudaGetErrorName(cudaError_t error) { return emulation::WordsOf(error).name; }
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  return Called([&] {
    *value =
        attribute == cudaDevAttrMultiProcessorCount      ? 2
        : attribute == cudaDevAttrComputeCapabilityMajor ? emulation::for_tests::capability / 10
        : attribute == cudaDevAttrComputeCapabilityMinor ? emulation::for_tests::capability % 10
                                                         : 1024;
    return cudaSuccess;
  });
}
}
