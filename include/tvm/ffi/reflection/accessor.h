// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/reflection/accessor.h
 * \brief Finds fields, methods and attributes of object types by name, whoever registered them.
 */
#ifndef TVM_FFI_REFLECTION_ACCESSOR_H_
#define TVM_FFI_REFLECTION_ACCESSOR_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/string.h>

#include <string_view>
#include <utility>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {
namespace reflection {

namespace detail {

inline const TVMFFITypeInfo* TypeInfoOf(std::string_view type_key) {
  const TVMFFIByteArray key{type_key.data(), type_key.size()};
  int32_t index = -1;
  TVM_FFI_CHECK_SAFE_CALL(TVMFFITypeKeyToIndex(&key, &index));
  const TVMFFITypeInfo* info = TVMFFIGetTypeInfo(index);
  if (info == nullptr) ffi::detail::ThrowRaised(-1);
  return info;
}

inline std::string_view TextOf(const TVMFFIByteArray& bytes) { return {bytes.data, bytes.size}; }

// Where a field of an object is; `accessor` and the field are named where there is no object.
inline void* AddressOf(const char* accessor, const TVMFFIFieldInfo* field, const Object* object) {
  TVM_FFI_CHECK(object != nullptr, ValueError)
      << accessor << ": " << TextOf(field->name) << ": expected an object, got a null handle";
  return const_cast<char*>(reinterpret_cast<const char*>(object)) + field->offset;
}

}  // namespace detail

/*!
 * \brief Visits the fields of a type, those of its ancestors first, until `visit` returns true.
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
 * \brief Visits the fields of a type, those of its ancestors first.
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

/*! \brief The field of that name, of the type or an ancestor; a RuntimeError if there is none. */
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
/*! \brief The field of that name of the type of that name. */
inline const TVMFFIFieldInfo* GetFieldInfo(std::string_view type_key, std::string_view field_name) {
  return GetFieldInfo(detail::TypeInfoOf(type_key), field_name);
}

/*! \brief The method of that name, of the type itself; a RuntimeError if there is none. */
inline const TVMFFIMethodInfo* GetMethodInfo(std::string_view type_key,
                                             std::string_view method_name) {
  const TVMFFITypeInfo* info = detail::TypeInfoOf(type_key);
  for (int32_t i = 0; i < info->num_methods; ++i) {
    if (detail::TextOf(info->methods[i].name) == method_name) return info->methods + i;
  }
  TVM_FFI_THROW(RuntimeError) << "GetMethodInfo: " << type_key
                              << ": expected the name of a method, got \"" << method_name << "\"";
}

/*! \brief The method of that name as a function; it takes the object first unless it is static. */
inline Function GetMethod(std::string_view type_key, std::string_view method_name) {
  const TVMFFIMethodInfo* info = GetMethodInfo(type_key, method_name);
  return AnyView::CopyFromTVMFFIAny(info->method).cast<Function>();
}

/*! \brief Reads a field of an object. */
class FieldGetter {
 public:
  /*! \brief For that field. */
  explicit FieldGetter(const TVMFFIFieldInfo* field_info) : field_(field_info) {}
  /*! \brief For the field of that name; a RuntimeError is thrown if there is none. */
  explicit FieldGetter(std::string_view type_key, std::string_view field_name)
      : FieldGetter(GetFieldInfo(type_key, field_name)) {}

  /*! \brief The field's value. The object must be of the field's type; a ValueError is thrown if
   * there is none. */
  Any operator()(const Object* object) const {
    Any result;
    TVM_FFI_CHECK_SAFE_CALL(
        field_->getter(detail::AddressOf("FieldGetter", field_, object), result.Reset()));
    return result;
  }
  /*! \brief The field's value. */
  Any operator()(const ObjectRef& ref) const { return (*this)(ref.get()); }
  /*! \brief The field's value. */
  template <typename T>
  Any operator()(const ObjectPtr<T>& ptr) const {
    return (*this)(static_cast<const Object*>(ptr.get()));
  }

 private:
  const TVMFFIFieldInfo* field_;
};

/*! \brief Writes a field of an object, a read-only one too: the library's own code may. */
class FieldSetter {
 public:
  /*! \brief For that field. */
  explicit FieldSetter(const TVMFFIFieldInfo* field_info) : field_(field_info) {}
  /*! \brief For the field of that name; a RuntimeError is thrown if there is none. */
  explicit FieldSetter(std::string_view type_key, std::string_view field_name)
      : FieldSetter(GetFieldInfo(type_key, field_name)) {}

  /*!
   * \brief Sets the field. The object must be of the field's type.
   * \throws Error A TypeError if the value does not convert to the field's type, a ValueError if
   *         there is no object.
   */
  void operator()(const Object* object, AnyView value) const {
    void* address = detail::AddressOf("FieldSetter", field_, object);
    TVM_FFI_CHECK(field_->setter != nullptr, TypeError)
        << "FieldSetter: " << detail::TextOf(field_->name)
        << ": expected a field that can be set, got one without a setter";
    if ((field_->flags & kTVMFFIFieldFlagBitSetterIsFunctionObj) != 0) {
      Function(ObjectUnsafe::PtrFromBorrowed<FunctionObj>(field_->setter))(address, value);
    } else {
      const TVMFFIAny any = value.CopyToTVMFFIAny();
      TVM_FFI_CHECK_SAFE_CALL(reinterpret_cast<TVMFFIFieldSetter>(field_->setter)(address, &any));
    }
  }
  /*! \brief Sets the field. */
  void operator()(const ObjectRef& ref, AnyView value) const { (*this)(ref.get(), value); }
  /*! \brief Sets the field. */
  template <typename T>
  void operator()(const ObjectPtr<T>& ptr, AnyView value) const {
    (*this)(static_cast<const Object*>(ptr.get()), value);
  }

 private:
  const TVMFFIFieldInfo* field_;
};

/*! \brief Makes the column of an attribute, so that a TypeAttrColumn of it can be had. */
inline void EnsureTypeAttrColumn(std::string_view name) {
  const TVMFFIByteArray bytes{name.data(), name.size()};
  const TVMFFIAny none{};
  TVM_FFI_CHECK_SAFE_CALL(TVMFFITypeRegisterAttr(kTVMFFINone, &bytes, &none));
}

/*! \brief The values of one attribute, of all types. */
class TypeAttrColumn {
 public:
  /*! \brief The attribute of that name; a RuntimeError is thrown if no type has it. */
  explicit TypeAttrColumn(std::string_view name) {
    const TVMFFIByteArray bytes{name.data(), name.size()};
    column_ = TVMFFIGetTypeAttrColumn(&bytes);
    TVM_FFI_CHECK(column_ != nullptr, RuntimeError)
        << "TypeAttrColumn: expected the name of an attribute, got \"" << name << "\"";
  }

  /*! \brief The value of the type of that index; None if it has none. */
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
