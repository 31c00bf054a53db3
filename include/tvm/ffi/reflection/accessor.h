// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/reflection/accessor.h
 * \brief Looks up fields, methods and attributes of types by name, wherever they were registered.
 */
#ifndef TVM_FFI_REFLECTION_ACCESSOR_H_
#define TVM_FFI_REFLECTION_ACCESSOR_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/attr_key.h>
#include <tvm/ffi/string.h>

#include <string>
#include <string_view>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {
namespace reflection {

namespace detail {

inline const TVMFFITypeInfo* TypeInfoOf(std::string_view type_key) {
  const TVMFFITypeInfo* info = TVMFFIGetTypeInfo(TypeKeyToIndex(type_key));
  if (info == nullptr) ffi::detail::ThrowRaised(-1);
  return info;
}

inline std::string_view TextOf(const TVMFFIByteArray& bytes) { return {bytes.data, bytes.size}; }

}  // namespace detail

/*!
 * \brief Visits the fields of a type, ancestors' fields first, until `visit` returns true.
 * \param type_info The type.
 * \param visit `bool(const TVMFFIFieldInfo*)`.
 * \return Whether `visit` returned true.
 */
template <typename Visit>
bool ForEachFieldInfoWithEarlyStop(const TVMFFITypeInfo* type_info, Visit visit) {
  for (int32_t level = 1; level <= type_info->type_depth; ++level) {
    const TVMFFITypeInfo* info =
        level < type_info->type_depth ? type_info->type_ancestors[level] : type_info;
    for (int32_t i = 0; i < info->num_fields; ++i) {
      if (visit(info->fields + i)) return true;
    }
  }
  return false;
}

/*!
 * \brief Visits the fields of a type, ancestors' fields first.
 * \param type_info The type.
 * \param visit `void(const TVMFFIFieldInfo*)`.
 */
template <typename Visit>
void ForEachFieldInfo(const TVMFFITypeInfo* type_info, Visit visit) {
  ForEachFieldInfoWithEarlyStop(type_info, [&visit](const TVMFFIFieldInfo* field) {
    visit(field);
    return false;
  });
}

/*! \brief Finds a field of the type or an ancestor; throws a RuntimeError if there is none. */
inline const TVMFFIFieldInfo* GetFieldInfo(const TVMFFITypeInfo* type_info,
                                           std::string_view field_name) {
  const TVMFFIFieldInfo* found = nullptr;
  ForEachFieldInfo(type_info, [&](const TVMFFIFieldInfo* field) {
    if (detail::TextOf(field->name) == field_name) found = field;
  });
  TVM_FFI_CHECK(found != nullptr, RuntimeError)
      << "GetFieldInfo: " << detail::TextOf(type_info->type_key)
      << ": expected the name of a field, got \"" << field_name << "\"";
  return found;
}
/*! \brief Finds a field by the type key and the field's name. */
inline const TVMFFIFieldInfo* GetFieldInfo(std::string_view type_key, std::string_view field_name) {
  return GetFieldInfo(detail::TypeInfoOf(type_key), field_name);
}

/*! \brief Finds a method of the type itself; throws a RuntimeError if there is none. */
inline const TVMFFIMethodInfo* GetMethodInfo(std::string_view type_key,
                                             std::string_view method_name) {
  const TVMFFITypeInfo* info = detail::TypeInfoOf(type_key);
  for (int32_t i = 0; i < info->num_methods; ++i) {
    if (detail::TextOf(info->methods[i].name) == method_name) return info->methods + i;
  }
  TVM_FFI_THROW(RuntimeError) << "GetMethodInfo: " << type_key
                              << ": expected the name of a method, got \"" << method_name << "\"";
}

/*! \brief Returns a method as a function, which takes the object first unless it is static. */
inline Function GetMethod(std::string_view type_key, std::string_view method_name) {
  const TVMFFIMethodInfo* info = GetMethodInfo(type_key, method_name);
  return AnyView::CopyFromTVMFFIAny(info->method).cast<Function>();
}

/*! \brief Returns a byte array that borrows the text. */
constexpr TVMFFIByteArray AsByteArray(const char* text) {
  return {text, std::string_view(text).size()};
}

/*!
 * \brief Sets a field of an object, even if it is read-only.
 * \param field_info The field.
 * \param field_addr The field's address in the object: `field_info->offset` bytes from its start.
 * \param value The value, which must convert to the field's type.
 * \return 0, or -1 with the error raised, like a function of the C ABI.
 */
inline int CallFieldSetter(const TVMFFIFieldInfo* field_info, void* field_addr,
                           const TVMFFIAny* value) {
  TVM_FFI_SAFE_CALL_BEGIN();
  TVM_FFI_CHECK(field_info->setter != nullptr, TypeError)
      << "expected a field that can be set, got one without a setter";
  if ((field_info->flags & kTVMFFIFieldFlagBitSetterIsFunctionObj) != 0) {
    Function(ObjectUnsafe::PtrFromBorrowed<FunctionObj>(field_info->setter))(
        field_addr, AnyView::CopyFromTVMFFIAny(*value));
    return 0;
  }
  return reinterpret_cast<TVMFFIFieldSetter>(field_info->setter)(field_addr, value);
  TVM_FFI_SAFE_CALL_END();
}

/*!
 * \brief Sets a field to its default; throws a TypeError if it has none.
 * \param field_info The field.
 * \param field_addr The field's address in the object: `field_info->offset` bytes from its start.
 */
inline void SetFieldToDefault(const TVMFFIFieldInfo* field_info, void* field_addr) {
  TVM_FFI_CHECK((field_info->flags & kTVMFFIFieldFlagBitMaskHasDefault) != 0, TypeError)
      << "SetFieldToDefault: expected a field with a default, got \""
      << detail::TextOf(field_info->name) << "\"";
  Any value = AnyView::CopyFromTVMFFIAny(field_info->default_value_or_factory);
  if ((field_info->flags & kTVMFFIFieldFlagBitMaskDefaultFromFactory) != 0) {
    value = value.cast<Function>()();
  }
  const TVMFFIAny any = AnyView(value).CopyToTVMFFIAny();
  TVM_FFI_CHECK_SAFE_CALL(CallFieldSetter(field_info, field_addr, &any));
}
/*! \brief Like SetFieldToDefault, but for the C ABI: returns 0, or -1 with the error raised. */
inline int CallFieldSetterToDefault(const TVMFFIFieldInfo* field_info, void* field_addr) {
  TVM_FFI_SAFE_CALL_BEGIN();
  SetFieldToDefault(field_info, field_addr);
  TVM_FFI_SAFE_CALL_END();
}

namespace detail {

inline bool IsSameField(const TVMFFIFieldInfo& a, const TVMFFIFieldInfo& b) {
  return a.offset == b.offset && a.getter == b.getter && a.setter == b.setter &&
         TextOf(a.name) == TextOf(b.name);
}

// The type that registered the field: `info` or an ancestor; NULL if none did.
inline const TVMFFITypeInfo* OwnerOf(const TVMFFITypeInfo* info, const TVMFFIFieldInfo* field) {
  for (int32_t level = info->type_depth; level >= 1; --level) {
    const TVMFFITypeInfo* type = level < info->type_depth ? info->type_ancestors[level] : info;
    for (int32_t i = 0; i < type->num_fields; ++i) {
      // A description may be a copy, because the field table moves when it grows.
      if (type->fields + i == field || IsSameField(type->fields[i], *field)) return type;
    }
  }
  return nullptr;
}

inline bool IsA(const TVMFFITypeInfo* info, const TVMFFITypeInfo* type) {
  if (info->type_depth <= type->type_depth) return info->type_index == type->type_index;
  return info->type_ancestors[type->type_depth]->type_index == type->type_index;
}

// A field and, if known, the type that registered it.
struct FieldOfType {
  const TVMFFIFieldInfo* field;
  const TVMFFITypeInfo* type = nullptr;

