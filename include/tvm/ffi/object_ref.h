// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/object_ref.h
 * \brief The handles that users hold, and conversions between them and the C ABI.
 */
#ifndef TVM_FFI_OBJECT_REF_H_
#define TVM_FFI_OBJECT_REF_H_

#include <tvm/ffi/c_api.h>
#include <tvm/ffi/object_ptr.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

/*! \brief Selects the constructor that makes a null handle even for a non-nullable class. */
struct UnsafeInit {};

/*! \brief Base of the handles that users hold: a nullable owner of an object. */
class ObjectRef {
 public:
  /*! \brief Type of the handle's object. */
  using ContainerType = Object;
  /*! \brief Whether None converts to a null handle. */
  static constexpr bool _type_is_nullable = true;

  /*! \brief A null handle. */
  ObjectRef() = default;
  /*! \brief A null handle. */
  ObjectRef(std::nullptr_t) {}  // NOLINT(runtime/explicit)
  /*! \brief A null handle; fill it before use. */
  explicit ObjectRef(UnsafeInit) {}
  /*! \brief Takes over the object of `data`. */
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
  /*! \brief Orders objects by address, for sorted containers. */
  bool operator<(const ObjectRef& other) const { return get() < other.get(); }
  /*! \brief Whether there is no object. */
  bool operator==(std::nullptr_t) const { return !defined(); }
  /*! \brief Whether there is an object. */
  bool operator!=(std::nullptr_t) const { return defined(); }
  /*! \brief Number of strong references; 0 for a null handle. */
  int32_t use_count() const { return data_.use_count(); }
  /*! \brief Whether this is the only strong reference. */
  bool unique() const { return data_.unique(); }
  /*! \brief Type index of the object, or kTVMFFINone if there is none. */
  int32_t type_index() const { return defined() ? data_->type_index() : int32_t{kTVMFFINone}; }
  /*! \brief Name of the object's type, or "None" if there is no object. */
  std::string GetTypeKey() const { return defined() ? data_->GetTypeKey() : "None"; }
  /*! \brief The object as a T, a class derived from Object; NULL if it is not a T. */
  template <typename T, typename = std::enable_if_t<std::is_base_of<Object, T>::value>>
  const T* as() const {
    return defined() && data_->IsInstance<T>() ? static_cast<const T*>(data_.get()) : nullptr;
  }
  /*! \brief A handle of class Ref, derived from ObjectRef; std::nullopt if the type differs. */
  template <typename Ref, std::enable_if_t<std::is_base_of<ObjectRef, Ref>::value, int> = 0>
  std::optional<Ref> as() const;
  /*! \brief A handle of class Ref; throws a TypeError if the object is of another type. */
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
 * \brief Conversions between C ABI handles and C++ owners, for code at the language boundary.
 *
 * "Owned" functions transfer one reference; PtrFromBorrowed adds one, and Borrow adds none.
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
  /*! \brief Releases the reference to the caller. */
  template <typename T>
  static TVMFFIObject* MoveToOwned(ObjectPtr<T>&& ptr) {
    Object* object = ptr.data_;
    ptr.data_ = nullptr;
    return reinterpret_cast<TVMFFIObject*>(object);
  }
  /*! \brief Releases the reference to the caller. */
  static TVMFFIObject* MoveToOwned(ObjectRef&& ref) { return MoveToOwned(std::move(ref.data_)); }
  /*! \brief The header of the object, or NULL. */
  static TVMFFIObject* Borrow(const ObjectRef& ref) {
    return reinterpret_cast<TVMFFIObject*>(ref.data_.get());
  }
  /*! \brief A handle of class Ref that takes over the object of `ptr`, a Ref::ContainerType. */
  template <typename Ref>
  static Ref RefFromPtr(ObjectPtr<Object> ptr) {
    return Ref(PtrFromOwned<typename Ref::ContainerType>(MoveToOwned(std::move(ptr))));
  }
  /*! \brief Adds a reference to an object, which must not be NULL. */
  static void IncRef(TVMFFIObject* object) { reinterpret_cast<Object*>(object)->IncRef(); }
  /*! \brief Drops a reference to an object, which must not be NULL. */
  static void DecRef(TVMFFIObject* object) { reinterpret_cast<Object*>(object)->DecRef(); }
  /*! \brief The header of an object under construction. */
  static TVMFFIObject* Header(Object* object) { return &object->header_; }
};

