// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/object_memory.h
 * \brief The source of memory for make_object.
 */
#ifndef TVM_FFI_OBJECT_MEMORY_H_
#define TVM_FFI_OBJECT_MEMORY_H_

#include <tvm/ffi/attributes.h>
#include <tvm/ffi/c_api.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

// Position-dependent code would get a copy of the variable, which is present under any
// runtime.
#if defined(__ELF__) && defined(__PIC__)
// The allocator that replaces the built-in one, or NULL. Only this runtime exports this symbol.
extern "C" __attribute__((weak, visibility("default")))
TVMFFICustomAllocator* TVMFFIReplacedAllocator;
#endif

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {
namespace detail {

// Whether objects are known, from a fast check, to use the built-in allocator.
inline bool HasBuiltInAllocator() {
#if defined(__ELF__) && defined(__PIC__)
  return &TVMFFIReplacedAllocator != nullptr &&
         __atomic_load_n(&TVMFFIReplacedAllocator, __ATOMIC_RELAXED) == nullptr;
#else
  return false;
#endif
}

// Frees memory from a C ABI allocator, which wrote the header before it.
inline void FreeObjectMemory(void* body) {
  auto* header = static_cast<TVMFFIObjectAllocHeader*>(body) - 1;
  if (header->delete_space != nullptr) header->delete_space(body);
}

[[noreturn]] TVM_FFI_COLD inline void ThrowBadAlloc() { throw std::bad_alloc(); }

inline void* AllocateAsSet(size_t bytes, size_t alignment, int32_t type_index) {
  TVMFFICustomAllocator* allocator = TVMFFIGetCustomAllocator();
  void* memory = allocator->allocate(bytes, alignment, type_index, allocator->context);
  if (memory == nullptr) ThrowBadAlloc();
  return memory;
}

// The header of an object inside a larger block, for an allocator with insufficient alignment.
struct AlignedHeader {
  void* block;
  TVMFFIObjectAllocHeader header;
};

// Replaces `memory` from an allocator that did not align it, such as the published runtime's, which
// aligns to 16 bytes.
TVM_FFI_COLD inline void* AlignedInstead(void* memory, size_t bytes, size_t alignment,
                                         int32_t type_index) {
  FreeObjectMemory(memory);
  const size_t before = sizeof(AlignedHeader) + alignment;
  void* block = AllocateAsSet(before + bytes, alignof(AlignedHeader), type_index);
  const uintptr_t end = reinterpret_cast<uintptr_t>(block) + before;
  auto* body = reinterpret_cast<AlignedHeader*>(end - end % alignment);
  body[-1].block = block;
  body[-1].header.delete_space = [](void* object) {
    FreeObjectMemory((static_cast<AlignedHeader*>(object) - 1)->block);
  };
  return body;
}

// Memory from the current allocator, preceded by a header.
template <size_t kAlignment>
TVM_FFI_COLD void* AllocateObjectMemory(size_t bytes, int32_t type_index) {
  void* memory = AllocateAsSet(bytes, kAlignment, type_index);
  if constexpr (kAlignment > alignof(std::max_align_t)) {
    if (reinterpret_cast<uintptr_t>(memory) % kAlignment != 0) {
      return AlignedInstead(memory, bytes, kAlignment, type_index);
    }
  }
  return memory;
}

}  // namespace detail
}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_OBJECT_MEMORY_H_
