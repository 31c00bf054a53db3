// SPDX-License-Identifier: Apache-2.0
// Tensors in memory that every GPU of an NVSHMEM job can reach. Build with
// build_nvshmem.sh, run with load_nvshmem.py.

#include <cuda_runtime.h>
#include <nvshmem.h>
#include <nvshmemx.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/extra/cuda/device_guard.h>

#include <algorithm>
#include <mutex>
#include <vector>

#include "allocators.h"

namespace {

//! [blocks]
// The blocks that nvshmem_malloc returned. All PEs allocate in the same order,
// so a block has the same number on each of them.
struct Block {
  int64_t number;
  void* data;
  bool released;
};

struct Blocks {
  std::mutex mutex;
  std::vector<Block> all;
  int64_t allocated = 0;
  DLDevice device{kDLCUDA, 0};  // of this PE
  bool started = false;
};

// Never destroyed: tensors may be destroyed until the process exits.
Blocks& blocks() {
  static auto* of_process = new Blocks();
  return *of_process;
}
//! [blocks]

//! [nvshmem_malloc]
struct NvshmemMalloc {
  // Collective: all PEs allocate the same size, in the same order.
  void AllocData(DLTensor* tensor) {
    const size_t size = span_bytes(*tensor);
    if (size == 0) return;  // data stays NULL
    tensor->data = nvshmem_malloc(size);
    if (tensor->data == nullptr) {
      TVM_FFI_THROW(MemoryError)
          << "nvshmem_malloc: no memory for " << size << " bytes";
    }
    Blocks& known = blocks();
    std::lock_guard<std::mutex> lock(known.mutex);
    known.all.push_back({known.allocated++, tensor->data, false});
  }

  // Not collective: nvshmem_free would wait for all other PEs, whose last
  // owners may be destroyed later, in another order, or never. So the block is
  // only marked, which cannot fail.
  void FreeData(DLTensor* tensor) {
    Blocks& known = blocks();
    std::lock_guard<std::mutex> lock(known.mutex);
    for (Block& block : known.all) {
      if (block.data == tensor->data) block.released = true;
    }
  }
};
//! [nvshmem_malloc]

Block* find_released(int64_t number) {
  for (Block& block : blocks().all) {
    if (block.number == number && block.released) return &block;
  }
  return nullptr;
}

// NVSHMEM itself would report that it is out of memory, or nothing.
void check_started(const char* function) {
  if (!blocks().started) {
    TVM_FFI_THROW(RuntimeError)
        << function << ": expected a job that start() began";
  }
}

void check_status(const char* call, int status) {
  if (status != 0) TVM_FFI_THROW(RuntimeError) << call << ": status " << status;
}

}  // namespace

//! [nvshmem_free]
// The blocks that no tensor of this PE uses any longer.
ffi::Array<int64_t> released() {
  Blocks& known = blocks();
  std::lock_guard<std::mutex> lock(known.mutex);
  ffi::Array<int64_t> numbers;
  for (const Block& block : known.all) {
    if (block.released) numbers.push_back(block.number);
  }
  return numbers;
}

// Collective: all PEs pass the same numbers, of blocks that each has released.
void free_released(ffi::Array<int64_t> numbers) {
  Blocks& known = blocks();
  std::vector<void*> data;
  {
    std::lock_guard<std::mutex> lock(known.mutex);
    for (int64_t number : numbers) {
      const Block* block = find_released(number);
      if (block == nullptr) {
        TVM_FFI_THROW(ValueError) << "free_released: numbers must be of blocks "
                                     "that are released here, got "
                                  << number;
      }
      if (std::find(data.begin(), data.end(), block->data) == data.end())
        data.push_back(block->data);
    }
    auto freed = [&](const Block& block) {
      return std::find(data.begin(), data.end(), block.data) != data.end();
    };
    known.all.erase(std::remove_if(known.all.begin(), known.all.end(), freed),
                    known.all.end());
  }
  ffi::CUDADeviceGuard guard(known.device.device_id);
  // Waits for kernels that were queued while the tensors were alive.
  TVM_FFI_CHECK_CUDA_ERROR(cudaDeviceSynchronize());
  for (void* block : data) nvshmem_free(block);
}
//! [nvshmem_free]

//! [start]
// Called by one PE, which sends the id to the others over any connection.
ffi::Bytes unique_id() {
  nvshmemx_uniqueid_t id = NVSHMEMX_UNIQUEID_INITIALIZER;
  check_status("nvshmemx_get_uniqueid", nvshmemx_get_uniqueid(&id));
  return ffi::Bytes(reinterpret_cast<const char*>(&id), sizeof(id));
}

// Collective. On failure, the header's nvshmemx_init_attr would terminate the
// process; the library function that it wraps returns a status.
void start(int64_t pe, int64_t pes, ffi::Bytes id, DLDevice device) {
  nvshmemx_uniqueid_t same_id;
  if (id.size() != sizeof(same_id)) {
    TVM_FFI_THROW(ValueError) << "start: id must have " << sizeof(same_id)
                              << " bytes, got " << id.size();
  }
  std::memcpy(&same_id, id.data(), sizeof(same_id));
  if (device.device_type != kDLCUDA) {
    TVM_FFI_THROW(ValueError)
        << "start: device must be a CUDA device, got " << text_of(device);
  }
  blocks().device = device;
  ffi::CUDADeviceGuard guard(device.device_id);
  nvshmemx_init_attr_t attributes = NVSHMEMX_INIT_ATTR_INITIALIZER;
  check_status(
      "nvshmemx_set_attr_uniqueid_args",
      nvshmemx_set_attr_uniqueid_args(
          static_cast<int>(pe), static_cast<int>(pes), &same_id, &attributes));
  check_status(
      "nvshmemx_hostlib_init_attr",
      nvshmemx_hostlib_init_attr(NVSHMEMX_INIT_WITH_UNIQUEID, &attributes));
  blocks().started = true;
}

// Collective. Blocks still allocated would be freed while tensors use them.
void stop() {
  check_started("stop");
  {
    Blocks& known = blocks();
    std::lock_guard<std::mutex> lock(known.mutex);
    if (!known.all.empty()) {
      TVM_FFI_THROW(RuntimeError)
          << "stop: expected no block to be allocated, got "
          << known.all.size();
    }
  }
  ffi::CUDADeviceGuard guard(blocks().device.device_id);
  nvshmemx_hostlib_finalize();
  blocks().started = false;
}
//! [start]

//! [empty]
// Collective, like the allocator.
ffi::Tensor empty(ffi::Shape shape, DLDataType dtype) {
  check_started("empty");
  const DLDevice device = blocks().device;
  ffi::CUDADeviceGuard guard(device.device_id);
  return ffi::Tensor::FromNDAlloc(NvshmemMalloc(), shape, dtype, device);
}
//! [empty]

// [export.begin]
TVM_FFI_DLL_EXPORT_TYPED_FUNC(unique_id, unique_id);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(start, start);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(empty, empty);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(released, released);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(free_released, free_released);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(stop, stop);
// [export.end]
