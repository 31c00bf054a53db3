// SPDX-License-Identifier: Apache-2.0
// Tensors from the calling framework's allocator, or from this library's CPU allocator.
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/extra/c_env_api.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "arguments.h"

namespace ffi = tvm::ffi;

namespace {

thread_local DLPackManagedTensorAllocator thread_allocator = nullptr;
std::atomic<DLPackManagedTensorAllocator> global_allocator{nullptr};

constexpr size_t kAlignment = 64;  // A cache line, and the widest vector register.

// A tensor's size in bytes; throws if an extent is negative or the size exceeds all memory.
size_t CheckedDataSize(const DLTensor& prototype) {
  const ffi::ShapeView shape(prototype.shape, static_cast<size_t>(prototype.ndim));
  const int64_t numel = ffi::detail::CheckedNumel("TVMFFIEnvTensorAlloc", shape, prototype.dtype);
  return ffi::GetDataSize(numel, prototype.dtype);
}

// A tensor in host memory, followed by its shape and strides.
class HostTensorObj : public ffi::TensorObj {
 public:
  HostTensorObj(const DLTensor& prototype, void* memory) {
    static_cast<DLTensor&>(*this) = prototype;
    data = memory;
    byte_offset = 0;
    shape = reinterpret_cast<int64_t*>(this + 1);
    strides = shape + ndim;
    int64_t step = 1;
    for (int32_t i = ndim - 1; i >= 0; --i) {
      shape[i] = prototype.shape[i];
      strides[i] = step;
      step *= shape[i];
    }
  }
  ~HostTensorObj() { std::free(data); }
};

TVMFFIObjectHandle AllocOnHost(const DLTensor& prototype) {
  size_t size = CheckedDataSize(prototype);
  size = (size + kAlignment) / kAlignment * kAlignment;  // At least one byte, a multiple of 64.
  std::unique_ptr<void, void (*)(void*)> memory(std::aligned_alloc(kAlignment, size), std::free);
  TVM_FFI_CHECK(memory != nullptr, MemoryError)
      << "TVMFFIEnvTensorAlloc: no memory for " << size << " bytes";
  const size_t tail = 2 * static_cast<size_t>(prototype.ndim) * sizeof(int64_t);
  auto tensor = ffi::detail::MakeObjectWithTail<HostTensorObj>(tail, prototype, memory.get());
  memory.release();
  return ffi::ObjectUnsafe::MoveToOwned(std::move(tensor));
}

// Empty until an allocator fails: a message costs an allocation.
struct AllocatorError {
  std::string kind;
  std::string message;
};

void SetAllocatorError(void* error_ctx, const char* kind, const char* message) {
  auto* error = static_cast<AllocatorError*>(error_ctx);
  if (kind != nullptr) error->kind = kind;
  if (message != nullptr) error->message = message;
}

}  // namespace

extern "C" {

int TVMFFIEnvSetDLPackManagedTensorAllocator(
    DLPackManagedTensorAllocator allocator, int write_to_global_context,
    DLPackManagedTensorAllocator* opt_out_original_allocator) {
  if (opt_out_original_allocator != nullptr) *opt_out_original_allocator = thread_allocator;
  thread_allocator = allocator;
  if (write_to_global_context != 0) global_allocator.store(allocator, std::memory_order_release);
  return 0;
}

DLPackManagedTensorAllocator TVMFFIEnvGetDLPackManagedTensorAllocator(void) {
  if (thread_allocator != nullptr) return thread_allocator;
  return global_allocator.load(std::memory_order_acquire);
}

int TVMFFIEnvTensorAlloc(DLTensor* prototype, TVMFFIObjectHandle* out) {
  TVM_FFI_SAFE_CALL_BEGIN();
  ffi::CheckDimensions("TVMFFIEnvTensorAlloc", "prototype",
                       ffi::Given("TVMFFIEnvTensorAlloc: prototype", prototype));
  ffi::Given("TVMFFIEnvTensorAlloc: out", out);
  DLPackManagedTensorAllocator allocator = TVMFFIEnvGetDLPackManagedTensorAllocator();
  if (allocator != nullptr) {
    CheckedDataSize(*prototype);
    DLManagedTensorVersioned* managed = nullptr;
    AllocatorError error;
    if (allocator(prototype, &managed, &error, SetAllocatorError) != 0) {
      if (error.kind.empty()) error.kind = "RuntimeError";
      if (error.message.empty()) {
        error.message = "expected a tensor, but the allocator failed and gave no reason";
      }
      throw ffi::Error(error.kind, "TVMFFIEnvTensorAlloc: " + error.message);
    }
    TVM_FFI_CHECK(managed != nullptr, RuntimeError)
        << "TVMFFIEnvTensorAlloc: expected a tensor from the allocator, got NULL";
    if (TVMFFITensorFromDLPackVersioned(managed, 0, 0, out) != 0) {
      if (managed->deleter != nullptr) managed->deleter(managed);
      ffi::detail::ThrowRaised(-1);
    }
    return 0;
  }
  TVM_FFI_CHECK(prototype->device.device_type == kDLCPU, RuntimeError)
      << "TVMFFIEnvTensorAlloc: prototype: expected a device that an allocator is set for, got "
      << prototype->device << "; pass a tensor of a framework in the call, or set one by "
      << "TVMFFIEnvSetDLPackManagedTensorAllocator";
  *out = AllocOnHost(*prototype);
  TVM_FFI_SAFE_CALL_END();
}
}
