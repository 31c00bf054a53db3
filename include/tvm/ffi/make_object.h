// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/make_object.h
 * \brief Creates objects.
 */
#ifndef TVM_FFI_MAKE_OBJECT_H_
#define TVM_FFI_MAKE_OBJECT_H_

#include <tvm/ffi/c_api.h>
#include <tvm/ffi/deep_deletion.h>
#include <tvm/ffi/object_memory.h>
#include <tvm/ffi/object_ptr.h>
#include <tvm/ffi/object_ref.h>

#include <cstddef>
#include <cstdlib>
#include <new>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

namespace detail {

// Whether destroying a T may destroy other objects and so be part of a long chain. A type with a
// destructor for which this is false declares `_type_ends_no_object`.
template <typename T, typename = void>
struct MayEndObjects : std::integral_constant<bool, !std::is_trivially_destructible<T>::value> {};
template <typename T>
struct MayEndObjects<T, std::enable_if_t<T::_type_ends_no_object>> : std::false_type {};

// The object passed to a deleter. It may already be destroyed, so UBSan must not check its
// vtable.
template <typename T>
__attribute__((no_sanitize("vptr"))) T* ObjectAt(void* self) {
  return static_cast<T*>(static_cast<Object*>(self));
}

template <typename T>
void EndStrong(T* object, int flags) {
  if ((flags & kTVMFFIObjectDeleterFlagBitMaskStrong) != 0) object->T::~T();
}

// The deleter of an object in memory from `malloc`: most objects, which have no allocation header.
template <typename T>
void DeleteMalloced(void* self, int flags) {
  if constexpr (MayEndObjects<T>::value) {
    if (IsDeletedLater(self, flags)) return;
  }
  T* object = ObjectAt<T>(self);
  EndStrong(object, flags);
  // Free from the start: in a class with virtual functions, the header follows the vtable pointer.
  if ((flags & kTVMFFIObjectDeleterFlagBitMaskWeak) != 0) std::free(static_cast<void*>(object));
}

// The deleter of an object in memory from another allocator.
template <typename T>
void DeleteAllocated(void* self, int flags) {
  if constexpr (MayEndObjects<T>::value) {
    if (IsDeletedLater(self, flags)) return;
  }
  T* object = ObjectAt<T>(self);
  EndStrong(object, flags);
  if ((flags & kTVMFFIObjectDeleterFlagBitMaskWeak) != 0) FreeObjectMemory(object);
}

// Whether this library created the object as a T and not as a type derived from it.
template <typename T>
bool IsMadeAs(const TVMFFIObject* object) {
  return object->deleter == DeleteMalloced<T> || object->deleter == DeleteAllocated<T>;
}

// Adds `tail` bytes after the object for inline contents.
template <typename T, typename... Args>
TVM_FFI_ALWAYS_INLINE ObjectPtr<T> MakeObjectWithTail(size_t tail, Args&&... args) {
  const int32_t type_index = T::RuntimeTypeIndex();
  void* memory;
  void (*deleter)(void*, int);
  if (alignof(T) <= alignof(std::max_align_t) && HasBuiltInAllocator()) {
    memory = std::malloc(sizeof(T) + tail);
    if (memory == nullptr) ThrowBadAlloc();
    deleter = DeleteMalloced<T>;
  } else {
    memory = AllocateObjectMemory<alignof(T)>(sizeof(T) + tail, type_index);
    deleter = DeleteAllocated<T>;
  }
  T* object;
  try {
    object = new (memory) T(std::forward<Args>(args)...);
  } catch (...) {
    deleter(static_cast<Object*>(static_cast<T*>(memory)), kTVMFFIObjectDeleterFlagBitMaskWeak);
    throw;
  }
  TVMFFIObject* header = ObjectUnsafe::Header(object);
  header->combined_ref_count = (uint64_t{1} << 32) | 1;
  header->type_index = type_index;
  header->deleter = deleter;
  return ObjectUnsafe::PtrFromOwned<T>(static_cast<Object*>(object));
}

}  // namespace detail

/*! \brief Creates an object and returns its first owner. */
template <typename T, typename... Args>
TVM_FFI_ALWAYS_INLINE ObjectPtr<T> make_object(Args&&... args) {
  static_assert(std::is_base_of<Object, T>::value, "make_object makes types derived from Object");
  return detail::MakeObjectWithTail<T>(0, std::forward<Args>(args)...);
}

/*!
 * \brief Creates an object followed by space for an array.
 * \tparam ArrayType The object type. The array starts at `object + 1`.
 * \tparam ElementType Type of the elements, which the constructor of ArrayType constructs.
 * \param num_elements Number of elements.
 * \param args Arguments of the constructor of ArrayType.
 */
template <typename ArrayType, typename ElementType, typename... Args>
ObjectPtr<ArrayType> make_inplace_array_object(size_t num_elements, Args&&... args) {
  static_assert(std::is_base_of<Object, ArrayType>::value,
                "make_inplace_array_object makes types derived from Object");
  static_assert(alignof(ArrayType) % alignof(ElementType) == 0 &&
                    sizeof(ArrayType) % alignof(ElementType) == 0,
                "the elements behind the object are aligned");
  if (num_elements > PTRDIFF_MAX / 2 / sizeof(ElementType)) throw std::bad_alloc();
  return detail::MakeObjectWithTail<ArrayType>(num_elements * sizeof(ElementType),
                                               std::forward<Args>(args)...);
}

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_MAKE_OBJECT_H_
