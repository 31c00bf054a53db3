// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/type_traits.h
 * \brief How each C++ type converts to and from a TVMFFIAny.
 */
#ifndef TVM_FFI_TYPE_TRAITS_H_
#define TVM_FFI_TYPE_TRAITS_H_

#include <tvm/ffi/device.h>
#include <tvm/ffi/dtype.h>
#include <tvm/ffi/error.h>

#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

/*! \brief Type indices: `TypeIndex::kTVMFFIInt`. */
using TypeIndex = TVMFFITypeIndex;
/*! \brief The description of a type. */
using TypeInfo = TVMFFITypeInfo;

/*!
 * \brief Conversion between T and TVMFFIAny; specialise it to pass your own type.
 *
 * A specialisation defines:
 * - `CopyToAnyView(const T&, TVMFFIAny*)`: a borrowed value, valid while the T lives;
 * - `MoveToAny(T, TVMFFIAny*)`: an owned value;
 * - `CheckAnyStrict(const TVMFFIAny*) -> bool`: whether the value is exactly a T;
 * - `CopyFromAnyViewAfterCheck(const TVMFFIAny*) -> T`: the T, after CheckAnyStrict;
 * - `MoveFromAnyAfterCheck(TVMFFIAny*) -> T`: the T moved out of an owned value, leaving None; this
 *   library never calls it, but others may;
 * - `TryCastFromAnyView(const TVMFFIAny*) -> std::optional<T>`: the T, converted if necessary;
 * - `TypeStr() -> std::string`: the name shown in error messages;
 * - `TypeSchema() -> std::string`: the type as JSON text, for metadata: `{"type":"int"}`, or
 *   `{"type":"ffi.Array","args":[{"type":"int"}]}`;
 * - optionally `GetMismatchTypeInfo(const TVMFFIAny*) -> std::string`: describes the value
 *   received instead of a T, after a failed cast, for example "Array with str at index 2".
 *
 * Derive it from TypeTraitsBase, or from one of the bases that convert through other types:
 * FallbackOnlyTraitsBase, and ObjectRefWithFallbackTraitsBase for a handle class.
 */
template <typename T, typename = void>
struct TypeTraits {
  /*! \brief Whether T can be converted at all. */
  static constexpr bool convert_enabled = false;
  /*! \brief Whether an Any can own a T directly. */
  static constexpr bool storage_enabled = false;
};

/*! \brief TypeTraits of T without const and reference. */
template <typename T>
using TypeTraitsNoCR = TypeTraits<std::remove_cv_t<std::remove_reference_t<T>>>;

namespace detail {

// The head of a value, its type and padding, is written and copied as one word, and a value as two:
// a load that spans several recent stores stalls until they complete.
inline void SetHead(TVMFFIAny* out, int32_t type_index) {
  static_assert(offsetof(TVMFFIAny, v_uint64) == sizeof(uint64_t), "the head is one word");
  const uint64_t head = static_cast<uint32_t>(type_index);
  std::memcpy(static_cast<void*>(out), &head, sizeof(head));
}

// g++ assumes that an optional value is absent if it cannot prove that it is present.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
inline void CopyWords(const TVMFFIAny& from, TVMFFIAny* to) {
  uint64_t head = 0;
  std::memcpy(&head, &from, sizeof(head));
  uint64_t value = from.v_uint64;
#if defined(__GNUC__)
  asm("" : "+r"(head), "+r"(value));  // keeps the two from being merged
#endif
  std::memcpy(static_cast<void*>(to), &head, sizeof(head));
  to->v_uint64 = value;
}

// Destroys an owned value.
inline void DropOwned(const TVMFFIAny& any) {
  if (any.type_index >= kTVMFFIStaticObjectBegin) ObjectUnsafe::DecRef(any.v_obj);
}
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

// The base of this library's specialisations.
struct TypeTraitsBase {
  static constexpr bool convert_enabled = true;
  static constexpr bool storage_enabled = true;
  static constexpr int32_t field_static_type_index = kTVMFFIAny;

