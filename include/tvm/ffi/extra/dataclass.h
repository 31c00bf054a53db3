// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/extra/dataclass.h
 * \brief Copies, compares and prints values with everything that they contain.
 *
 * Objects take part through their registered fields or the attributes of their types.
 * The code is inline and calls global functions, so it runs under any runtime that has them.
 */
#ifndef TVM_FFI_EXTRA_DATACLASS_H_
#define TVM_FFI_EXTRA_DATACLASS_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/container/variant.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/object.h>
#include <tvm/ffi/optional.h>
#include <tvm/ffi/reflection/attr_key.h>
#include <tvm/ffi/string.h>
#include <tvm/ffi/typed_function.h>

#include <cstdint>
#include <ostream>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

/*! \brief Copies a value and everything that it contains; shared objects stay shared. */
TVM_FFI_RUNTIME_API inline Any DeepCopy(const Any& value) {
  static const Function copy = Function::GetGlobalRequired("ffi.DeepCopy");
  return copy(value);
}

/*! \brief Returns the printed form of a value, like `repr` in Python. */
TVM_FFI_RUNTIME_API inline String ReprPrint(const Any& value) {
  static const Function print = Function::GetGlobalRequired("ffi.ReprPrint");
  return print(value).cast<String>();
}

/*! \brief Returns a hash that is equal for values with equal contents. */
TVM_FFI_RUNTIME_API inline int64_t RecursiveHash(const Any& value) {
  static const Function hash = Function::GetGlobalRequired("ffi.RecursiveHash");
  return hash(value).cast<int64_t>();
}

/*! \brief Whether two values have equal contents. */
TVM_FFI_RUNTIME_API inline bool RecursiveEq(const Any& a, const Any& b) {
  static const Function compare = Function::GetGlobalRequired("ffi.RecursiveEq");
  return compare(a, b).cast<bool>();
}

/*! \brief Whether `a` comes before `b`. */
TVM_FFI_RUNTIME_API inline bool RecursiveLt(const Any& a, const Any& b) {
  static const Function compare = Function::GetGlobalRequired("ffi.RecursiveLt");
  return compare(a, b).cast<bool>();
}

/*! \brief Whether `a` comes before `b` or equals it. */
TVM_FFI_RUNTIME_API inline bool RecursiveLe(const Any& a, const Any& b) {
  static const Function compare = Function::GetGlobalRequired("ffi.RecursiveLe");
  return compare(a, b).cast<bool>();
}

/*! \brief Whether `a` comes after `b`. */
TVM_FFI_RUNTIME_API inline bool RecursiveGt(const Any& a, const Any& b) {
  static const Function compare = Function::GetGlobalRequired("ffi.RecursiveGt");
  return compare(a, b).cast<bool>();
}

/*! \brief Whether `a` comes after `b` or equals it. */
TVM_FFI_RUNTIME_API inline bool RecursiveGe(const Any& a, const Any& b) {
  static const Function compare = Function::GetGlobalRequired("ffi.RecursiveGe");
  return compare(a, b).cast<bool>();
}

/*! \brief Writes the printed form of a value. */
inline std::ostream& operator<<(std::ostream& out, const Any& value) {
  return out << ReprPrint(value);
}
/*! \brief Writes the printed form of an object. */
inline std::ostream& operator<<(std::ostream& out, const ObjectRef& value) {
  return out << ReprPrint(value);
}
/*! \brief Writes the printed form of a value. */
template <typename... V>
std::ostream& operator<<(std::ostream& out, const Variant<V...>& value) {
  return out << ReprPrint(value);
}
/*! \brief Writes the printed form of a value, or None. */
template <typename T>
std::ostream& operator<<(std::ostream& out, const Optional<T>& value) {
  return out << ReprPrint(value);
}

namespace type_attr {

/*! \brief The printed form of an object of the type, given a function that prints a part. */
inline constexpr reflection::AttrKey<
    TypedFunction<String(const Object*, const TypedFunction<String(AnyView)>&)>>
    kRepr{"__ffi_repr__"};
/*! \brief Hashes an object of the type, given a function that hashes a part. */
inline constexpr reflection::AttrKey<
    TypedFunction<int64_t(const Object*, const TypedFunction<int64_t(AnyView)>&)>>
    kHash{"__ffi_hash__"};
/*! \brief Whether two objects of the type are equal, given a function that compares two
 * parts. */
inline constexpr reflection::AttrKey<
    TypedFunction<bool(const Object*, const Object*, const TypedFunction<bool(AnyView, AnyView)>&)>>
    kEq{"__ffi_eq__"};
/*! \brief Returns a negative value, 0 or a positive value if one object of the type comes before,
 * equals or comes after another, given a function that compares two parts. */
inline constexpr reflection::AttrKey<TypedFunction<int32_t(
    const Object*, const Object*, const TypedFunction<int32_t(AnyView, AnyView)>&)>>
    kCompare{"__ffi_compare__"};

}  // namespace type_attr
}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_EXTRA_DATACLASS_H_
