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
 * \brief A handle whose ownership passes to the callee.
 *
 * The caller keeps its reference to a plain argument, so the callee never has the only one. To
 * transfer the reference, the caller moves a handle into an RValueRef. A callee with a parameter of
 * type RValueRef moves the handle out with `*` and is then the only owner if the caller was. A
 * parameter of type Any also accepts the handle; any other rejects it.
 * \tparam T A handle class, derived from ObjectRef.
 */
template <typename T, typename = std::enable_if_t<std::is_base_of<ObjectRef, T>::value>>
class RValueRef {
 public:
  /*! \brief Takes over the handle. */
  explicit RValueRef(T&& handle) : handle_(std::move(handle)) {}
  /*! \brief Takes over the other's handle. */
  RValueRef(RValueRef&&) = default;
  /*! \brief Takes over the other's handle. */
  RValueRef& operator=(RValueRef&&) = default;

  /*! \brief Moves the handle out, leaving a null one. */
  T operator*() && { return std::move(handle_); }

 private:
  // Modified by a call that moves the object out of a const argument.
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