  static void Set(TVMFFIAny* out, int32_t type_index) {
    out->type_index = type_index;
    out->zero_padding = 0;
    out->v_uint64 = 0;
  }
  // Like Set, for an index known only at run time.
  static void SetObject(TVMFFIAny* out, int32_t type_index) {
    SetHead(out, type_index);
    out->v_uint64 = 0;
  }
};

// The base for types stored in the value itself.
template <typename T, typename Derived>
struct InPlaceTraits : public TypeTraitsBase {
  static void MoveToAny(T value, TVMFFIAny* out) { Derived::CopyToAnyView(value, out); }
  static T MoveFromAnyAfterCheck(TVMFFIAny* any) { return Derived::CopyFromAnyViewAfterCheck(any); }
  static std::optional<T> TryCastFromAnyView(const TVMFFIAny* any) {
    if (!Derived::CheckAnyStrict(any)) return std::nullopt;
    return Derived::CopyFromAnyViewAfterCheck(any);
  }
};

// Moves the T out of an owned value, leaving None.
template <typename T>
T MoveFromOwned(TVMFFIAny* any) {
  T value = TypeTraits<T>::CopyFromAnyViewAfterCheck(any);
  DropOwned(*any);
  *any = TVMFFIAny{};
  return value;
}

// Holds one converted argument during a call. Specialised where an argument needs its own storage.
template <typename T>
class ArgumentHolder : public std::optional<T> {
 public:
  explicit ArgumentHolder(const TVMFFIAny* any)
      : std::optional<T>(TypeTraits<T>::TryCastFromAnyView(any)) {}
};

// The name of an object type as shown in error messages, without this library's prefix.
TVM_FFI_COLD inline std::string ShownTypeKey(std::string_view key) {
  constexpr std::string_view kPrefix = "ffi.";
  if (key.substr(0, kPrefix.size()) == kPrefix) key.remove_prefix(kPrefix.size());
  return std::string(key);
}

// The JSON text of the type with that name, with its arguments, if any.
template <typename... Args>
TVM_FFI_COLD std::string SchemaText(const char* name) {
  std::string text = "{\"type\":\"";
  text += name;
  text += '"';
  if constexpr (sizeof...(Args) > 0) {
    const char* separator = ",\"args\":[";
    ((text += separator, text += TypeTraitsNoCR<Args>::TypeSchema(), separator = ","), ...);
    text += ']';
  }
  return text += '}';
}

// The name of a value's type as shown in error messages.
TVM_FFI_COLD inline std::string TypeName(const TVMFFIAny* any) {
  switch (any->type_index) {
    case kTVMFFINone:
      return "None";
    case kTVMFFIInt:
      return "int";
    case kTVMFFIBool:
      return "bool";
    case kTVMFFIFloat:
      return "float";
    case kTVMFFIOpaquePtr:
      return "void*";
    case kTVMFFIDataType:
      return "dtype";
    case kTVMFFIDevice:
      return "Device";
    case kTVMFFIDLTensorPtr:
      return "Tensor (a view)";
    case kTVMFFIRawStr:
    case kTVMFFISmallStr:
    case kTVMFFIStr:
      return "str";
    case kTVMFFIByteArrayPtr:
    case kTVMFFISmallBytes:
    case kTVMFFIBytes:
      return "bytes";
    default:
      break;
  }
  if (const TVMFFITypeInfo* info = TVMFFIGetTypeInfo(any->type_index)) {
    return ShownTypeKey({info->type_key.data, info->type_key.size});
  }
  DropRaised();
  return (Message().self() << "type index " << any->type_index).take();
}

// Whether a value is a borrowed tensor, text, bytes or variable that is NULL.
inline bool LendsNull(const TVMFFIAny* any) {
  if (any->type_index < kTVMFFIDLTensorPtr || any->type_index > kTVMFFIObjectRValueRef) {
    return false;
  }
  if (any->v_ptr == nullptr || any->type_index != kTVMFFIByteArrayPtr) return any->v_ptr == nullptr;
  const auto* bytes = static_cast<const TVMFFIByteArray*>(any->v_ptr);
  return bytes->data == nullptr && bytes->size != 0;
}

// A value as shown in error messages: its type, an integer itself, or why a view is invalid.
TVM_FFI_COLD inline std::string ValueText(const TVMFFIAny* any) {
  if (LendsNull(any)) return "NULL";
  if (any->type_index == kTVMFFIDLTensorPtr) {
    const int32_t ndim = static_cast<const DLTensor*>(any->v_ptr)->ndim;
    if (ndim < 0) return (Message().self() << "a view with ndim " << ndim).take();
  }
  if (any->type_index != kTVMFFIInt) return TypeName(any);
  return (Message().self() << "int " << any->v_int64).take();
}

// "Array with str at index 2".
TVM_FFI_COLD inline std::string ElementText(const TVMFFIAny* container, const std::string& element,
                                            int64_t index) {
  const bool nested = element.find(" at index ") != std::string::npos;
  return (Message().self() << TypeName(container) << " with " << (nested ? "(" : "") << element
                           << (nested ? ")" : "") << " at index " << index)
      .take();
}

// Whether a T can be lent directly; if it must be converted first, an Any has to own the result.
template <typename T, typename = void>
struct IsLendable : public std::false_type {};
template <typename T>
struct IsLendable<T, std::void_t<decltype(&TypeTraits<T>::CopyToAnyView)>> : public std::true_type {
};
// "Array of 3 elements".
TVM_FFI_COLD inline std::string LengthText(const TVMFFIAny* container, size_t length) {
  return (Message().self() << TypeName(container) << " of " << length
                           << (length == 1 ? " element" : " elements"))
      .take();
}

// "Tuple[int, str]".
template <typename... Args>
TVM_FFI_COLD std::string TypeStrOf(const char* name) {
  std::string text = name;
  text += '[';
  [[maybe_unused]] const char* separator = "";
  ((text += separator, text += TypeTraitsNoCR<Args>::TypeStr(), separator = ", "), ...);
  return text += ']';
}

// Describes the value received instead of a T; a type that holds others reports which is wrong.
template <typename T, typename = void>
struct Mismatch {
  static std::string Text(const TVMFFIAny* any) { return ValueText(any); }
};
template <typename T>
struct Mismatch<T, std::void_t<decltype(TypeTraits<T>::GetMismatchTypeInfo(nullptr))>> {
  static std::string Text(const TVMFFIAny* any) { return TypeTraits<T>::GetMismatchTypeInfo(any); }
};
template <typename T>
TVM_FFI_COLD std::string MismatchText(const TVMFFIAny* any) {
  return Mismatch<T>::Text(any);
}

[[noreturn]] TVM_FFI_COLD inline void ThrowNotInstance(int32_t type_index, const char* type_key) {
  TVMFFIAny got{};
  got.type_index = type_index;
  TVM_FFI_THROW(TypeError) << "ObjectRef: expected " << ShownTypeKey(type_key) << ", got "
                           << TypeName(&got);
}

// Whether T is an object type; false for an incomplete type, such as that of a CUDA stream.
template <typename T, typename = void>
struct IsObjectType : public std::false_type {};
template <typename T>
struct IsObjectType<T, std::void_t<decltype(sizeof(T))>> : public std::is_base_of<Object, T> {};

}  // namespace detail

