// SPDX-License-Identifier: Apache-2.0
// The CUDA runtime's streams, captures and memory, following its documentation.
#include "streams.h"

#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/extra/cuda/base.h>
#include <tvm/ffi/function.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "cuda_on_cpu.h"
// The framework's own allocator, which this file wraps.
#undef TVMFFIEnvTensorAlloc

namespace emulation {
namespace {

struct Node {
  Kind kind;
  std::function<void()> work;
};

struct Graph {
  std::vector<Node> nodes;
  std::vector<tvm::ffi::ObjectPtr<tvm::ffi::Object>> memory;

  int64_t count(Kind kind) const {
    return std::count_if(nodes.begin(), nodes.end(),
                         [&](const Node& node) { return node.kind == kind; });
  }
};

struct Capture {
  cudaStream_t stream;
  bool blocking;  // created without cudaStreamNonBlocking: the legacy stream waits for it
  bool valid = true;
};

std::optional<Capture> capture;  // at most one at a time
Graph graph;                     // of the current or the last capture
std::function<void()> while_waiting;

bool IsLegacy(cudaStream_t stream) { return stream == nullptr || stream == cudaStreamLegacy; }
bool IsCaptured(cudaStream_t stream) { return capture && capture->stream == stream; }
bool WaitsForCapture(cudaStream_t stream) {
  return capture && capture->blocking && IsLegacy(stream);
}

cudaError_t Invalidate(cudaError_t error) {
  capture->valid = false;
  return error;
}

// CUDA's error if a stream must not be used now, which invalidates the capture.
cudaError_t Use(cudaStream_t stream) {
  if (WaitsForCapture(stream)) return Invalidate(cudaErrorStreamCaptureImplicit);
  return IsCaptured(stream) && !capture->valid ? cudaErrorStreamCaptureInvalidated : cudaSuccess;
}

// The same for operations outside streams, such as cudaMalloc(), which a replay would miss.
cudaError_t UseNoStream() {
  return capture ? Invalidate(cudaErrorStreamCaptureUnsupported) : cudaSuccess;
}

cudaError_t Synchronize(cudaStream_t stream) {
  const cudaError_t error = Use(stream);
  if (error != cudaSuccess) return error;
  if (IsCaptured(stream)) return Invalidate(cudaErrorStreamCaptureUnsupported);
  if (while_waiting) while_waiting();
  return cudaSuccess;
}

// For operations whose graph nodes are not emulated.
cudaError_t UseOutsideOfCapture(cudaStream_t stream) {
  if (IsCaptured(stream)) Stop("memory that belongs to a graph is not emulated");
  return Use(stream);
}

cudaError_t StatusOf(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  if (WaitsForCapture(stream)) return cudaErrorStreamCaptureImplicit;  // nothing is invalidated
  *status = !IsCaptured(stream) ? cudaStreamCaptureStatusNone
            : capture->valid    ? cudaStreamCaptureStatusActive
                                : cudaStreamCaptureStatusInvalidated;
  return cudaSuccess;
}

cudaError_t Allocate(void** at, size_t size) {
  *at = std::malloc(size);
  return *at == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
}

void BeginCapture(int64_t stream, bool blocking) {
  if (capture) TVM_FFI_THROW(RuntimeError) << "begin_capture: expected the last one to have ended";
  graph = Graph();
  capture = Capture{reinterpret_cast<cudaStream_t>(stream), blocking};
}

tvm::ffi::Shape EndCapture() {
  if (!capture) TVM_FFI_THROW(RuntimeError) << "end_capture: expected a capture to have begun";
  const bool valid = std::exchange(capture, std::nullopt)->valid;
  if (!valid) graph = Graph();
  TVM_FFI_CHECK_CUDA_ERROR(valid ? cudaSuccess : cudaErrorStreamCaptureInvalidated);
  return {graph.count(Kind::kLaunch), graph.count(Kind::kMemset), graph.count(Kind::kCopy),
          static_cast<int64_t>(graph.memory.size())};
}

}  // namespace

cudaError_t Enqueue(cudaStream_t stream, Kind kind, std::function<void()> work) {
  const cudaError_t error = Use(stream);
  if (error != cudaSuccess) return error;
  if (IsCaptured(stream)) {
    graph.nodes.push_back({kind, std::move(work)});
  } else {
    work();
  }
  return cudaSuccess;
}

int TensorAlloc(DLTensor* prototype, TVMFFIObjectHandle* out) {
  const int failed = TVMFFIEnvTensorAlloc(prototype, out);
  if (failed != 0 || !capture) return failed;
  graph.memory.push_back(tvm::ffi::ObjectUnsafe::PtrFromBorrowed<tvm::ffi::Object>(*out));
  return 0;
}

}  // namespace emulation

using emulation::Called;
using emulation::Kind;

extern "C" {
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return Called([&] { return emulation::StatusOf(stream, status); });
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return Called([&] { return emulation::Synchronize(stream); });
}
cudaError_t cudaDeviceSynchronize() { return Called(emulation::UseNoStream); }
cudaError_t cudaMemsetAsync(void* at, int byte, size_t size, cudaStream_t stream) {
  const auto work = [=] { std::memset(at, byte, size); };
  return Called([&] { return emulation::Enqueue(stream, Kind::kMemset, work); });
}
// Uses the legacy stream, and does not wait until GPU memory is set.
cudaError_t cudaMemset(void* at, int byte, size_t size) {
  return cudaMemsetAsync(at, byte, size, cudaStreamLegacy);
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t size, cudaMemcpyKind,
                            cudaStream_t stream) {
  const auto work = [=] { std::memcpy(to, from, size); };
  return Called([&] { return emulation::Enqueue(stream, Kind::kCopy, work); });
}
cudaError_t cudaMalloc(void** at, size_t size) {
  return Called([&] {
    const cudaError_t error = emulation::UseNoStream();
    return error != cudaSuccess ? error : emulation::Allocate(at, size);
  });
}
cudaError_t cudaFree(void* at) {
  return Called([&] {
    const cudaError_t error = emulation::UseNoStream();
    if (error == cudaSuccess) std::free(at);
    return error;
  });
}
cudaError_t cudaMallocAsync(void** at, size_t size, cudaStream_t stream) {
  return Called([&] {
    const cudaError_t error = emulation::UseOutsideOfCapture(stream);
    return error != cudaSuccess ? error : emulation::Allocate(at, size);
  });
}
cudaError_t cudaFreeAsync(void* at, cudaStream_t stream) {
  return Called([&] {
    const cudaError_t error = emulation::UseOutsideOfCapture(stream);
    if (error == cudaSuccess) std::free(at);
    return error;
  });
}
}

// For tests: captures the work queued on a stream, given by its handle. The legacy stream waits for
// a blocking stream.
TVM_FFI_DLL_EXPORT_TYPED_FUNC(begin_capture, emulation::BeginCapture);
// The numbers of launches, memsets, copies and framework tensors in the graph; CUDA's error if
// the capture was invalidated.
TVM_FFI_DLL_EXPORT_TYPED_FUNC(end_capture, emulation::EndCapture);
// Runs the graph of the last capture.
TVM_FFI_DLL_EXPORT_TYPED_FUNC(replay, [] {
  for (const emulation::Node& node : emulation::graph.nodes) node.work();
});
// Sets a function to call each time the host waits for a stream.
TVM_FFI_DLL_EXPORT_TYPED_FUNC(while_waiting, [](tvm::ffi::Function happens) {
  emulation::while_waiting = [happens] { happens(); };
});
