// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/object_ptr.h
 * \brief Reference-counted objects, and the pointers that own or observe one.
 */
#ifndef TVM_FFI_OBJECT_PTR_H_
#define TVM_FFI_OBJECT_PTR_H_

#include <tvm/ffi/attributes.h>
#include <tvm/ffi/c_api.h>

#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

namespace detail {

[[noreturn]] void ThrowRaised(int code);                                       // in error_object.h
[[noreturn]] void ThrowNotInstance(int32_t type_index, const char* type_key);  // in type_traits.h

// The index of a type that is assigned one at run time, looked up once per library. Not a member of
// the type, whose statics the loader would merge between libraries.
template <typename T, typename Parent>
int32_t TypeIndexOf() {
  static_assert(!Parent::_type_final, "the parent is declared final");
  // Not an initialiser, which might stay locked in a forked child; running twice is harmless.
  static int32_t known = -1;
  const int32_t seen = __atomic_load_n(&known, __ATOMIC_ACQUIRE);
  if (seen >= 0) return seen;
  const TVMFFIByteArray key{T::_type_key, __builtin_strlen(T::_type_key)};
  const int32_t given =
      TVMFFITypeGetOrAllocIndex(&key, -1, T::_type_depth, T::_type_child_slots,
                                T::_type_child_slots_can_overflow, Parent::RuntimeTypeIndex());
  if (given < 0) ThrowRaised(-1);
  __atomic_store_n(&known, given, __ATOMIC_RELEASE);
  return given;
}

}  // namespace detail

/*! \brief Root of all object types; starts with a TVMFFIObject. */
class Object {
 public:
  /*! \brief Unique name of the type. */
  static constexpr const char* _type_key = "ffi.Object";
  /*! \brief Fixed index of the type. */
  static constexpr int32_t _type_index = kTVMFFIObject;
  /*! \brief Number of ancestors. */
  static constexpr int32_t _type_depth = 0;
  /*! \brief Whether no other type derives from it. */
  static constexpr bool _type_final = false;
  /*! \brief Whether handles give access to a mutable object. */
  static constexpr bool _type_mutable = false;
  /*! \brief Number of type indices to reserve for derived types. */
  static constexpr int32_t _type_child_slots = 0;
  /*! \brief Whether there may be more derived types than reserved indices. */
  static constexpr bool _type_child_slots_can_overflow = true;
  /*! \brief How the type takes part in structural comparison and hashing. */
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindUnsupported;
  /*! \brief Index of the type in this process; every declared type has its own. */
  static int32_t RuntimeTypeIndex() { return _type_index; }

  Object() {
    // One by one, so that the compiler omits stores that make_object overwrites.
    header_.combined_ref_count = 0;
    header_.type_index = 0;
    header_.__padding = 0;
    header_.deleter = nullptr;
  }
  /*! \brief A new object with its own counts; the derived type copies the contents. */
  Object(const Object&) : Object() {}
  /*! \brief Keeps its own counts and type. */
  Object& operator=(const Object&) { return *this; }

  /*! \brief Type index of the object. */
  int32_t type_index() const { return header_.type_index; }

  /*! \brief Name of the object's type, for example "ffi.Tensor". */
  std::string GetTypeKey() const { return TypeIndex2Key(header_.type_index); }
  /*! \brief A hash of the name of the object's type. */
  uint64_t GetTypeKeyHash() const { return InfoOf(header_.type_index)->type_key_hash; }
  /*! \brief Name of the type with that index; throws a TypeError if there is none. */
  static std::string TypeIndex2Key(int32_t type_index) {
    const TVMFFIByteArray& key = InfoOf(type_index)->type_key;
    return std::string(key.data, key.size);
  }

  /*! \brief Current number of strong references. */
  int32_t use_count() const {
    return static_cast<int32_t>(__atomic_load_n(&header_.combined_ref_count, __ATOMIC_RELAXED) &
                                kStrongMask);
  }

  /*! \brief Whether there is only one strong reference. If so, this thread sees everything that
   * other threads did before they released theirs. */
  bool unique() const {
    return (__atomic_load_n(&header_.combined_ref_count, __ATOMIC_ACQUIRE) & kStrongMask) == 1;
  }

  /*! \brief Whether the object is a T or derives from it. */
  template <typename T>
  bool IsInstance() const {
    if (std::is_same<T, Object>::value) return true;
    const int32_t wanted = T::RuntimeTypeIndex();
    if (header_.type_index == wanted) return true;
    // Every type of the ABI itself is a child of Object.
    if (T::_type_final || header_.type_index < kTVMFFIStaticObjectEnd) return false;
    const TVMFFITypeInfo* info = TVMFFIGetTypeInfo(header_.type_index);
    return info != nullptr && info->type_depth > T::_type_depth &&
           info->type_ancestors[T::_type_depth]->type_index == wanted;
  }