/*! \brief Base of TypeTraits specialisations; enables conversion of the type. */
struct TypeTraitsBase {
  /*! \brief Whether the type can be converted at all. */
  static constexpr bool convert_enabled = true;
  /*! \brief Whether an Any can own the type directly. */
  static constexpr bool storage_enabled = true;
  /*! \brief Type index of fields of the type if it is always the same; otherwise kTVMFFIAny. */
  static constexpr int32_t field_static_type_index = kTVMFFIAny;
  /*! \brief Describes a value that TryCastFromAnyView did not accept. */
  static std::string GetMismatchTypeInfo(const TVMFFIAny* source) {
    return detail::ValueText(source);
  }
};

namespace detail {

// Converts the value to the first of several types that accepts it, and from that to a T by
// TypeTraits<T>::ConvertFallbackValue.
template <typename T, typename Fallback, typename... Rest>
std::optional<T> TryFallbacks(const TVMFFIAny* any) {
  if (std::optional<Fallback> value = TypeTraits<Fallback>::TryCastFromAnyView(any)) {
    return TypeTraits<T>::ConvertFallbackValue(*std::move(value));
  }
  if constexpr (sizeof...(Rest) > 0) {
    return TryFallbacks<T, Rest...>(any);
  } else {
    return std::nullopt;
  }
}

}  // namespace detail

