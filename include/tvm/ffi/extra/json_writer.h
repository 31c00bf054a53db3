// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/extra/json_writer.h
 * \brief How json::Stringify writes a value.
 */
#ifndef TVM_FFI_EXTRA_JSON_WRITER_H_
#define TVM_FFI_EXTRA_JSON_WRITER_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/extra/json_reader.h>
#include <tvm/ffi/string.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {
namespace json {
namespace detail {

class JsonWriter {
 public:
  // No indent, 0, is all on one line. A negative one breaks lines and indents nothing.
  explicit JsonWriter(int indent) : indent_(indent) {}

  void Write(const Any& value, int depth) {
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
        WriteSequence(value.cast<Array<Any>>(), depth);
        return;
      case kTVMFFIList:
        WriteSequence(value.cast<List<Any>>(), depth);
        return;
      case kTVMFFIMap:
        WriteMap(value.cast<Map<Any, Any>>(), depth);
        return;
      default:
        TVM_FFI_THROW(ValueError) << "json::Stringify: expected None, a bool, a number, str, Array,"
                                     " List or Map, got "
                                  << value.GetTypeKey();
    }
  }

  std::string Take() { return std::move(text_); }

 private:
  void WriteFloat(double value) {
    if (std::isnan(value)) {
      text_ += "NaN";
      return;
    }
    if (std::isinf(value)) {
      text_ += value < 0 ? "-Infinity" : "Infinity";
      return;
    }
    // 17 digits: no other double is read back.
    char digits[32];
    std::snprintf(digits, sizeof(digits), "%.17g", value);
    const std::string_view written = digits;
    text_ += written;
    // It is to be read back as a float.
    if (written.find_first_of(".e") == std::string_view::npos) text_ += ".0";
  }

  void WriteString(const String& text) {
    text_ += '"';
    for (const char c : std::string_view(text)) {
      constexpr std::string_view kEscaped = "\"\\/\b\f\n\r\t", kLetters = "\"\\/bfnrt";
      const size_t i = kEscaped.find(c);
      if (i != std::string_view::npos) {
        text_ += '\\';
        text_ += kLetters[i];
      } else if (static_cast<unsigned char>(c) < 32 || c == 127) {
        char escape[8];
        std::snprintf(escape, sizeof(escape), "\\u%04x", static_cast<unsigned>(c));
        text_ += escape;
      } else {
        text_ += c;
      }
    }
    text_ += '"';
  }

  void BreakLine(int depth) {
    if (indent_ == 0) return;
    text_ += '\n';
    if (indent_ > 0) text_.append(static_cast<size_t>(indent_) * static_cast<size_t>(depth), ' ');
  }

  static void CheckDepth(int depth) {
    TVM_FFI_CHECK(depth < kDeepest, ValueError)
        << "json::Stringify: expected a value nested up to " << kDeepest << " deep, got a deeper "
        << "one";
  }

  template <typename Sequence>
  void WriteSequence(const Sequence& sequence, int depth) {
    CheckDepth(depth);
    text_ += '[';
    for (size_t i = 0; i < sequence.size(); ++i) {
      if (i != 0) text_ += ',';
      BreakLine(depth + 1);
      Write(sequence[static_cast<int64_t>(i)], depth + 1);
    }
    BreakLine(depth);
    text_ += ']';
  }

  void WriteMap(const Map<Any, Any>& map, int depth) {
    CheckDepth(depth);
    text_ += '{';
    bool first = true;
    for (const auto& [key, value] : map) {
      const std::optional<String> name = key.template as<String>();
      TVM_FFI_CHECK(name.has_value(), ValueError)
          << "json::Stringify: expected keys of type str, got " << key.GetTypeKey();
      if (!std::exchange(first, false)) text_ += ',';
      BreakLine(depth + 1);
      WriteString(*name);
      text_ += indent_ == 0 ? ":" : ": ";
      Write(value, depth + 1);
    }
    BreakLine(depth);
    text_ += '}';
  }

  int indent_;
  std::string text_;
};

}  // namespace detail
}  // namespace json
}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_EXTRA_JSON_WRITER_H_