  explicit FieldOfType(const TVMFFIFieldInfo* field) : field(field) {}
  FieldOfType(std::string_view type_key, std::string_view field_name) {
    const TVMFFITypeInfo* info = TypeInfoOf(type_key);
    field = GetFieldInfo(info, field_name);
    type = OwnerOf(info, field);
  }

  std::string Name(const TVMFFITypeInfo* owner) const {
    std::string name;
    if (owner != nullptr) (name += TextOf(owner->type_key)) += '.';
    return name += TextOf(field->name);
  }

  // The type that registered the field; throws a TypeError if the object lacks the field.
  const TVMFFITypeInfo* Require(const Object* object) const {
    TVMFFIAny got{};
    if (object != nullptr) {
      const TVMFFITypeInfo* info = TVMFFIGetTypeInfo(object->type_index());
      if (info == nullptr) ffi::detail::ThrowRaised(-1);
      if (type == nullptr) {
        if (const TVMFFITypeInfo* owner = OwnerOf(info, field)) return owner;
      } else if (IsA(info, type)) {
        return type;
      }
      got.type_index = info->type_index;
    }
    TVM_FFI_THROW(TypeError) << Name(type) << ": expected "
                             << (type != nullptr ? TextOf(type->type_key)
                                                 : std::string_view("an object with that field"))
                             << ", got " << ffi::detail::TypeName(&got);
  }

  // The field's address in the object.
  void* In(const Object* object) const {
    return const_cast<char*>(reinterpret_cast<const char*>(object)) + field->offset;
  }