/*!
 * \brief Base of TypeTraits<T> for a parameter type created only from values of other types.
 *
 * The specialisation defines `static T ConvertFallbackValue(Fallback)` for each of these types.
 * \tparam T The type.
 * \tparam FallbackTypes Types to try, in order.
 */
template <typename T, typename... FallbackTypes>
struct FallbackOnlyTraitsBase : public TypeTraitsBase {
  /*! \brief An Any cannot own such a type. */
  static constexpr bool storage_enabled = false;
  /*! \brief The T made from the value, converted to the first type that accepts it. */
  static std::optional<T> TryCastFromAnyView(const TVMFFIAny* any) {
    return detail::TryFallbacks<T, FallbackTypes...>(any);
  }
};

/*! \brief No value. */
template <>
struct TypeTraits<std::nullptr_t>
    : public detail::InPlaceTraits<std::nullptr_t, TypeTraits<std::nullptr_t>> {
  static constexpr int32_t field_static_type_index = kTVMFFINone;
  static void CopyToAnyView(std::nullptr_t, TVMFFIAny* out) { Set(out, kTVMFFINone); }
  static bool CheckAnyStrict(const TVMFFIAny* any) { return any->type_index == kTVMFFINone; }
  static std::nullptr_t CopyFromAnyViewAfterCheck(const TVMFFIAny*) { return nullptr; }
  static std::string TypeStr() { return "None"; }
  static std::string TypeSchema() { return detail::SchemaText("None"); }
};

/*! \brief bool; an int converts to it. */
template <>
struct TypeTraits<bool> : public detail::InPlaceTraits<bool, TypeTraits<bool>> {
  static constexpr int32_t field_static_type_index = kTVMFFIBool;
  static void CopyToAnyView(bool value, TVMFFIAny* out) {
    Set(out, kTVMFFIBool);
    out->v_int64 = value ? 1 : 0;
  }
  static bool CheckAnyStrict(const TVMFFIAny* any) { return any->type_index == kTVMFFIBool; }
  static bool CopyFromAnyViewAfterCheck(const TVMFFIAny* any) { return any->v_int64 != 0; }
  static std::optional<bool> TryCastFromAnyView(const TVMFFIAny* any) {
    if (any->type_index != kTVMFFIBool && any->type_index != kTVMFFIInt) return std::nullopt;
    return any->v_int64 != 0;
  }
  static std::string TypeStr() { return "bool"; }
  static std::string TypeSchema() { return detail::SchemaText("bool"); }
};

/*! \brief A bool that, as a parameter, rejects ints. */
class StrictBool {
 public:
  /*! \brief Holds the value. */
  StrictBool(bool value) : value_(value) {}  // NOLINT(runtime/explicit)
  /*! \brief The value. */
  operator bool() const { return value_; }  // NOLINT(runtime/explicit)

 private:
  bool value_;
};