 private:
  static const TVMFFITypeInfo* InfoOf(int32_t type_index) {
    const TVMFFITypeInfo* info = TVMFFIGetTypeInfo(type_index);
    if (info == nullptr) detail::ThrowRaised(-1);
    return info;
  }

  static constexpr uint64_t kStrongOne = 1;
  static constexpr uint64_t kWeakOne = uint64_t{1} << 32;
  static constexpr uint64_t kStrongMask = kWeakOne - 1;

  void IncRef() { __atomic_fetch_add(&header_.combined_ref_count, kStrongOne, __ATOMIC_RELAXED); }

  void DecRef() {
    // If this is the only reference, no other thread can add one, and all that others did to the
    // object happened before: so destroying it needs no atomic subtraction.
    if (__atomic_load_n(&header_.combined_ref_count, __ATOMIC_ACQUIRE) == (kWeakOne | kStrongOne)) {
      __atomic_store_n(&header_.combined_ref_count, kWeakOne, __ATOMIC_RELAXED);
      Delete(kTVMFFIObjectDeleterFlagBitMaskBoth);
      return;
    }
    uint64_t before = __atomic_fetch_sub(&header_.combined_ref_count, kStrongOne, __ATOMIC_RELEASE);
    if ((before & kStrongMask) == 1) Drop(before);
  }

  void Delete(int32_t flags) {
    if (header_.deleter != nullptr) header_.deleter(&header_, flags);
  }

  // All that other threads did to the object before releasing it happens before the code that
  // follows. A load, not a fence, because ThreadSanitizer does not support fences.
  void SeeOtherThreads() {
    static_cast<void>(__atomic_load_n(&header_.combined_ref_count, __ATOMIC_ACQUIRE));
  }

  // Runs once, when the last strong reference is dropped by an atomic subtraction.
  TVM_FFI_COLD void Drop(uint64_t before) {
    SeeOtherThreads();
    if (before == (kWeakOne | kStrongOne)) {
      Delete(kTVMFFIObjectDeleterFlagBitMaskBoth);
      return;
    }
    Delete(kTVMFFIObjectDeleterFlagBitMaskStrong);
    DecWeak();
  }

  void IncWeak() { __atomic_fetch_add(&header_.combined_ref_count, kWeakOne, __ATOMIC_RELAXED); }

  void DecWeak() {
    uint64_t before = __atomic_fetch_sub(&header_.combined_ref_count, kWeakOne, __ATOMIC_RELEASE);
    if ((before >> 32) != 1) return;
    SeeOtherThreads();
    Delete(kTVMFFIObjectDeleterFlagBitMaskWeak);
  }

  // Adds a strong reference unless the last one is gone.
  bool TryPromote() {
    uint64_t seen = __atomic_load_n(&header_.combined_ref_count, __ATOMIC_RELAXED);
    while ((seen & kStrongMask) != 0) {
      if (__atomic_compare_exchange_n(&header_.combined_ref_count, &seen, seen + kStrongOne, true,
                                      __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
        return true;
      }
    }
    return false;
  }

  TVMFFIObject header_;

  template <typename>
  friend class ObjectPtr;
  template <typename>
  friend class WeakObjectPtr;
  friend struct ObjectUnsafe;
};

/*! \brief Owning pointer to an object. */
template <typename T>
class ObjectPtr {
 public:
  ObjectPtr() = default;
  /*! \brief A null pointer. */
  ObjectPtr(std::nullptr_t) {}  // NOLINT(runtime/explicit)
  /*! \brief Shares the object of `other`. */
  ObjectPtr(const ObjectPtr& other) : ObjectPtr(other.data_) {}
  /*! \brief Takes over the object of `other`, which becomes null. */
  ObjectPtr(ObjectPtr&& other) noexcept : data_(other.data_) { other.data_ = nullptr; }
  /*! \brief Shares an object of a derived type. */
  template <typename U, typename = std::enable_if_t<std::is_base_of<T, U>::value>>
  ObjectPtr(const ObjectPtr<U>& other) : ObjectPtr(other.data_) {}  // NOLINT(runtime/explicit)
  /*! \brief Takes over an object of a derived type. */
  template <typename U, typename = std::enable_if_t<std::is_base_of<T, U>::value>>
  ObjectPtr(ObjectPtr<U>&& other) noexcept : data_(other.data_) {  // NOLINT(runtime/explicit)
    other.data_ = nullptr;
  }
  ~ObjectPtr() {
    if (data_ != nullptr) static_cast<Object*>(data_)->DecRef();
  }

