// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/extra/json_writer.h
 * \brief The writer used by json::Stringify.
 */
#ifndef TVM_FFI_EXTRA_JSON_WRITER_H_
#define TVM_FFI_EXTRA_JSON_WRITER_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/decimal_point.h>
#include <tvm/ffi/extra/json_reader.h>
#include <tvm/ffi/string.h>
#include <tvm/ffi/string_escape.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {
namespace json {
namespace detail {

class JsonWriter {
 public:
  // An indent of 0 writes a single line. A negative one breaks lines without indenting.
  explicit JsonWriter(int indent) : indent_(indent) {}

  void Write(const Any& value) {
    Begin(value);
    // Continues with the innermost container: recursion would use stack in proportion to the
    // nesting depth.
    while (!open_.empty()) {
      Open& last = open_.back();
      if (last.IsAtEnd()) {
        const char bracket = last.is_map ? '}' : ']';
        open_.pop_back();
        BreakLine();
        text_ += bracket;
        continue;
      }
      if (!std::exchange(last.is_first, false)) text_ += ',';
      BreakLine();
      if (last.is_map) WriteKey((*last.pair).first);
      Begin(last.Next());
    }
  }

  std::string Take() { return std::move(text_); }

 private:
  // A container that is not completely written.
  struct Open {
    Array<Any> array{UnsafeInit{}};
    List<Any> list{UnsafeInit{}};
    Map<Any, Any> map{UnsafeInit{}};
    bool is_map = false;
    bool is_first = true;
    size_t next = 0;  // index in a sequence
    Map<Any, Any>::iterator pair;

    bool IsAtEnd() const {
      if (is_map) return pair == map.end();
      return next == (list.defined() ? list.size() : array.size());
    }
    Any Next() {
      if (is_map) return (*pair++).second;
      const auto index = static_cast<int64_t>(next++);
      return list.defined() ? list[index] : array[index];
    }
  };

  // Writes a value, or only the opening bracket of a container.
  void Begin(const Any& value) {
    switch (value.type_index()) {
      case kTVMFFINone:
        text_ += "null";
        return;
      case kTVMFFIBool:
        text_ += value.cast<bool>() ? "true" : "false";
        return;
      case kTVMFFIInt:
        text_ += (Message().self() << value.cast<int64_t>()).take();
        return;
      case kTVMFFIFloat:
        WriteFloat(value.cast<double>());
        return;
      case kTVMFFISmallStr:
      case kTVMFFIStr:
        WriteString(value.cast<String>());
        return;
      case kTVMFFIArray:
        BeginContainer('[').array = value.cast<Array<Any>>();
        return;
      case kTVMFFIList:
        BeginContainer('[').list = value.cast<List<Any>>();
        return;
      case kTVMFFIMap: {
        Open& opened = BeginContainer('{');
        opened.is_map = true;
        opened.map = value.cast<Map<Any, Any>>();
        opened.pair = opened.map.begin();
        return;
      }
      default:
        TVM_FFI_THROW(ValueError) << "json::Stringify: expected None, a bool, a number, str, Array,"
                                     " List or Map, got "
                                  << value.GetTypeKey();
    }
  }

  Open& BeginContainer(char bracket) {
    TVM_FFI_CHECK(open_.size() < kDeepest, ValueError)
        << "json::Stringify: expected at most " << kDeepest << " levels of nesting, "
        << "got more";
    text_ += bracket;
    open_.emplace_back();
    return open_.back();
  }

  void WriteKey(const Any& key) {
    const std::optional<String> name = key.as<String>();
    TVM_FFI_CHECK(name.has_value(), ValueError)
        << "json::Stringify: expected keys of type str, got " << key.GetTypeKey();
    WriteString(*name);
    text_ += indent_ == 0 ? ":" : ": ";
  }

  void WriteFloat(double value) {
    if (std::isnan(value)) {
      text_ += "NaN";
      return;
    }
    if (std::isinf(value)) {
      text_ += value < 0 ? "-Infinity" : "Infinity";
      return;
    }
    // With 17 digits, the same double is read back.
    char digits[32];
    std::snprintf(digits, sizeof(digits), "%.17g", value);
    ffi::detail::UsePoint(digits);
    const std::string_view written = digits;
    text_ += written;
    // Ensures that it is read back as a float.
    if (written.find_first_of(".e") == std::string_view::npos) text_ += ".0";
  }

  void WriteString(const String& text) { ffi::detail::AppendJsonString(text, &text_); }

  void BreakLine() {
    if (indent_ == 0) return;
    text_ += '\n';
    if (indent_ > 0) text_.append(static_cast<size_t>(indent_) * open_.size(), ' ');
  }

  int indent_;
  std::string text_;
  std::vector<Open> open_;  // innermost last
};

}  // namespace detail
}  // namespace json
}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_EXTRA_JSON_WRITER_H_