template <>
struct TypeTraits<StrictBool> : public detail::InPlaceTraits<StrictBool, TypeTraits<StrictBool>> {
  static constexpr int32_t field_static_type_index = kTVMFFIBool;
  static void CopyToAnyView(const StrictBool& value, TVMFFIAny* out) {
    TypeTraits<bool>::CopyToAnyView(value, out);
  }
  static bool CheckAnyStrict(const TVMFFIAny* any) { return any->type_index == kTVMFFIBool; }
  static StrictBool CopyFromAnyViewAfterCheck(const TVMFFIAny* any) { return any->v_int64 != 0; }
  static std::string TypeStr() { return "bool"; }
  static std::string TypeSchema() { return detail::SchemaText("bool"); }
};

/*! \brief Integers; a bool converts to them. A value that does not fit is rejected. */
template <typename Int>
struct TypeTraits<Int, std::enable_if_t<std::is_integral<Int>::value>>
    : public detail::InPlaceTraits<Int, TypeTraits<Int>> {
  static constexpr int32_t field_static_type_index = kTVMFFIInt;
  static void CopyToAnyView(Int value, TVMFFIAny* out) {
    if constexpr (std::is_unsigned<Int>::value) {
      TVM_FFI_CHECK(value <= uint64_t{INT64_MAX}, ValueError)
          << "int: expected at most " << INT64_MAX << ", got " << value;
    }
    detail::TypeTraitsBase::Set(out, kTVMFFIInt);
    out->v_int64 = static_cast<int64_t>(value);
  }
  static bool CheckAnyStrict(const TVMFFIAny* any) {
    return any->type_index == kTVMFFIInt && Fits(any->v_int64);
  }
  static Int CopyFromAnyViewAfterCheck(const TVMFFIAny* any) {
    return static_cast<Int>(any->v_int64);
  }
  static std::optional<Int> TryCastFromAnyView(const TVMFFIAny* any) {
    if (any->type_index != kTVMFFIInt && any->type_index != kTVMFFIBool) return std::nullopt;
    if (!Fits(any->v_int64)) return std::nullopt;
    return static_cast<Int>(any->v_int64);
  }
  static std::string TypeStr() {
    if (std::is_signed<Int>::value && sizeof(Int) == sizeof(int64_t)) return "int";
    return (Message().self() << (std::is_signed<Int>::value ? "int of " : "unsigned int of ")
                             << 8 * sizeof(Int) << " bits")
        .take();
  }
  static std::string TypeSchema() { return detail::SchemaText("int"); }

 private:
  static bool Fits(int64_t value) {
    return static_cast<int64_t>(static_cast<Int>(value)) == value &&
           (std::is_signed<Int>::value || value >= 0);
  }
};

/*! \brief Enumerations, passed as their underlying integers. */
template <typename Enum>
struct TypeTraits<Enum, std::enable_if_t<std::is_enum<Enum>::value>>
    : public detail::InPlaceTraits<Enum, TypeTraits<Enum>> {
  static constexpr int32_t field_static_type_index = kTVMFFIInt;
  /*! \brief Conversion of the integers. */
  using Underlying = TypeTraits<std::underlying_type_t<Enum>>;

  static void CopyToAnyView(Enum value, TVMFFIAny* out) {
    Underlying::CopyToAnyView(static_cast<std::underlying_type_t<Enum>>(value), out);
  }
  static bool CheckAnyStrict(const TVMFFIAny* any) { return Underlying::CheckAnyStrict(any); }
  static Enum CopyFromAnyViewAfterCheck(const TVMFFIAny* any) {
    return static_cast<Enum>(Underlying::CopyFromAnyViewAfterCheck(any));
  }
  static std::optional<Enum> TryCastFromAnyView(const TVMFFIAny* any) {
    const auto value = Underlying::TryCastFromAnyView(any);
    if (!value.has_value()) return std::nullopt;
    return static_cast<Enum>(*value);
  }
  static std::string TypeStr() { return Underlying::TypeStr(); }
  static std::string TypeSchema() { return Underlying::TypeSchema(); }
};