  /*! \brief Shares or takes over the other's object. */
  ObjectPtr& operator=(ObjectPtr other) noexcept {
    std::swap(data_, other.data_);
    return *this;
  }

  /*! \brief Exchanges the objects. */
  void swap(ObjectPtr& other) noexcept { std::swap(data_, other.data_); }
  /*! \brief Drops the reference. */
  void reset() {
    // Null first: the object's destructor may access this pointer.
    if (T* old = std::exchange(data_, nullptr)) static_cast<Object*>(old)->DecRef();
  }
  /*! \brief The object, or NULL. */
  T* get() const { return data_; }
  /*! \brief The object, which must not be NULL. */
  T* operator->() const { return data_; }
  /*! \brief The object, which must not be NULL. */
  T& operator*() const { return *data_; }
  /*! \brief Whether there is an object. */
  explicit operator bool() const { return data_ != nullptr; }
  /*! \brief Whether both point to the same object. */
  bool operator==(const ObjectPtr& other) const { return data_ == other.data_; }
  /*! \brief Whether they point to different objects. */
  bool operator!=(const ObjectPtr& other) const { return data_ != other.data_; }
  /*! \brief Number of strong references, 0 for a null pointer. */
  int32_t use_count() const { return data_ == nullptr ? 0 : data_->use_count(); }
  /*! \brief Whether this is the only strong reference. */
  bool unique() const { return data_ != nullptr && data_->unique(); }

 private:
  explicit ObjectPtr(T* data) : data_(data) {
    if (data_ != nullptr) static_cast<Object*>(data_)->IncRef();
  }

  T* data_{nullptr};

  template <typename>
  friend class ObjectPtr;
  template <typename>
  friend class WeakObjectPtr;
  friend struct ObjectUnsafe;
};

/*! \brief Pointer that observes an object without keeping its contents alive. */
template <typename T>
class WeakObjectPtr {
 public:
  WeakObjectPtr() = default;
  /*! \brief Observes nothing. */
  WeakObjectPtr(std::nullptr_t) {}  // NOLINT(runtime/explicit)
  /*! \brief Observes the object of an owner of a derived type. */
  template <typename U, typename = std::enable_if_t<std::is_base_of<T, U>::value>>
  WeakObjectPtr(const ObjectPtr<U>& other) : WeakObjectPtr(other.data_) {}  // NOLINT
  /*! \brief Observes the same object as a weak pointer to a derived type. */
  template <typename U, typename = std::enable_if_t<std::is_base_of<T, U>::value>>
  WeakObjectPtr(const WeakObjectPtr<U>& other) : WeakObjectPtr(other.data_) {}  // NOLINT
  /*! \brief Observes the object of `other`. */
  WeakObjectPtr(const ObjectPtr<T>& other) : WeakObjectPtr(other.data_) {}  // NOLINT
  /*! \brief Observes the same object. */
  WeakObjectPtr(const WeakObjectPtr& other) : WeakObjectPtr(other.data_) {}
  /*! \brief Takes over the weak reference. */
  WeakObjectPtr(WeakObjectPtr&& other) noexcept : data_(other.data_) { other.data_ = nullptr; }
  ~WeakObjectPtr() { reset(); }

  /*! \brief Observes the other's object instead. */
  WeakObjectPtr& operator=(WeakObjectPtr other) noexcept {
    std::swap(data_, other.data_);
    return *this;
  }

  /*! \brief Exchanges the observed objects. */
  void swap(WeakObjectPtr& other) noexcept { std::swap(data_, other.data_); }
  /*! \brief Number of strong references to the object; 0 if it is destroyed or none is observed. */
  int32_t use_count() const { return data_ == nullptr ? 0 : data_->use_count(); }
  /*! \brief Drops the weak reference. */
  void reset() {
    if (T* old = std::exchange(data_, nullptr)) static_cast<Object*>(old)->DecWeak();
  }
  /*! \brief An owning pointer, or a null pointer if the object is destroyed or none is observed. */
  ObjectPtr<T> lock() const {
    ObjectPtr<T> strong;
    if (data_ != nullptr && static_cast<Object*>(data_)->TryPromote()) strong.data_ = data_;
    return strong;
  }
  /*! \brief Whether the object is destroyed, or none is observed. */
  bool expired() const { return use_count() == 0; }

 private:
  explicit WeakObjectPtr(T* data) : data_(data) {
    if (data_ != nullptr) static_cast<Object*>(data_)->IncWeak();
  }

  T* data_{nullptr};

  template <typename>
  friend class WeakObjectPtr;
};

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_OBJECT_PTR_H_
