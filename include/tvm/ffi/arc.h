// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/arc.h
 * \brief Owning pointers that are never null.
 */
#ifndef TVM_FFI_ARC_H_
#define TVM_FFI_ARC_H_

#include <tvm/ffi/make_object.h>
#include <tvm/ffi/object_ptr.h>
#include <tvm/ffi/object_ref.h>
#include <tvm/ffi/optional_in_place.h>
#include <tvm/ffi/type_traits.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

/*!
 * \brief An ObjectPtr that is never null unless moved from or reset.
 *
 * A function with a parameter of this type rejects None with a TypeError. make_arc creates one;
 * Optional<Arc<T>> may be empty and has the size of a pointer.
 */
template <typename T>
class Arc : public ObjectPtr<T> {
 public:
  Arc() = delete;
  Arc(std::nullptr_t) = delete;
  /*! \brief Shares the object. */
  Arc(const Arc&) = default;
  /*! \brief Takes over the object, leaving the other null. */
  Arc(Arc&&) noexcept = default;
  /*! \brief Shares an object of a derived type. */
  template <typename U, typename = std::enable_if_t<std::is_base_of<T, U>::value>>
  Arc(const Arc<U>& other) : ObjectPtr<T>(other) {}  // NOLINT(runtime/explicit)
  /*! \brief Takes over an object of a derived type. */
  template <typename U, typename = std::enable_if_t<std::is_base_of<T, U>::value>>
  Arc(Arc<U>&& other) noexcept  // NOLINT(runtime/explicit)
      : ObjectPtr<T>(static_cast<ObjectPtr<U>&&>(other)) {}
  /*! \brief Null; assign an object before use. */
  explicit Arc(UnsafeInit) : ObjectPtr<T>(nullptr) {}

  /*! \brief Shares the other's object. */
  Arc& operator=(const Arc&) = default;
  /*! \brief Takes over the other's object. */
  Arc& operator=(Arc&&) noexcept = default;

 private:
  explicit Arc(ObjectPtr<T> ptr) : ObjectPtr<T>(std::move(ptr)) {}

  template <typename U, typename... Args>
  friend Arc<U> make_arc(Args&&... args);
  friend struct TypeTraits<Arc<T>>;
};

/*! \brief Creates an object and returns its first owner. */
template <typename T, typename... Args>
Arc<T> make_arc(Args&&... args) {
  return Arc<T>(make_object<T>(std::forward<Args>(args)...));
}

namespace detail {

// An Optional of it has the memory layout of a pointer.
template <typename T>
constexpr bool kIsBareHandle<Arc<T>> = true;

}  // namespace detail

template <typename T>
struct TypeTraits<Arc<T>> : public detail::TypeTraitsBase {
  static constexpr int32_t field_static_type_index = kTVMFFIObject;
  static void CopyToAnyView(const Arc<T>& value, TVMFFIAny* out) {
    TypeTraits<ObjectPtr<T>>::CopyToAnyView(value, out);
  }
  static void MoveToAny(Arc<T> value, TVMFFIAny* out) {
    TypeTraits<ObjectPtr<T>>::MoveToAny(std::move(value), out);
  }
  static bool CheckAnyStrict(const TVMFFIAny* any) { return TypeTraits<T*>::CheckAnyStrict(any); }
  static Arc<T> CopyFromAnyViewAfterCheck(const TVMFFIAny* any) {
    return Arc<T>(ObjectUnsafe::PtrFromBorrowed<T>(any->v_obj));
  }
  static Arc<T> MoveFromAnyAfterCheck(TVMFFIAny* any) {
    return Arc<T>(TypeTraits<ObjectPtr<T>>::MoveFromAnyAfterCheck(any));
  }
  static std::optional<Arc<T>> TryCastFromAnyView(const TVMFFIAny* any) {
    if (CheckAnyStrict(any)) return CopyFromAnyViewAfterCheck(any);
    return std::nullopt;
  }
  static std::string TypeStr() { return TypeTraits<T*>::TypeStr(); }
  static std::string TypeSchema() { return TypeTraits<T*>::TypeSchema(); }
};

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_ARC_H_