/*! \brief Floating-point numbers; an int or a bool converts to them. */
template <typename Float>
struct TypeTraits<Float, std::enable_if_t<std::is_floating_point<Float>::value>>
    : public detail::InPlaceTraits<Float, TypeTraits<Float>> {
  static constexpr int32_t field_static_type_index = kTVMFFIFloat;
  static void CopyToAnyView(Float value, TVMFFIAny* out) {
    detail::TypeTraitsBase::Set(out, kTVMFFIFloat);
    out->v_float64 = static_cast<double>(value);
  }
  static bool CheckAnyStrict(const TVMFFIAny* any) { return any->type_index == kTVMFFIFloat; }
  static Float CopyFromAnyViewAfterCheck(const TVMFFIAny* any) {
    return static_cast<Float>(any->v_float64);
  }
  static std::optional<Float> TryCastFromAnyView(const TVMFFIAny* any) {
    if (any->type_index == kTVMFFIFloat) return static_cast<Float>(any->v_float64);
    if (any->type_index == kTVMFFIInt || any->type_index == kTVMFFIBool) {
      return static_cast<Float>(any->v_int64);
    }
    return std::nullopt;
  }
  static std::string TypeStr() { return "float"; }
  static std::string TypeSchema() { return detail::SchemaText("float"); }
};

/*! \brief Pointers whose meaning the receiver knows; None becomes NULL. */
template <>
struct TypeTraits<void*> : public detail::InPlaceTraits<void*, TypeTraits<void*>> {
  static constexpr int32_t field_static_type_index = kTVMFFIOpaquePtr;
  static void CopyToAnyView(void* value, TVMFFIAny* out) {
    Set(out, value == nullptr ? kTVMFFINone : kTVMFFIOpaquePtr);
    out->v_ptr = value;
  }
  static bool CheckAnyStrict(const TVMFFIAny* any) { return any->type_index == kTVMFFIOpaquePtr; }
  static void* CopyFromAnyViewAfterCheck(const TVMFFIAny* any) { return any->v_ptr; }
  static std::optional<void*> TryCastFromAnyView(const TVMFFIAny* any) {
    if (any->type_index == kTVMFFINone) return nullptr;
    if (any->type_index == kTVMFFIOpaquePtr) return any->v_ptr;
    return std::nullopt;
  }
  static std::string TypeStr() { return "void*"; }
  static std::string TypeSchema() { return detail::SchemaText("void*"); }
};

/*! \brief Devices. */
template <>
struct TypeTraits<DLDevice> : public detail::InPlaceTraits<DLDevice, TypeTraits<DLDevice>> {
  static constexpr int32_t field_static_type_index = kTVMFFIDevice;
  static void CopyToAnyView(const DLDevice& value, TVMFFIAny* out) {
    Set(out, kTVMFFIDevice);
    out->v_device = value;
  }
  static bool CheckAnyStrict(const TVMFFIAny* any) { return any->type_index == kTVMFFIDevice; }
  static DLDevice CopyFromAnyViewAfterCheck(const TVMFFIAny* any) { return any->v_device; }
  static std::string TypeStr() { return "Device"; }
  static std::string TypeSchema() { return detail::SchemaText("Device"); }
};

/*! \brief Element types; their text converts to them. */
template <>
struct TypeTraits<DLDataType> : public detail::InPlaceTraits<DLDataType, TypeTraits<DLDataType>> {
  static constexpr int32_t field_static_type_index = kTVMFFIDataType;
  static void CopyToAnyView(const DLDataType& value, TVMFFIAny* out) {
    Set(out, kTVMFFIDataType);
    out->v_dtype = value;
  }
  static bool CheckAnyStrict(const TVMFFIAny* any) { return any->type_index == kTVMFFIDataType; }
  static DLDataType CopyFromAnyViewAfterCheck(const TVMFFIAny* any) { return any->v_dtype; }
  static std::optional<DLDataType> TryCastFromAnyView(const TVMFFIAny* any) {
    switch (any->type_index) {
      case kTVMFFIDataType:
        return any->v_dtype;
      case kTVMFFIRawStr:
        if (any->v_c_str == nullptr) return std::nullopt;
        return StringToDLDataType(any->v_c_str);
      case kTVMFFISmallStr:
        return StringToDLDataType({any->v_bytes, any->small_str_len});
      case kTVMFFIStr: {
        const auto* bytes = reinterpret_cast<const TVMFFIByteArray*>(any->v_obj + 1);
        return StringToDLDataType({bytes->data, bytes->size});
      }
      default:
        return std::nullopt;
    }
  }
  static std::string TypeStr() { return "dtype"; }
  static std::string TypeSchema() { return detail::SchemaText("DataType"); }
};

