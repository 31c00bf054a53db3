// SPDX-License-Identifier: Apache-2.0
// Reference counts, opaque objects and the allocator of objects.
#include <tvm/ffi/error.h>
#include <tvm/ffi/object.h>

#include <cstddef>
#include <cstdlib>
#include <utility>

#include "arguments.h"
#include "opaque.h"

namespace {

constexpr size_t kAlignment = alignof(std::max_align_t);  // of all memory from malloc
static_assert(sizeof(TVMFFIObjectAllocHeader) <= kAlignment, "the header has room before the body");

void FreePlain(void* body) { std::free(static_cast<char*>(body) - kAlignment); }

// Precedes the body of an over-aligned object, after a gap.
struct AlignedHeader {
  void* memory;
  TVMFFIObjectAllocHeader header;
};

void FreeAligned(void* body) { std::free((static_cast<AlignedHeader*>(body) - 1)->memory); }

void* RaiseNoMemory() {
  TVMFFIErrorSetRaisedFromCStr("MemoryError", "out of memory for an object");
  return nullptr;
}

// Returns NULL if the sum of the sizes overflows.
void* Malloc(size_t size, size_t more) {
  return __builtin_add_overflow(size, more, &size) ? nullptr : std::malloc(size);
}

void* AllocateAligned(size_t size, size_t alignment) {
  void* memory = Malloc(size, sizeof(AlignedHeader) + alignment);
  if (memory == nullptr) return RaiseNoMemory();
  auto address = reinterpret_cast<uintptr_t>(memory) + sizeof(AlignedHeader);
  address = (address + alignment - 1) / alignment * alignment;
  auto* body = reinterpret_cast<AlignedHeader*>(address);
  body[-1].memory = memory;
  body[-1].header.delete_space = FreeAligned;
  return body;
}

void* AllocateBuiltIn(size_t size, size_t alignment, int32_t, void*) {
  if (alignment > kAlignment) return AllocateAligned(size, alignment);
  void* memory = Malloc(size, kAlignment);
  if (memory == nullptr) return RaiseNoMemory();
  void* body = static_cast<char*>(memory) + kAlignment;
  (static_cast<TVMFFIObjectAllocHeader*>(body) - 1)->delete_space = FreePlain;
  return body;
}

TVMFFICustomAllocator built_in{AllocateBuiltIn, nullptr};

// A foreign object with its deleter.
class OpaqueObj : public tvm::ffi::Object, public TVMFFIOpaqueObjectCell {
 public:
  static constexpr int32_t _type_index = kTVMFFIOpaquePyObject;
  TVM_FFI_DECLARE_OBJECT_INFO_STATIC("ffi.OpaquePyObject", OpaqueObj, Object)

  ~OpaqueObj() {
    TVM_FFI_LOG_EXCEPTION_CALL_BEGIN();
    if (deleter != nullptr) deleter(handle);
    TVM_FFI_LOG_EXCEPTION_CALL_END(TVMFFIObjectCreateOpaque.deleter);
  }

  void (*deleter)(void* handle) = nullptr;
};

}  // namespace

bool tvm::ffi::IsOpaque(const TVMFFIObject* object) { return detail::IsMadeAs<OpaqueObj>(object); }

extern "C" {

int TVMFFIObjectIncRef(TVMFFIObjectHandle obj) {
  TVM_FFI_SAFE_CALL_BEGIN();
  TVM_FFI_CHECK(obj != nullptr, ValueError) << "TVMFFIObjectIncRef: expected an object, got NULL";
  tvm::ffi::ObjectPtr<tvm::ffi::Object> shared =
      tvm::ffi::ObjectUnsafe::PtrFromBorrowed<tvm::ffi::Object>(obj);
  tvm::ffi::ObjectUnsafe::MoveToOwned(std::move(shared));
  TVM_FFI_SAFE_CALL_END();
}

int TVMFFIObjectDecRef(TVMFFIObjectHandle obj) {
  TVM_FFI_SAFE_CALL_BEGIN();
  tvm::ffi::ObjectUnsafe::PtrFromOwned<tvm::ffi::Object>(obj).reset();
  TVM_FFI_SAFE_CALL_END();
}

int TVMFFIObjectCreateOpaque(void* handle, int32_t type_index, void (*deleter)(void* handle),
                             TVMFFIObjectHandle* out) {
  TVM_FFI_SAFE_CALL_BEGIN();
  TVM_FFI_CHECK(type_index >= kTVMFFIStaticObjectBegin, ValueError)
      << "TVMFFIObjectCreateOpaque: type_index: expected the index of an object type, got "
      << type_index;
  TVMFFIObjectHandle& result = tvm::ffi::Given("TVMFFIObjectCreateOpaque: out", out);
  tvm::ffi::ObjectPtr<OpaqueObj> object = tvm::ffi::make_object<OpaqueObj>();
  object->handle = handle;
  object->deleter = deleter;
  tvm::ffi::ObjectUnsafe::Header(object.get())->type_index = type_index;
  result = tvm::ffi::ObjectUnsafe::MoveToOwned(std::move(object));
  TVM_FFI_SAFE_CALL_END();
}

TVMFFICustomAllocator* TVMFFIReplacedAllocator = nullptr;

TVMFFICustomAllocator* TVMFFIGetCustomAllocator(void) {
  TVMFFICustomAllocator* replaced = __atomic_load_n(&TVMFFIReplacedAllocator, __ATOMIC_ACQUIRE);
  return replaced == nullptr ? &built_in : replaced;
}

int TVMFFISetCustomAllocator(TVMFFICustomAllocator* replacement) {
  if (replacement == &built_in) replacement = nullptr;
  __atomic_store_n(&TVMFFIReplacedAllocator, replacement, __ATOMIC_RELEASE);
  return 0;
}
}
