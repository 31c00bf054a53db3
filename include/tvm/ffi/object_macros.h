// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/object_macros.h
 * \brief Macros that declare an object type and its handle, inside their classes.
 */
#ifndef TVM_FFI_OBJECT_MACROS_H_
#define TVM_FFI_OBJECT_MACROS_H_

/*!
 * \brief Declares an object type whose index is fixed, inside its class.
 *
 * The class must define a `static constexpr int32_t _type_index`.
 * \param TypeKey Unique name, for example "ffi.Tensor".
 * \param TypeName The class.
 * \param ParentType Its parent, Object or a class derived from it.
 */
#define TVM_FFI_DECLARE_OBJECT_INFO_STATIC(TypeKey, TypeName, ParentType)                     \
  TVM_FFI_HIDDEN static constexpr const char* _type_key = TypeKey;                            \
  TVM_FFI_HIDDEN static constexpr int32_t _type_depth = ParentType::_type_depth + 1;          \
  static int32_t RuntimeTypeIndex() {                                                         \
    static_assert(!ParentType::_type_final, "the parent is declared final");                  \
    static_assert(std::is_base_of<ParentType, TypeName>::value, "expected the parent class"); \
    static_cast<void>(_type_key); /* or compilers call the two unused */                      \
    static_cast<void>(_type_depth);                                                           \
    return _type_index;                                                                       \
  }

/*!
 * \brief Declares an object type that other types may derive from, inside its class.
 *
 * Its index is assigned at run time, on first use.
 * \param TypeKey Unique name, for example "my_library.Workspace".
 * \param TypeName The class.
 * \param ParentType Its parent, Object or a class derived from it.
 */
#define TVM_FFI_DECLARE_OBJECT_INFO(TypeKey, TypeName, ParentType)                   \
  TVM_FFI_HIDDEN static constexpr const char* _type_key = TypeKey;                   \
  TVM_FFI_HIDDEN static constexpr int32_t _type_depth = ParentType::_type_depth + 1; \
  static int32_t RuntimeTypeIndex() {                                                \
    return ::tvm::ffi::detail::TypeIndexOf<TypeName, ParentType>();                  \
  }

/*! \brief TVM_FFI_DECLARE_OBJECT_INFO for a type from which no other type derives. */
#define TVM_FFI_DECLARE_OBJECT_INFO_FINAL(TypeKey, TypeName, ParentType)          \
  [[maybe_unused]] TVM_FFI_HIDDEN static constexpr bool _type_final = true;       \
  [[maybe_unused]] TVM_FFI_HIDDEN static constexpr int32_t _type_child_slots = 0; \
  TVM_FFI_DECLARE_OBJECT_INFO(TypeKey, TypeName, ParentType)

/*! \brief The common part of the two macros below. */
#define TVM_FFI_DEFINE_OBJECT_REF_METHODS(TypeName, ParentType, ObjectName)                  \
  using ContainerType = ObjectName;                                                          \
  explicit TypeName(::tvm::ffi::UnsafeInit tag) : ParentType(tag) {}                         \
  std::conditional_t<ObjectName::_type_mutable, ObjectName, const ObjectName>* get() const { \
    return static_cast<ObjectName*>(this->data_.get());                                      \
  }                                                                                          \
  std::conditional_t<ObjectName::_type_mutable, ObjectName, const ObjectName>* operator->()  \
      const {                                                                                \
    return get();                                                                            \
  }                                                                                          \
  static_assert(std::is_base_of<::tvm::ffi::Object, ObjectName>::value,                      \
                "a handle's object derives from Object")

/*!
 * \brief Defines the members of a handle class, inside it: constructors, `get()` and `->`.
 *
 * The handle may be null, and None converts to it.
 * \param TypeName The handle class.
 * \param ParentType Its parent, ObjectRef or a class derived from it.
 * \param ObjectName The object class of the handle. Its `_type_mutable` determines whether the
 *        handle gives access to a mutable object.
 */
#define TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(TypeName, ParentType, ObjectName)         \
  [[maybe_unused]] TVM_FFI_HIDDEN static constexpr bool _type_is_nullable = true;            \
  TypeName() : ParentType(::tvm::ffi::UnsafeInit{}) {}                                       \
  explicit TypeName(::tvm::ffi::ObjectPtr<ObjectName> data) : ParentType(std::move(data)) {} \
  TVM_FFI_DEFINE_OBJECT_REF_METHODS(TypeName, ParentType, ObjectName)

/*!
 * \brief TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE for a handle that is never null.
 *
 * The class may define its own constructor from an ObjectPtr, which then replaces the macro's.
 */
#define TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(TypeName, ParentType, ObjectName)     \
  [[maybe_unused]] TVM_FFI_HIDDEN static constexpr bool _type_is_nullable = false;          \
  /* A template, so that the class may define the same constructor. */                      \
  template <typename OwnObject,                                                             \
            typename = std::enable_if_t<std::is_base_of<ObjectName, OwnObject>::value>>     \
  explicit TypeName(::tvm::ffi::ObjectPtr<OwnObject> data) : ParentType(std::move(data)) {} \
  TVM_FFI_DEFINE_OBJECT_REF_METHODS(TypeName, ParentType, ObjectName)

#endif  // TVM_FFI_OBJECT_MACROS_H_