/*!
 * \brief Handles of objects.
 *
 * None becomes a null handle if the class allows one (`Ref::_type_is_nullable`).
 */
template <typename Ref>
struct ObjectRefTraits : public detail::TypeTraitsBase {
  static constexpr int32_t field_static_type_index = kTVMFFIObject;
  /*! \brief Type of the handle's object. */
  using Obj = typename Ref::ContainerType;

  static void CopyToAnyView(const Ref& value, TVMFFIAny* out) {
    SetObject(out, value.type_index());
    out->v_obj = ObjectUnsafe::Borrow(value);
  }
  static void MoveToAny(Ref value, TVMFFIAny* out) {
    SetObject(out, value.type_index());
    out->v_obj = ObjectUnsafe::MoveToOwned(std::move(value));
  }
  static bool CheckAnyStrict(const TVMFFIAny* any) {
    if (any->type_index < kTVMFFIStaticObjectBegin) {
      return Ref::_type_is_nullable && any->type_index == kTVMFFINone;
    }
    return reinterpret_cast<const Object*>(any->v_obj)->IsInstance<Obj>();
  }
  static Ref CopyFromAnyViewAfterCheck(const TVMFFIAny* any) {
    // Hand-written code may set only the type of None.
    const bool is_none = Ref::_type_is_nullable && any->type_index == kTVMFFINone;
    const TVMFFIObject* object = is_none ? nullptr : any->v_obj;
    return ObjectUnsafe::RefFromPtr<Ref>(ObjectUnsafe::PtrFromBorrowed<Object>(object));
  }
  static Ref MoveFromAnyAfterCheck(TVMFFIAny* any) { return detail::MoveFromOwned<Ref>(any); }
  static std::optional<Ref> TryCastFromAnyView(const TVMFFIAny* any) {
    if (CheckAnyStrict(any)) return CopyFromAnyViewAfterCheck(any);
    return std::nullopt;
  }
  static std::string TypeStr() { return detail::ShownTypeKey(Obj::_type_key); }
  static std::string TypeSchema() { return detail::SchemaText(Obj::_type_key); }
};

/*! \brief Whether the handle class Ref is converted by ObjectRefTraits; a class with its own
 * TypeTraits specialises this as false. */
template <typename Ref>
inline constexpr bool use_default_type_traits_v = std::is_base_of<ObjectRef, Ref>::value;

template <typename Ref>
struct TypeTraits<
    Ref, std::enable_if_t<std::is_base_of<ObjectRef, Ref>::value && use_default_type_traits_v<Ref>>>
    : public ObjectRefTraits<Ref> {};

/*!
 * \brief Base of TypeTraits<TObjRef> for a handle class with the usual conversions.
 *
 * For a class whose `use_default_type_traits_v` is false.
 */
template <typename TObjRef>
struct ObjectRefTypeTraitsBase : public ObjectRefTraits<TObjRef> {
  /*! \brief Type of the handle's object. */
  using ContainerType = typename TObjRef::ContainerType;
  /*! \brief Describes a value that TryCastFromAnyView did not accept. */
  static std::string GetMismatchTypeInfo(const TVMFFIAny* source) {
    return detail::ValueText(source);
  }
};

