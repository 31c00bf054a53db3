// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/rvalue_ref.h
 * \brief An argument that the callee may move from.
 */
#ifndef TVM_FFI_RVALUE_REF_H_
#define TVM_FFI_RVALUE_REF_H_

#include <tvm/ffi/type_traits.h>

#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

/*!
 * \brief A handle that is handed over for good.
 *
 * A plain argument stays with the caller, so that the callee never has the only reference. The
 * caller makes an RValueRef of a handle that it moves. A callee with a parameter of type RValueRef
 * moves the handle out by `*`, and then owns the object alone if the caller did. A parameter of
 * type Any takes the handle too; any other refuses it.
 * \tparam T A handle class, derived from ObjectRef.
 */
template <typename T, typename = std::enable_if_t<std::is_base_of<ObjectRef, T>::value>>
class RValueRef {
 public:
  /*! \brief Takes the handle over. */
  explicit RValueRef(T&& handle) : handle_(std::move(handle)) {}
  /*! \brief Takes the other's handle over. */
  RValueRef(RValueRef&&) = default;
  /*! \brief Takes the other's handle over. */
  RValueRef& operator=(RValueRef&&) = default;

  /*! \brief The handle; a null one stays behind. */
  T operator*() && { return std::move(handle_); }

 private:
  // Changed by a call that moves the object out of a const argument.
  mutable T handle_;

  friend struct TypeTraits<RValueRef>;
};

template <typename T>
struct TypeTraits<RValueRef<T>> : public detail::TypeTraitsBase {
  static void CopyToAnyView(const RValueRef<T>& value, TVMFFIAny* out) {
    static_assert(sizeof(T) == sizeof(TVMFFIObjectHandle), "a handle is one pointer");
    Set(out, kTVMFFIObjectRValueRef);
    out->v_ptr = &value.handle_;
  }
  static std::optional<RValueRef<T>> TryCastFromAnyView(const TVMFFIAny* any) {
    TVMFFIObject** given = nullptr;  // the caller's handle
    TVMFFIAny value = *any;
    if (any->type_index == kTVMFFIObjectRValueRef) {
      if (any->v_ptr == nullptr) return std::nullopt;
      given = static_cast<TVMFFIObject**>(any->v_ptr);
      value.type_index = *given == nullptr ? int32_t{kTVMFFINone} : (*given)->type_index;
      value.v_obj = *given;
    }
    std::optional<T> taken = TypeTraits<T>::TryCastFromAnyView(&value);
    if (!taken.has_value()) return std::nullopt;
    if (given != nullptr) ObjectUnsafe::PtrFromOwned<Object>(std::exchange(*given, nullptr));
    return std::optional<RValueRef<T>>(std::in_place, *std::move(taken));
  }
  static std::string TypeStr() { return TypeTraits<T>::TypeStr(); }
  static std::string TypeSchema() { return detail::SchemaText<T>("ObjectRValueRef"); }
};

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_RVALUE_REF_H_