template <typename Ref, std::enable_if_t<std::is_base_of<ObjectRef, Ref>::value, int>>
std::optional<Ref> ObjectRef::as() const {
  if (as<typename Ref::ContainerType>() == nullptr) return std::nullopt;
  return ObjectUnsafe::RefFromPtr<Ref>(data_);
}

template <typename... Types>
class Variant;

/*! \brief Hashes an object by its address. */
struct ObjectPtrHash {
  /*! \brief The hash of a handle's object. */
  size_t operator()(const ObjectRef& ref) const { return Hash(ref.get()); }
  /*! \brief The hash of an owner's object. */
  template <typename T>
  size_t operator()(const ObjectPtr<T>& ptr) const {
    return Hash(ptr.get());
  }
  /*! \brief The hash of the object of a Variant of handles. */
  template <typename... Types>
  size_t operator()(const Variant<Types...>& value) const {
    static_assert(std::conjunction<std::is_base_of<ObjectRef, Types>...>::value,
                  "expected a Variant of handles");
    return value.value_.type_index() == kTVMFFINone
               ? 0
               : Hash(static_cast<const Object*>(
                     static_cast<const void*>(value.value_.CopyToTVMFFIAny().v_obj)));
  }

 private:
  // Objects are aligned to 16 bytes: the low bits carry no information.
  static size_t Hash(const Object* object) { return reinterpret_cast<size_t>(object) >> 4; }
};

/*! \brief Compares objects by address. */
struct ObjectPtrEqual {
  /*! \brief Whether both hold the same object. */
  bool operator()(const ObjectRef& a, const ObjectRef& b) const { return a.same_as(b); }
  /*! \brief Whether both own the same object. */
  template <typename T>
  bool operator()(const ObjectPtr<T>& a, const ObjectPtr<T>& b) const {
    return a == b;
  }
  /*! \brief Whether both hold the same object. */
  template <typename... Types>
  bool operator()(const Variant<Types...>& a, const Variant<Types...>& b) const {
    return a.same_as(b);
  }
};

/*! \brief Name of the type with this index; throws a TypeError if there is none. */
inline std::string TypeIndexToTypeKey(int32_t type_index) {
  const TVMFFITypeInfo* info = TVMFFIGetTypeInfo(type_index);
  if (info == nullptr) detail::ThrowRaised(-1);
  return std::string(info->type_key.data, info->type_key.size);
}

/*! \brief Index of the type with this name; throws a TypeError if there is none. */
inline int32_t TypeKeyToIndex(std::string_view type_key) {
  const TVMFFIByteArray key{type_key.data(), type_key.size()};
  int32_t type_index = -1;
  if (const int code = TVMFFITypeKeyToIndex(&key, &type_index)) detail::ThrowRaised(code);
  return type_index;
}

/*! \brief An additional owner of an object that is already owned. */
template <typename T>
ObjectPtr<T> GetObjectPtr(T* object) {
  return ObjectUnsafe::PtrFromBorrowed<T>(static_cast<const Object*>(object));
}

/*!
 * \brief A handle of class Ref for an object that is already owned.
 * \throws Error A TypeError if `object` is NULL and the handle class is not nullable.
 */
template <typename Ref, typename T>
Ref GetRef(const T* object) {
  if (!Ref::_type_is_nullable && object == nullptr) {
    detail::ThrowNotInstance(kTVMFFINone, Ref::ContainerType::_type_key);
  }
  return ObjectUnsafe::RefFromPtr<Ref>(
      ObjectUnsafe::PtrFromBorrowed<Object>(static_cast<const Object*>(object)));
}

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_OBJECT_REF_H_