/*!
 * \brief Base of TypeTraits for a handle class to which values of other types convert.
 *
 * For each, the specialisation defines `static ObjectRefType ConvertFallbackValue(Fallback)`.
 * \tparam ObjectRefType The handle class, whose `use_default_type_traits_v` is false.
 * \tparam FallbackTypes Types to try, in order, if the value is not such an object.
 */
template <typename ObjectRefType, typename... FallbackTypes>
struct ObjectRefWithFallbackTraitsBase : public ObjectRefTypeTraitsBase<ObjectRefType> {
  /*! \brief The object's handle, or one made from the first fallback type that accepts it. */
  static std::optional<ObjectRefType> TryCastFromAnyView(const TVMFFIAny* any) {
    std::optional<ObjectRefType> own = ObjectRefTraits<ObjectRefType>::TryCastFromAnyView(any);
    if (own.has_value()) return own;
    return detail::TryFallbacks<ObjectRefType, FallbackTypes...>(any);
  }
};

/*! \brief Pointers to objects: lent as arguments, shared as results; NULL is None. */
template <typename T>
struct TypeTraits<T*, std::enable_if_t<detail::IsObjectType<T>::value>>
    : public detail::InPlaceTraits<T*, TypeTraits<T*>> {
  static void CopyToAnyView(T* value, TVMFFIAny* out) {
    const Object* object = value;
    detail::TypeTraitsBase::SetObject(
        out, object == nullptr ? int32_t{kTVMFFINone} : object->type_index());
    out->v_ptr = const_cast<Object*>(object);
  }
  static void MoveToAny(T* value, TVMFFIAny* out) {
    CopyToAnyView(value, out);
    if (value != nullptr) TVM_FFI_CHECK_SAFE_CALL(TVMFFIObjectIncRef(out->v_ptr));
  }
  static bool CheckAnyStrict(const TVMFFIAny* any) {
    return any->type_index >= kTVMFFIStaticObjectBegin &&
           reinterpret_cast<const Object*>(any->v_obj)->IsInstance<std::remove_const_t<T>>();
  }
  static T* CopyFromAnyViewAfterCheck(const TVMFFIAny* any) {
    return static_cast<T*>(reinterpret_cast<Object*>(any->v_obj));
  }
  static std::string TypeStr() { return detail::ShownTypeKey(T::_type_key); }
  static std::string TypeSchema() { return detail::SchemaText(T::_type_key); }
};

/*! \brief Owners of objects; null is None. */
template <typename T>
struct TypeTraits<ObjectPtr<T>> : public detail::TypeTraitsBase {
  static void CopyToAnyView(const ObjectPtr<T>& value, TVMFFIAny* out) {
    TypeTraits<T*>::CopyToAnyView(value.get(), out);
  }
  static void MoveToAny(ObjectPtr<T> value, TVMFFIAny* out) {
    CopyToAnyView(value, out);
    ObjectUnsafe::MoveToOwned(std::move(value));
  }
  static bool CheckAnyStrict(const TVMFFIAny* any) {
    return any->type_index == kTVMFFINone || TypeTraits<T*>::CheckAnyStrict(any);
  }
  static ObjectPtr<T> CopyFromAnyViewAfterCheck(const TVMFFIAny* any) {
    if (any->type_index == kTVMFFINone) return nullptr;
    return ObjectUnsafe::PtrFromBorrowed<T>(any->v_obj);
  }
  static ObjectPtr<T> MoveFromAnyAfterCheck(TVMFFIAny* any) {
    return detail::MoveFromOwned<ObjectPtr<T>>(any);
  }
  static std::optional<ObjectPtr<T>> TryCastFromAnyView(const TVMFFIAny* any) {
    if (CheckAnyStrict(any)) return CopyFromAnyViewAfterCheck(any);
    return std::nullopt;
  }
  static std::string TypeStr() { return TypeTraits<T*>::TypeStr(); }
  static std::string TypeSchema() { return TypeTraits<T*>::TypeSchema(); }
};

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_TYPE_TRAITS_H_
