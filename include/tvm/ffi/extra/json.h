// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/extra/json.h
 * \brief Reads and writes JSON text.
 *
 * The code is inline: code that uses it needs no symbol of the runtime, and runs under any runtime.
 */
#ifndef TVM_FFI_EXTRA_JSON_H_
#define TVM_FFI_EXTRA_JSON_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/extra/base.h>
#include <tvm/ffi/extra/json_reader.h>
#include <tvm/ffi/extra/json_writer.h>
#include <tvm/ffi/optional.h>
#include <tvm/ffi/string.h>

#include <optional>
#include <string>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

/*! \brief JSON parsing, writing and values. */
namespace json {

/*! \brief None, a bool, an int64_t, a double, a String, an Array or an Object. */
using Value = Any;
/*! \brief Pairs with String keys, in the order of the text. */
using Object = ::tvm::ffi::Map<Any, Any>;
/*! \brief A sequence of values. */
using Array = ::tvm::ffi::Array<Any>;

/*!
 * \brief Parses a JSON text.
 *
 * It also accepts `NaN`, `Infinity` and `-Infinity`, numbers such as `+1`, `01`, `1.` and `.5`, and
 * bytes in a string that are not UTF-8, which it keeps. An integer beyond 64 bits becomes a double
 * if one can hold it. If a key occurs more than once, the last pair is kept.
 * \param json_str The text.
 * \param error_msg Receives the error, such as "Extra data: line 1 column 3 (char 2)", or an empty
 *        string. Columns and chars count bytes.
 * \return The value; None if `error_msg` receives an error.
 * \throws Error A ValueError with that message if `error_msg` is NULL. Nesting deeper than 10,000
 *         levels is an error.
 */
TVM_FFI_RUNTIME_API inline Value Parse(const String& json_str, String* error_msg = nullptr) {
  std::string error;
  Value value = detail::JsonReader(json_str.data(), json_str.size(), &error).Read();
  if (error_msg != nullptr) {
    *error_msg = String(error);
  } else {
    TVM_FFI_CHECK(error.empty(), ValueError) << error;
  }
  return value;
}

/*!
 * \brief Writes a value as a JSON text, which Parse reads as the same value.
 * \param value None, a bool, a number, a String, a sequence, or a Map with String keys. Slashes are
 *        escaped; bytes that are not UTF-8 are kept; NaN and infinities are written as
 *        `NaN`, `Infinity` and `-Infinity`.
 * \param indent Spaces for each level, with every value on its own line; if omitted or 0, all
 *        values are on one line without spaces.
 * \throws Error A ValueError for a value of another type, for a key that is not a String, and for a
 *         value nested more than 10,000 levels deep, such as a List that contains itself.
 */
inline String Stringify(const json::Value& value, const Optional<int>& indent = std::nullopt) {
  detail::JsonWriter writer(indent.value_or(0));
  writer.Write(value);
  return String(writer.Take());
}

}  // namespace json
}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_EXTRA_JSON_H_
