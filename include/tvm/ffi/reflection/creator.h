// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/reflection/creator.h
 * \brief Creates objects of a registered type from the values of its fields.
 */
#ifndef TVM_FFI_REFLECTION_CREATOR_H_
#define TVM_FFI_REFLECTION_CREATOR_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/accessor.h>
#include <tvm/ffi/string.h>

#include <string_view>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

namespace reflection {
namespace detail {

// The function that a type registered as "__ffi_new__", or None.
inline AnyView NewFunctionOf(const TVMFFITypeInfo* type_info) {
  constexpr TVMFFIByteArray kName{"__ffi_new__", 11};
  const TVMFFITypeAttrColumn* column = TVMFFIGetTypeAttrColumn(&kName);
  if (column == nullptr) return AnyView();
  const int32_t i = type_info->type_index - column->begin_index;
  if (i < 0 || i >= column->size) return AnyView();
  return AnyView::CopyFromTVMFFIAny(column->data[i]);
}

inline bool HasNativeCreator(const TVMFFITypeInfo* type_info) {
  return type_info->metadata != nullptr && type_info->metadata->creator != nullptr;
}

}  // namespace detail
}  // namespace reflection

/*! \brief Whether objects of the registered type can be created without arguments. */
inline bool HasCreator(const TVMFFITypeInfo* type_info) {
  return reflection::detail::HasNativeCreator(type_info) ||
         reflection::detail::NewFunctionOf(type_info) != nullptr;
}

/*!
 * \brief Creates an object with the field values of its default constructor.
 * \param type_info The type.
 * \return The object.
 * \throws Error A RuntimeError if HasCreator is false; whatever the constructor throws.
 */
inline ObjectPtr<Object> CreateEmptyObject(const TVMFFITypeInfo* type_info) {
  if (reflection::detail::HasNativeCreator(type_info)) {
    TVMFFIObjectHandle made = nullptr;
    TVM_FFI_CHECK_SAFE_CALL(type_info->metadata->creator(&made));
    return ObjectUnsafe::PtrFromOwned<Object>(made);
  }
  const AnyView make = reflection::detail::NewFunctionOf(type_info);
  TVM_FFI_CHECK(make != nullptr, RuntimeError)
      << "CreateEmptyObject: expected a type whose objects can be made without arguments, got "
      << reflection::detail::TextOf(type_info->type_key);
  Any made = make.cast<Function>()();
  return GetObjectPtr(const_cast<Object*>(made.cast<ObjectRef>().get()));
}

namespace reflection {

/*! \brief Creates objects of a type: `ObjectCreator("my_library.Point")({{"x", 1}})`. */
class ObjectCreator {
 public:
  /*! \brief Looks up the type by its key; throws an error if there is none. */
  explicit ObjectCreator(std::string_view type_key) : ObjectCreator(detail::TypeInfoOf(type_key)) {}
  /*! \brief Uses the given type; throws a RuntimeError if HasCreator is false. */
  explicit ObjectCreator(const TVMFFITypeInfo* type_info) : type_info_(type_info) {
    TVM_FFI_CHECK(HasCreator(type_info), RuntimeError)
        << "ObjectCreator: expected a type whose objects can be made without arguments, got "
        << detail::TextOf(type_info->type_key);
  }

  /*!
   * \brief Creates an object.
   * \param fields Field values by name, including fields of ancestors. An omitted field gets its
   *        default.
   * \return The object.
   * \throws Error A TypeError for a field without a value or a default, for a name that is not a
   *         field, and for a value that does not convert to the field's type.
   */
  Any operator()(const Map<String, Any>& fields) const {
    const ObjectPtr<Object> object = CreateEmptyObject(type_info_);
    size_t given = 0;
    ForEachFieldInfo(type_info_, [&](const TVMFFIFieldInfo* info) {
      const std::string_view name = detail::TextOf(info->name);
      const auto pair = fields.find(String(name));
      if (pair != fields.end()) ++given;
      const Any value = pair != fields.end() ? Any((*pair).second) : DefaultOf(info);
      const detail::FieldOfType field(info);
      field.Set(object.get(), value, [&] { return field.Name(type_info_); });
    });
    if (given != fields.size()) ThrowUnknown(fields);
    return ObjectRef(object);
  }

 private:
  Any DefaultOf(const TVMFFIFieldInfo* info) const {
    TVM_FFI_CHECK((info->flags & kTVMFFIFieldFlagBitMaskHasDefault) != 0, TypeError)
        << "ObjectCreator: " << detail::TextOf(type_info_->type_key)
        << ": expected a value for the field \"" << detail::TextOf(info->name)
        << "\", which has no default";
    const AnyView value = AnyView::CopyFromTVMFFIAny(info->default_value_or_factory);
    if ((info->flags & kTVMFFIFieldFlagBitMaskDefaultFromFactory) == 0) return value;
    return value.cast<Function>()();
  }

  [[noreturn]] TVM_FFI_COLD void ThrowUnknown(const Map<String, Any>& fields) const {
    Message names;
    for (const auto& [name, value] : fields) {
      const bool known =
          ForEachFieldInfoWithEarlyStop(type_info_, [&name = name](const TVMFFIFieldInfo* info) {
            return detail::TextOf(info->name) == std::string_view(name);
          });
      if (!known) names << (names.size() == 0 ? "\"" : ", \"") << name << "\"";
    }
    TVM_FFI_THROW(TypeError) << "ObjectCreator: " << detail::TextOf(type_info_->type_key)
                             << ": expected names of fields, got " << names.take();
  }

  const TVMFFITypeInfo* type_info_;
};

}  // namespace reflection
}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_REFLECTION_CREATOR_H_
