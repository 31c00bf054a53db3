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
 * caller passes `RValueRef<T>(std::move(handle))`; a callee with a parameter of type `RValueRef<T>`
 * takes the handle by `*std::move(parameter)` and then owns the object alone, if the caller did.
 * A parameter of type Any takes the handle too; any other refuses it.
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
    if (any->type_index != kTVMFFIObjectRValueRef) {
      std::optional<T> shared = TypeTraits<T>::TryCastFromAnyView(any);
      if (!shared.has_value()) return std::nullopt;
      return RValueRef<T>(*std::move(shared));
    }
    auto* handle = static_cast<TVMFFIObject**>(any->v_ptr);
    TVMFFIAny held{};
    if (*handle != nullptr) {
      held.type_index = (*handle)->type_index;
      held.v_obj = *handle;
    }
    if (TypeTraits<T>::CheckAnyStrict(&held)) {
      *handle = nullptr;
      return RValueRef<T>(
          ObjectUnsafe::RefFromPtr<T>(ObjectUnsafe::PtrFromOwned<Object>(held.v_obj)));
    }
    std::optional<T> converted = TypeTraits<T>::TryCastFromAnyView(&held);
    if (!converted.has_value()) return std::nullopt;
    return RValueRef<T>(*std::move(converted));
  }
  static std::string TypeStr() { return TypeTraits<T>::TypeStr(); }
  static std::string TypeSchema() { return detail::SchemaText<T>("ObjectRValueRef"); }
};

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_RVALUE_REF_H_