  // Sets the field of an object that has it; `name()` prefixes the error message.
  template <typename NameOf>
  void Set(const Object* object, AnyView value, NameOf name) const {
    try {
      const TVMFFIAny any = value.CopyToTVMFFIAny();
      TVM_FFI_CHECK_SAFE_CALL(CallFieldSetter(field, In(object), &any));
    } catch (const Error& error) {
      throw Error(error.kind(), name() + ": " + error.message(), &error->backtrace);
    }
  }
};

}  // namespace detail

/*! \brief Reads a field of an object. */
class FieldGetter {
 public:
  /*! \brief Uses the given field. */
  explicit FieldGetter(const TVMFFIFieldInfo* field_info) : field_(field_info) {}
  /*! \brief Looks up the field by name; throws a RuntimeError if there is none. */
  explicit FieldGetter(std::string_view type_key, std::string_view field_name)
      : field_(type_key, field_name) {}

  /*!
   * \brief Returns the field's value.
   * \throws Error A TypeError if the object is null or not of the type that registered the field.
   */
  Any operator()(const Object* object) const {
    field_.Require(object);
    Any result;
    TVM_FFI_CHECK_SAFE_CALL(field_.field->getter(field_.In(object), result.Reset()));
    return result;
  }
  /*! \brief Returns the field's value. */
  Any operator()(const ObjectRef& ref) const { return (*this)(ref.get()); }
  /*! \brief Returns the field's value. */
  template <typename T>
  Any operator()(const ObjectPtr<T>& ptr) const {
    return (*this)(static_cast<const Object*>(ptr.get()));
  }

 private:
  detail::FieldOfType field_;
};

/*! \brief Writes a field of an object. */
class FieldSetter {
 public:
  /*! \brief Uses the given field. */
  explicit FieldSetter(const TVMFFIFieldInfo* field_info) : field_(field_info) {}
  /*! \brief Looks up the field by name; throws a RuntimeError if there is none. */
  explicit FieldSetter(std::string_view type_key, std::string_view field_name)
      : field_(type_key, field_name) {}

  /*!
   * \brief Sets the field.
   * \throws Error A TypeError if the object is null or not of the type that registered the field;
   *         if the field is read-only; and if the value does not convert to the field's type.
   */
  void operator()(const Object* object, AnyView value) const {
    const TVMFFITypeInfo* type = field_.Require(object);
    TVM_FFI_CHECK((field_.field->flags & kTVMFFIFieldFlagBitMaskWritable) != 0, TypeError)
        << field_.Name(type) << ": expected a writable field, got a read-only one";
    field_.Set(object, value, [&] { return field_.Name(type); });
  }
  /*! \brief Sets the field. */
  void operator()(const ObjectRef& ref, AnyView value) const { (*this)(ref.get(), value); }
  /*! \brief Sets the field. */
  template <typename T>
  void operator()(const ObjectPtr<T>& ptr, AnyView value) const {
    (*this)(static_cast<const Object*>(ptr.get()), value);
  }

 private:
  detail::FieldOfType field_;
};

/*! \brief Creates the column of an attribute, so that a TypeAttrColumn can be constructed. */
inline void EnsureTypeAttrColumn(std::string_view name) {
  const TVMFFIByteArray bytes{name.data(), name.size()};
  const TVMFFIAny none{};
  TVM_FFI_CHECK_SAFE_CALL(TVMFFITypeRegisterAttr(kTVMFFINone, &bytes, &none));
}

/*! \brief Creates the column of an attribute, so that a TypeAttrColumn can be constructed. */
template <typename T>
void EnsureTypeAttrColumn(AttrKey<T> key) {
  EnsureTypeAttrColumn(key.name);
}

/*! \brief The values of one attribute for all types. */
class TypeAttrColumn {
 public:
  /*! \brief Looks up the attribute by name; throws a RuntimeError if no type has it. */
  explicit TypeAttrColumn(std::string_view name) {
    const TVMFFIByteArray bytes{name.data(), name.size()};
    column_ = TVMFFIGetTypeAttrColumn(&bytes);
    TVM_FFI_CHECK(column_ != nullptr, RuntimeError)
        << "TypeAttrColumn: expected the name of an attribute, got \"" << name << "\"";
  }

  /*! \brief Looks up the attribute; the key's ValueFrom returns typed values. */
  template <typename T>
  explicit TypeAttrColumn(AttrKey<T> key) : TypeAttrColumn(std::string_view(key.name)) {}

  /*! \brief The value for the type with the given index; None if it has none. */
  AnyView operator[](int32_t type_index) const {
    const int32_t i = type_index - column_->begin_index;
    if (i < 0 || i >= column_->size) return AnyView();
    return AnyView::CopyFromTVMFFIAny(column_->data[i]);
  }

 private:
  const TVMFFITypeAttrColumn* column_;
};

}  // namespace reflection
}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_REFLECTION_ACCESSOR_H_
