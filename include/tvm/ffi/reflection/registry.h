// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/reflection/registry.h
 * \brief Registers global functions and object types with their fields, methods and constructors.
 *
 * Use it in a TVM_FFI_STATIC_INIT_BLOCK. Registrations are visible to the whole process until it
 * ends, and the library stays loaded until then.
 */
#ifndef TVM_FFI_REFLECTION_REGISTRY_H_
#define TVM_FFI_REFLECTION_REGISTRY_H_

#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/accessor.h>
#include <tvm/ffi/reflection/traits.h>

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {
namespace reflection {

namespace detail {

inline TVMFFIByteArray BytesOf(std::string_view text) { return {text.data(), text.size()}; }

// Combines the options after the name in a registration; must outlive the call of the C function.
struct Extras {
  const char* doc = "";
  std::string metadata;

  explicit Extras(const std::string& schema)
      : metadata("{\"type_schema\":" + ffi::detail::JsonString(schema)) {}

  template <typename Info>
  void Add(Info*, const char* text) {
    doc = text;
  }
  template <typename Info>
  void Add(Info*, const Metadata& more) {
    metadata += more.text();
  }
  template <typename Info, typename Trait>
  auto Add(Info* info, const Trait& trait) -> decltype(trait.Apply(info)) {
    trait.Apply(info);
  }

  template <typename Info>
  void Finish(Info* info) {
    metadata += '}';
    info->doc = BytesOf(doc);
    info->metadata = BytesOf(metadata);
  }
};

// Turns a member function into a function that takes the object first; others stay unchanged.
template <typename Class, typename F>
auto WithObject(F&& function) {
  return std::forward<F>(function);
}
template <typename Class, typename C, typename R, typename... Args>
auto WithObject(R (C::*method)(Args...)) {
  if constexpr (std::is_base_of<ObjectRef, C>::value) {
    return [method](Class self, Args... args) -> R {
      return (self.*method)(std::forward<Args>(args)...);
    };
  } else {
    return [method](Class* self, Args... args) -> R {
      return (self->*method)(std::forward<Args>(args)...);
    };
  }
}
template <typename Class, typename C, typename R, typename... Args>
auto WithObject(R (C::*method)(Args...) const) {
  if constexpr (std::is_base_of<ObjectRef, C>::value) {
    return [method](const Class& self, Args... args) -> R {
      return (self.*method)(std::forward<Args>(args)...);
    };
  } else {
    return [method](const Class* self, Args... args) -> R {
      return (self->*method)(std::forward<Args>(args)...);
    };
  }
}

// The class of a member function; void for any other function.
template <typename F, typename = void>
struct ClassOf {
  using Type = void;
};
template <typename F>
struct ClassOf<F, std::enable_if_t<std::is_member_function_pointer<F>::value>> {
  using Type = std::remove_const_t<typename ffi::detail::Signature<F>::Class>;
};

// The type index of a field of T, from its TypeTraits; third-party traits may lack it.
template <typename T, typename = void>
struct FieldTypeIndex : public std::integral_constant<int32_t, kTVMFFIAny> {};
template <typename T>
struct FieldTypeIndex<T, std::void_t<decltype(TypeTraits<T>::field_static_type_index)>>
    : public std::integral_constant<int32_t, TypeTraits<T>::field_static_type_index> {};

// The type index of a field, if it is the same in every process.
template <typename T>
int32_t StaticTypeIndexOf() {
  if constexpr (std::is_same<T, bool>::value) {
    return kTVMFFIBool;
  } else if constexpr (std::is_integral<T>::value) {
    return kTVMFFIInt;
  } else if constexpr (std::is_floating_point<T>::value) {
    return kTVMFFIFloat;
  } else if constexpr (std::is_same<T, DLDataType>::value) {
    return kTVMFFIDataType;
  } else if constexpr (std::is_same<T, DLDevice>::value) {
    return kTVMFFIDevice;
  } else if constexpr (std::is_base_of<ObjectRef, T>::value) {
    using Obj = typename T::ContainerType;
    // A type without a fixed index inherits that of its parent.
    const int32_t index = Obj::RuntimeTypeIndex();
    return index == Obj::_type_index ? index : int32_t{kTVMFFIAny};
  } else {
    return FieldTypeIndex<T>::value;
  }
}

template <typename T>
int GetField(void* field, TVMFFIAny* result) {
  TVM_FFI_SAFE_CALL_BEGIN();
  TypeTraits<T>::MoveToAny(*static_cast<const T*>(field), result);
  TVM_FFI_SAFE_CALL_END();
}

template <typename T>
int SetField(void* field, const TVMFFIAny* value) {
  TVM_FFI_SAFE_CALL_BEGIN();
  std::optional<T> converted = TypeTraits<T>::TryCastFromAnyView(value);
  TVM_FFI_CHECK(converted.has_value(), TypeError)
      << "expected " << TypeTraits<T>::TypeStr() << ", got " << ffi::detail::MismatchText<T>(value);
  *static_cast<T*>(field) = *std::move(converted);
  TVM_FFI_SAFE_CALL_END();
}

template <typename Class>
int CreateObject(TVMFFIObjectHandle* result) {
  TVM_FFI_SAFE_CALL_BEGIN();
  *result = ObjectUnsafe::MoveToOwned(make_object<Class>());
  TVM_FFI_SAFE_CALL_END();
}

// A function that converts a value to a T.
template <typename T>
Function ConvertFunction() {
  return Function::FromTyped([](const T& value) { return Any(value); }, type_attr::kConvert.name);
}

inline void SetAttribute(int32_t type_index, const char* name, const Any& value) {
  const TVMFFIByteArray bytes = BytesOf(name);
  const TVMFFIAny any = value.CopyToTVMFFIAny();
  TVM_FFI_CHECK_SAFE_CALL(TVMFFITypeRegisterAttr(type_index, &bytes, &any));
}

// Calls `use` with the description of a function.
template <typename Use, typename... Extra>
void DescribeFunction(const char* name, const Function& function, const std::string& schema,
                      int64_t flags, Use use, const Extra&... extra) {
  TVMFFIMethodInfo info{};
  Extras extras(schema);
  info.name = BytesOf(name);
  info.flags = flags;
  info.method = AnyView(function).CopyToTVMFFIAny();
  (extras.Add(&info, extra), ...);
  extras.Finish(&info);
  TVM_FFI_CHECK_SAFE_CALL(use(&info));
}

}  // namespace detail

/*!
 * \brief Registers global functions: `GlobalDef().def("my_library.add", add, "Adds.")`.
 *
 * Documentation, as a string literal, and Metadata may follow a function. A ValueError is thrown if
 * the name is taken.
 */
class GlobalDef {
 public:
  /*! \brief Registers a function whose parameter and result types can be passed. */
  template <typename F, typename... Extra>
  GlobalDef& def(const char* name, F&& function, const Extra&... extra) {
    using Fn = std::decay_t<F>;
    return Register(name, Function::FromTyped<Fn>(std::forward<F>(function), name),
                    ffi::detail::FunctionSchema<Fn>(), extra...);
  }
  /*! \brief Registers a function that Function::FromPacked accepts. */
  template <typename F, typename... Extra>
  GlobalDef& def_packed(const char* name, F function, const Extra&... extra) {
    return Register(name, Function::FromPacked(std::move(function)),
                    ffi::detail::SchemaText("ffi.Function"), extra...);
  }
  /*! \brief Registers a member function: the object is the first argument. */
  template <typename F, typename... Extra>
  GlobalDef& def_method(const char* name, F&& function, const Extra&... extra) {
    using Class = typename detail::ClassOf<std::decay_t<F>>::Type;
    return def(name, detail::WithObject<Class>(std::forward<F>(function)), extra...);
  }

 private:
  template <typename... Extra>
  GlobalDef& Register(const char* name, const Function& function, const std::string& schema,
                      const Extra&... extra) {
    detail::DescribeFunction(
        name, function, schema, 0,
        [](const TVMFFIMethodInfo* info) { return TVMFFIFunctionSetGlobalFromMethodInfo(info, 0); },
        extra...);
    return *this;
  }
};

/*!
 * \brief Registers an object type: its documentation, fields, methods and constructors.
 *
 * Registering a type twice throws a ValueError. Unless `.def(refl::init<...>())` registers a
 * constructor, one is generated from the fields, ancestors' first. It accepts them by position,
 * those with a default after those without, and by keyword.
 * \tparam Class The object class, with TVM_FFI_DECLARE_OBJECT_INFO. The generated constructor
 *         requires it to be default-constructible.
 */
template <typename Class>
class ObjectDef {
 public:
  /*! \brief Takes `doc` as a string literal, `init(false)`, both or neither. */
  template <typename... Extra>
  explicit ObjectDef(const Extra&... extra) : type_index_(Class::RuntimeTypeIndex()) {
    TVMFFITypeMetadata metadata{};
    metadata.doc = detail::BytesOf("");
    (Take(&metadata, extra), ...);
    metadata.total_size = static_cast<int32_t>(sizeof(Class));
    metadata.structural_eq_hash_kind = Class::_type_s_eq_hash_kind;
    if constexpr (std::is_default_constructible<Class>::value) {
      metadata.creator = detail::CreateObject<Class>;
    }
    TVM_FFI_CHECK_SAFE_CALL(TVMFFITypeRegisterMetadata(type_index_, &metadata));
    if constexpr (std::is_copy_constructible<Class>::value) {
      SetFunction("__ffi_shallow_copy__",
                  [](const Class* object) { return ObjectRef(make_object<Class>(*object)); });
    }
    if constexpr (std::is_default_constructible<Class>::value) {
      SetFunction("__ffi_new__", [] { return ObjectRef(make_object<Class>()); });
    } else {
      make_init_ = false;
    }
    detail::SetAttribute(type_index_, "__ffi_type_final__", Class::_type_final);
  }
  ObjectDef(const ObjectDef&) = delete;
  ObjectDef& operator=(const ObjectDef&) = delete;

  /*! \brief Generates the constructor from the fields; reports errors as a static init block does.
   */
  ~ObjectDef() {
    if (!make_init_) return;
    try {
      Function::GetGlobalRequired("ffi._RegisterFFIInit")(type_index_);
    } catch (...) {
      ffi::detail::ReportStaticInitError();
    }
  }

  /*!
   * \brief Registers a field that other languages can read.
   * \param name Its name.
   * \param field The member of Class or of a base class.
   * \param extra Documentation, a default, or other traits.
   */
  template <typename T, typename Base, typename... Extra>
  ObjectDef& def_ro(const char* name, T Base::* field, const Extra&... extra) {
    return Field(name, field, 0, extra...);
  }
  /*! \brief Registers a field that other languages can read and write; Class must be mutable. */
  template <typename T, typename Base, typename... Extra>
  ObjectDef& def_rw(const char* name, T Base::* field, const Extra&... extra) {
    static_assert(Class::_type_mutable, "a type with writable fields needs _type_mutable = true");
    return Field(name, field, kTVMFFIFieldFlagBitMaskWritable, extra...);
  }
  /*! \brief Registers a method: a member function, or a function that takes the object first. */
  template <typename F, typename... Extra>
  ObjectDef& def(const char* name, F&& function, const Extra&... extra) {
    return Method(name, detail::WithObject<Class>(std::forward<F>(function)), 0, extra...);
  }
  /*! \brief Registers a static method: a function that takes no object. */
  template <typename F, typename... Extra>
  ObjectDef& def_static(const char* name, F&& function, const Extra&... extra) {
    return Method(name, std::forward<F>(function), kTVMFFIFieldFlagBitMaskIsStaticMethod, extra...);
  }
  /*! \brief Registers an attribute of the type: a value or a function. */
  template <typename Value>
  ObjectDef& def_type_attr(const char* name, Value&& value) {
    if constexpr (std::is_convertible<Value&&, Any>::value) {
      detail::SetAttribute(type_index_, name, std::forward<Value>(value));
    } else {
      SetFunction(name, detail::WithObject<Class>(std::forward<Value>(value)));
    }
    return *this;
  }
  /*! \brief Registers type_attr::kConvert: converts arguments to TSelf, a handle of the type. */
  template <typename TSelf>
  ObjectDef& def_convert() {
    return def_type_attr(type_attr::kConvert.name, detail::ConvertFunction<TSelf>());
  }
  /*! \brief Registers a constructor, replacing the one generated from the fields. */
  template <typename... Args, typename... Extra>
  ObjectDef& def(init<Args...>, const Extra&... extra) {
    make_init_ = false;
    auto* construct = &init<Args...>::template execute<Class>;
    const Function function =
        Method("__ffi_init__", construct, kTVMFFIFieldFlagBitMaskIsStaticMethod, extra...)
            .last_method_;
    detail::SetAttribute(type_index_, "__ffi_init__", function);
    return *this;
  }

 private:
  void Take(TVMFFITypeMetadata* metadata, const char* doc) { metadata->doc = detail::BytesOf(doc); }
  void Take(TVMFFITypeMetadata*, const init<>& make) { make_init_ = make.include(); }

  template <typename T, typename Base, typename... Extra>
  ObjectDef& Field(const char* name, T Base::* field, int64_t flags, const Extra&... extra) {
    static_assert(std::is_base_of<Base, Class>::value, "expected a member of the class");
    TVMFFIFieldInfo info{};
    detail::Extras extras(TypeTraits<T>::TypeSchema());
    info.name = detail::BytesOf(name);
    info.flags = flags;
    info.size = sizeof(T);
    info.alignment = alignof(T);
    info.offset = OffsetOf(field);
    info.getter = detail::GetField<T>;
    info.setter = reinterpret_cast<void*>(&detail::SetField<T>);
    info.field_static_type_index = detail::StaticTypeIndexOf<T>();
    (extras.Add(&info, extra), ...);
    extras.Finish(&info);
    TVM_FFI_CHECK_SAFE_CALL(TVMFFITypeRegisterField(type_index_, &info));
    return *this;
  }

  // Offset of a member from the object header.
  template <typename T, typename Base>
  static int64_t OffsetOf(T Base::* field) {
    // No object is needed: any suitably aligned address will do.
    auto* object = reinterpret_cast<Class*>(uintptr_t{1} << 12);
    return static_cast<int64_t>(reinterpret_cast<uintptr_t>(&(object->*field)) -
                                reinterpret_cast<uintptr_t>(static_cast<Object*>(object)));
  }

  template <typename F, typename... Extra>
  ObjectDef& Method(const char* name, F&& function, int64_t flags, const Extra&... extra) {
    using Fn = std::decay_t<F>;
    last_method_ = Function::FromTyped<Fn>(std::forward<F>(function),
                                           std::string(Class::_type_key) + "." + name);
    Describe<Fn>(name, last_method_, flags, extra...);
    return *this;
  }

  // Registers a function as a method with the signature of Fn.
  template <typename Fn, typename... Extra>
  void Describe(const char* name, const Function& function, int64_t flags, const Extra&... extra) {
    const int32_t type_index = type_index_;
    detail::DescribeFunction(
        name, function, ffi::detail::FunctionSchema<Fn>(), flags,
        [type_index](const TVMFFIMethodInfo* info) {
          return TVMFFITypeRegisterMethod(type_index, info);
        },
        extra...);
  }

  template <typename F>
  void SetFunction(const char* name, F function) {
    detail::SetAttribute(type_index_, name,
                         Function::FromTyped(function, std::string(Class::_type_key) + "." + name));
  }

  int32_t type_index_;
  bool make_init_ = true;
  Function last_method_;

  template <typename>
  friend class OverloadObjectDef;
};

/*! \brief Sets attributes of a type: values that any code can look up with TypeAttrColumn. */
template <typename Class>
class TypeAttrDef {
 public:
  /*! \brief Sets an attribute to a function; a member function takes the object first. */
  template <typename F>
  TypeAttrDef& def(const char* name, F&& function) {
    auto with_object = detail::WithObject<Class>(std::forward<F>(function));
    return attr(name, Function::FromTyped(std::move(with_object),
                                          std::string(Class::_type_key) + "." + name));
  }
  /*! \brief Sets an attribute to a value. */
  TypeAttrDef& attr(const char* name, const Any& value) {
    detail::SetAttribute(Class::RuntimeTypeIndex(), name, value);
    return *this;
  }
  /*! \brief Sets a typed attribute; `value` is converted to its type. */
  template <typename T, typename Value>
  TypeAttrDef& attr(AttrKey<T> key, Value&& value) {
    return attr(key.name, Any(T(std::forward<Value>(value))));
  }
  /*! \brief Sets type_attr::kConvert: converts arguments to TSelf, a handle of the type. */
  template <typename TSelf>
  TypeAttrDef& def_convert() {
    return attr(type_attr::kConvert.name, Any(detail::ConvertFunction<TSelf>()));
  }
};

}  // namespace reflection
}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_REFLECTION_REGISTRY_H_
