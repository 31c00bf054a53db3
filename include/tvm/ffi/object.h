// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/object.h
 * \brief Reference-counted objects and the handles that own them.
 */
#ifndef TVM_FFI_OBJECT_H_
#define TVM_FFI_OBJECT_H_

#include <tvm/ffi/attributes.h>
#include <tvm/ffi/c_api.h>
#include <tvm/ffi/object_macros.h>
#include <tvm/ffi/object_memory.h>

#include <cstddef>
#include <new>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

namespace detail {

[[noreturn]] void ThrowRaised(int code);                                       // in error_object.h
[[noreturn]] void ThrowNotInstance(int32_t type_index, const char* type_key);  // in type_traits.h

// The index of a type that gets it at run time: asked for once in each library. Not a member of the
// type, whose statics the loader would merge between libraries.
template <typename T, typename Parent>
int32_t TypeIndexOf() {
  static_assert(!Parent::_type_final, "the parent is declared final");
  // Not an initialiser, which would stay locked in the child of a fork; twice does no harm.
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
  /*! \brief Whether more types may derive than indices are reserved. */
  static constexpr bool _type_child_slots_can_overflow = true;
  /*! \brief How the type takes part in structural comparison and hashing. */
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindUnsupported;
  /*! \brief Index of the type in this process; every declared type has its own. */
  static int32_t RuntimeTypeIndex() { return _type_index; }

  Object() : header_{} { header_.combined_ref_count = 0; }
  /*! \brief A new object: contents are copied, by the derived type; counts are not. */
  Object(const Object&) : Object() {}
  /*! \brief Keeps its own counts and type. */
  Object& operator=(const Object&) { return *this; }

  /*! \brief Type index of the object. */
  int32_t type_index() const { return header_.type_index; }

  /*! \brief Name of the object's type, for example "ffi.Tensor". */
  std::string GetTypeKey() const { return TypeIndex2Key(header_.type_index); }
  /*! \brief A hash of the name of the object's type. */
  uint64_t GetTypeKeyHash() const { return InfoOf(header_.type_index)->type_key_hash; }
  /*! \brief Name of the type of that index; a TypeError is thrown if there is none. */
  static std::string TypeIndex2Key(int32_t type_index) {
    const TVMFFIByteArray& key = InfoOf(type_index)->type_key;
    return std::string(key.data, key.size);
  }

  /*! \brief Number of strong references, at this moment. */
  int32_t use_count() const {
    return static_cast<int32_t>(__atomic_load_n(&header_.combined_ref_count, __ATOMIC_RELAXED) &
                                kStrongMask);
  }

  /*! \brief Whether one strong reference alone holds the object. What other threads did before they
   * let go of theirs is then done. */
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
    // Nobody else can add a reference to an object that one strong reference alone holds, and what
    // others did to it came before: so its end needs no atomic subtraction.
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

  // What the others did to the object before they let go of it comes before what follows. A load
  // and no fence, because ThreadSanitizer does not know fences.
  void SeeOtherThreads() {
    static_cast<void>(__atomic_load_n(&header_.combined_ref_count, __ATOMIC_ACQUIRE));
  }

  // Runs once, when the last strong reference is gone while there were others a moment ago.
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
  /*! \brief Shares the object. */
  ObjectPtr(const ObjectPtr& other) : ObjectPtr(other.data_) {}
  /*! \brief Takes the object over. */
  ObjectPtr(ObjectPtr&& other) noexcept : data_(other.data_) { other.data_ = nullptr; }
  /*! \brief Shares an object of a derived type. */
  template <typename U, typename = std::enable_if_t<std::is_base_of<T, U>::value>>
  ObjectPtr(const ObjectPtr<U>& other) : ObjectPtr(other.data_) {}  // NOLINT(runtime/explicit)
  /*! \brief Takes an object of a derived type over. */
  template <typename U, typename = std::enable_if_t<std::is_base_of<T, U>::value>>
  ObjectPtr(ObjectPtr<U>&& other) noexcept : data_(other.data_) {  // NOLINT(runtime/explicit)
    other.data_ = nullptr;
  }
  ~ObjectPtr() { reset(); }

  /*! \brief Shares or takes over the other's object. */
  ObjectPtr& operator=(ObjectPtr other) noexcept {
    std::swap(data_, other.data_);
    return *this;
  }

  /*! \brief Exchanges the objects. */
  void swap(ObjectPtr& other) noexcept { std::swap(data_, other.data_); }
  /*! \brief Drops the reference. */
  void reset() {
    // Null first: the object's end may come back to this pointer.
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

/*! \brief Pointer to an object that does not keep its contents alive. */
template <typename T>
class WeakObjectPtr {
 public:
  WeakObjectPtr() = default;
  /*! \brief Watches nothing. */
  WeakObjectPtr(std::nullptr_t) {}  // NOLINT(runtime/explicit)
  /*! \brief Watches the object of an owner of a derived type. */
  template <typename U, typename = std::enable_if_t<std::is_base_of<T, U>::value>>
  WeakObjectPtr(const ObjectPtr<U>& other) : WeakObjectPtr(other.data_) {}  // NOLINT
  /*! \brief Watches the same object as one that watches a derived type. */
  template <typename U, typename = std::enable_if_t<std::is_base_of<T, U>::value>>
  WeakObjectPtr(const WeakObjectPtr<U>& other) : WeakObjectPtr(other.data_) {}  // NOLINT
  /*! \brief Watches the object of `other`. */
  WeakObjectPtr(const ObjectPtr<T>& other) : WeakObjectPtr(other.data_) {}  // NOLINT
  /*! \brief Watches the same object. */
  WeakObjectPtr(const WeakObjectPtr& other) : WeakObjectPtr(other.data_) {}
  /*! \brief Takes the watch over. */
  WeakObjectPtr(WeakObjectPtr&& other) noexcept : data_(other.data_) { other.data_ = nullptr; }
  ~WeakObjectPtr() { reset(); }

  /*! \brief Watches the other's object instead. */
  WeakObjectPtr& operator=(WeakObjectPtr other) noexcept {
    std::swap(data_, other.data_);
    return *this;
  }

  /*! \brief Exchanges what is watched. */
  void swap(WeakObjectPtr& other) noexcept { std::swap(data_, other.data_); }
  /*! \brief Number of strong references to the object; 0 if it is gone or there never was one. */
  int32_t use_count() const { return data_ == nullptr ? 0 : data_->use_count(); }
  /*! \brief Stops watching. */
  void reset() {
    if (T* old = std::exchange(data_, nullptr)) static_cast<Object*>(old)->DecWeak();
  }
  /*! \brief An owning pointer, or a null one if the object is gone. */
  ObjectPtr<T> lock() const {
    ObjectPtr<T> strong;
    if (data_ != nullptr && static_cast<Object*>(data_)->TryPromote()) strong.data_ = data_;
    return strong;
  }
  /*! \brief Whether the object is gone, or there never was one. */
  bool expired() const { return use_count() == 0; }

 private:
  explicit WeakObjectPtr(T* data) : data_(data) {
    if (data_ != nullptr) static_cast<Object*>(data_)->IncWeak();
  }

  T* data_{nullptr};

  template <typename>
  friend class WeakObjectPtr;
};

/*! \brief Marks the constructor that makes a null handle even of a class that allows none. */
struct UnsafeInit {};

/*! \brief Base of the handles that users hold: a nullable owner of an object. */
class ObjectRef {
 public:
  /*! \brief Type of the object behind the handle. */
  using ContainerType = Object;
  /*! \brief Whether None converts to a null handle. */
  static constexpr bool _type_is_nullable = true;

  /*! \brief A null handle. */
  ObjectRef() = default;
  /*! \brief A null handle. */
  ObjectRef(std::nullptr_t) {}  // NOLINT(runtime/explicit)
  /*! \brief A null handle; fill it before use. */
  explicit ObjectRef(UnsafeInit) {}
  /*! \brief Owns what `data` owns. */
  explicit ObjectRef(ObjectPtr<Object> data) : data_(std::move(data)) {}

  /*! \brief The object, or NULL. */
  const Object* get() const { return data_.get(); }
  /*! \brief The object, which must not be NULL. */
  const Object* operator->() const { return get(); }
  /*! \brief Whether there is an object. */
  bool defined() const { return data_ != nullptr; }
  /*! \brief Whether both hold the same object. */
  bool same_as(const ObjectRef& other) const { return data_ == other.data_; }
  /*! \brief Whether both hold the same object. */
  bool operator==(const ObjectRef& other) const { return same_as(other); }
  /*! \brief Whether they hold different objects. */
  bool operator!=(const ObjectRef& other) const { return !same_as(other); }
  /*! \brief An order of objects by their addresses, for sorted containers. */
  bool operator<(const ObjectRef& other) const { return get() < other.get(); }
  /*! \brief Whether there is no object. */
  bool operator==(std::nullptr_t) const { return !defined(); }
  /*! \brief Whether there is an object. */
  bool operator!=(std::nullptr_t) const { return defined(); }
  /*! \brief Number of strong references. */
  int32_t use_count() const { return data_.use_count(); }
  /*! \brief Whether this is the only strong reference. */
  bool unique() const { return data_.unique(); }
  /*! \brief Type index of the object, kTVMFFINone if there is none. */
  int32_t type_index() const { return defined() ? data_->type_index() : int32_t{kTVMFFINone}; }
  /*! \brief Name of the object's type, "None" if there is no object. */
  std::string GetTypeKey() const { return defined() ? data_->GetTypeKey() : "None"; }
  /*! \brief The object as a T, derived from Object; NULL if it is none. */
  template <typename T, typename = std::enable_if_t<std::is_base_of<Object, T>::value>>
  const T* as() const {
    return defined() && data_->IsInstance<T>() ? static_cast<const T*>(data_.get()) : nullptr;
  }
  /*! \brief A handle of the class Ref, derived from ObjectRef; nothing if the object is no such. */
  template <typename Ref, std::enable_if_t<std::is_base_of<ObjectRef, Ref>::value, int> = 0>
  std::optional<Ref> as() const;
  /*! \brief A handle of the class Ref; a TypeError is thrown if the object is no such. */
  template <typename Ref, typename = std::enable_if_t<std::is_base_of<ObjectRef, Ref>::value>>
  Ref as_or_throw() const {
    std::optional<Ref> ref = as<Ref>();
    if (!ref.has_value()) {
      detail::ThrowNotInstance(type_index(), Ref::ContainerType::_type_key);
    }
    return *std::move(ref);
  }

 protected:
  /*! \brief The object. */
  ObjectPtr<Object> data_;

  friend struct ObjectUnsafe;
};

/*!
 * \brief Steps between handles of the C ABI and C++ owners, for code at the border.
 *
 * "Owned" functions pass one reference on; "Borrow" ones add a reference of their own.
 */
struct ObjectUnsafe {
  /*! \brief Takes over one reference. */
  template <typename T>
  static ObjectPtr<T> PtrFromOwned(TVMFFIObjectHandle handle) {
    ObjectPtr<T> ptr;
    ptr.data_ = static_cast<T*>(static_cast<Object*>(handle));
    return ptr;
  }
  /*! \brief Adds a reference. */
  template <typename T>
  static ObjectPtr<T> PtrFromBorrowed(const void* handle) {
    return ObjectPtr<T>(static_cast<T*>(static_cast<Object*>(const_cast<void*>(handle))));
  }
  /*! \brief Gives the reference away. */
  template <typename T>
  static TVMFFIObject* MoveToOwned(ObjectPtr<T>&& ptr) {
    Object* object = ptr.data_;
    ptr.data_ = nullptr;
    return reinterpret_cast<TVMFFIObject*>(object);
  }
  /*! \brief Gives the reference away. */
  static TVMFFIObject* MoveToOwned(ObjectRef&& ref) { return MoveToOwned(std::move(ref.data_)); }
  /*! \brief The head of the object, or NULL. */
  static TVMFFIObject* Borrow(const ObjectRef& ref) {
    return reinterpret_cast<TVMFFIObject*>(ref.data_.get());
  }
  /*! \brief A handle of the class Ref that owns what `ptr` owns, a Ref::ContainerType. */
  template <typename Ref>
  static Ref RefFromPtr(ObjectPtr<Object> ptr) {
    return Ref(PtrFromOwned<typename Ref::ContainerType>(MoveToOwned(std::move(ptr))));
  }
  /*! \brief Adds a reference to an object, which must not be NULL. */
  static void IncRef(TVMFFIObject* object) { reinterpret_cast<Object*>(object)->IncRef(); }
  /*! \brief Drops a reference to an object, which must not be NULL. */
  static void DecRef(TVMFFIObject* object) { reinterpret_cast<Object*>(object)->DecRef(); }
  /*! \brief The head of an object that is being made. */
  static TVMFFIObject* Header(Object* object) { return &object->header_; }
};

template <typename Ref, std::enable_if_t<std::is_base_of<ObjectRef, Ref>::value, int>>
std::optional<Ref> ObjectRef::as() const {
  if (as<typename Ref::ContainerType>() == nullptr) return std::nullopt;
  return ObjectUnsafe::RefFromPtr<Ref>(data_);
}

/*! \brief Hashes an object by its address. */
struct ObjectPtrHash {
  /*! \brief The hash of the object of a handle. */
  size_t operator()(const ObjectRef& ref) const { return Hash(ref.get()); }
  /*! \brief The hash of the object of an owner. */
  template <typename T>
  size_t operator()(const ObjectPtr<T>& ptr) const {
    return Hash(ptr.get());
  }

 private:
  // Objects are aligned to 16 bytes: the low bits tell nothing.
  static size_t Hash(const Object* object) { return reinterpret_cast<size_t>(object) >> 4; }
};

/*! \brief Compares objects by their addresses. */
struct ObjectPtrEqual {
  /*! \brief Whether both hold the same object. */
  bool operator()(const ObjectRef& a, const ObjectRef& b) const { return a.same_as(b); }
  /*! \brief Whether both own the same object. */
  template <typename T>
  bool operator()(const ObjectPtr<T>& a, const ObjectPtr<T>& b) const {
    return a == b;
  }
};

namespace detail {

// Destroys and frees an object that make_object made.
template <typename T>
void DeleteObject(void* self, int flags) {
  T* object = static_cast<T*>(static_cast<Object*>(self));
  if ((flags & kTVMFFIObjectDeleterFlagBitMaskStrong) != 0) object->T::~T();
  if ((flags & kTVMFFIObjectDeleterFlagBitMaskWeak) != 0) FreeObjectMemory(self);
}

// `tail` bytes are added behind the object, for contents that stand in place.
template <typename T, typename... Args>
ObjectPtr<T> MakeObjectWithTail(size_t tail, Args&&... args) {
  const int32_t type_index = T::RuntimeTypeIndex();
  void* memory = AllocateObjectMemory<alignof(T)>(sizeof(T) + tail, type_index);
  T* object = nullptr;
  try {
    object = new (memory) T(std::forward<Args>(args)...);
  } catch (...) {
    FreeObjectMemory(memory);
    throw;
  }
  TVMFFIObject* header = ObjectUnsafe::Header(object);
  header->combined_ref_count = (uint64_t{1} << 32) | 1;
  header->type_index = type_index;
  header->deleter = DeleteObject<T>;
  return ObjectUnsafe::PtrFromOwned<T>(static_cast<Object*>(object));
}

}  // namespace detail

/*! \brief Makes an object; its first owner is returned. */
template <typename T, typename... Args>
ObjectPtr<T> make_object(Args&&... args) {
  static_assert(std::is_base_of<Object, T>::value, "make_object makes types derived from Object");
  return detail::MakeObjectWithTail<T>(0, std::forward<Args>(args)...);
}

/*!
 * \brief Makes an object with room for an array behind it.
 * \tparam ArrayType The object. The array starts at its end, at `object + 1`.
 * \tparam ElementType Type of the elements, which the constructor of ArrayType makes.
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

/*! \brief An owner of an object that is owned elsewhere too. */
template <typename T>
ObjectPtr<T> GetObjectPtr(T* object) {
  return ObjectUnsafe::PtrFromBorrowed<T>(static_cast<const Object*>(object));
}

/*! \brief A handle of the class Ref on an object that is owned elsewhere too. */
template <typename Ref, typename T>
Ref GetRef(const T* object) {
  return ObjectUnsafe::RefFromPtr<Ref>(
      ObjectUnsafe::PtrFromBorrowed<Object>(static_cast<const Object*>(object)));
}

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_OBJECT_H_
