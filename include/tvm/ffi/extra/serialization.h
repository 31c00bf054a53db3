// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/extra/serialization.h
 * \brief Converts values to JSON objects and back.
 *
 * A graph has one node for each object, so that shared objects stay shared. The format is that of
 * the published package. The code is inline and calls global functions, so it runs under any
 * runtime that has them.
 */
#ifndef TVM_FFI_EXTRA_SERIALIZATION_H_
#define TVM_FFI_EXTRA_SERIALIZATION_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/extra/json.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/attr_key.h>
#include <tvm/ffi/typed_function.h>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

/*!
 * \brief Converts a value to a JSON object.
 * \param value The value. Objects need registered fields, or the attribute `__data_to_json__`.
 * \param metadata Stored in the object under "metadata", unless None.
 */
TVM_FFI_RUNTIME_API inline json::Value ToJSONGraph(const Any& value,
                                                   const Any& metadata = Any(nullptr)) {
  static const Function convert = Function::GetGlobalRequired("ffi.ToJSONGraph");
  return convert(value, metadata);
}

/*! \brief Converts the result of ToJSONGraph back to a value. */
TVM_FFI_RUNTIME_API inline Any FromJSONGraph(const json::Value& graph) {
  static const Function convert = Function::GetGlobalRequired("ffi.FromJSONGraph");
  return convert(graph);
}

namespace type_attr {

/*! \brief Returns the JSON data of an object of the type, stored instead of its fields. */
inline constexpr reflection::AttrKey<TypedFunction<Any(AnyView)>> kDataToJson{"__data_to_json__"};
/*! \brief Creates an object from the result of kDataToJson. */
inline constexpr reflection::AttrKey<TypedFunction<Any(AnyView)>> kDataFromJson{
    "__data_from_json__"};

}  // namespace type_attr
}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_EXTRA_SERIALIZATION_H_
