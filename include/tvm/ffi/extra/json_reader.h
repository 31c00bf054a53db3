// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/extra/json_reader.h
 * \brief The reader used by json::Parse.
 */
#ifndef TVM_FFI_EXTRA_JSON_READER_H_
#define TVM_FFI_EXTRA_JSON_READER_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/decimal_point.h>
#include <tvm/ffi/string.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {
namespace json {
namespace detail {

// Deeper nesting would use too much stack when the value is destroyed under the published runtime.
// Reading and writing use no more stack for deeper values.
inline constexpr size_t kDeepest = 10'000;

// Stops at the first error: every function returns false from then on.
class JsonReader {
 public:
  JsonReader(const char* data, size_t size, std::string* error)
      : begin_(data), at_(data), end_(data + size), error_(error) {}

  Any Read() {
    Any value;
    if (!ReadValue(&value)) return Any();
    SkipSpace();
    if (at_ != end_) {
      Fail("Extra data", at_);
      return Any();
    }
    return value;
  }

 private:
  void SkipSpace() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\n' || *at_ == '\r')) ++at_;
  }

  TVM_FFI_COLD bool Fail(const char* what, const char* where) {
    int64_t line = 1;
    const char* line_begin = begin_;
    for (const char* p = begin_; p != where; ++p) {
      if (*p != '\n') continue;
      ++line;
      line_begin = p + 1;
    }
    *error_ = (Message().self() << what << ": line " << line << " column "
                                << static_cast<int64_t>(where - line_begin) + 1 << " (char "
                                << static_cast<int64_t>(where - begin_) << ")")
                  .take();
    return false;
  }

  bool Take(std::string_view word) {
    if (std::string_view(at_, static_cast<size_t>(end_ - at_)).substr(0, word.size()) != word) {
      return false;
    }
    at_ += word.size();
    return true;
  }

  // A container whose end has not been read yet.
  struct Open {
    explicit Open(char bracket) : is_object(bracket == '{') {
      if (is_object) {
        object = Map<Any, Any>();
      } else {
        array = Array<Any>();
      }
    }
    void Add(Any&& value) {
      if (is_object) {
        object.Set(String(key), std::move(value));
      } else {
        array.push_back(std::move(value));
      }
    }
    Any Take() {
      if (is_object) return std::move(object);
      return std::move(array);
    }
    const char* Bracket() const { return is_object ? "}" : "]"; }

    bool is_object;
    Array<Any> array{UnsafeInit{}};
    Map<Any, Any> object{UnsafeInit{}};
    std::string key;
  };

  bool ReadValue(Any* out) {
    std::vector<Open> open;  // innermost last
    for (;;) {
      SkipSpace();
      if (at_ == end_) return Fail("Expecting value", at_);
      if (*at_ == '[' || *at_ == '{') {
        if (open.size() >= kDeepest) return Fail("Nested more than 10000 deep", at_);
        open.emplace_back(*at_++);
        SkipSpace();
        if (!Take(open.back().Bracket())) {
          if (!ReadKey(&open.back())) return false;
          continue;
        }
        *out = open.back().Take();
        open.pop_back();
      } else if (!ReadPlain(out)) {
        return false;
      }
      // A value is complete, possibly along with containers that end after it.
      for (;;) {
        if (open.empty()) return true;
        open.back().Add(std::move(*out));
        SkipSpace();
        if (Take(",")) break;
        if (!Take(open.back().Bracket())) return Fail("Expecting ',' delimiter", at_);
        *out = open.back().Take();
        open.pop_back();
      }
      if (!ReadKey(&open.back())) return false;
    }
  }

  // Reads the key before each value of an object.
  bool ReadKey(Open* open) {
    if (!open->is_object) return true;
    SkipSpace();
    if (at_ == end_ || *at_ != '"') {
      return Fail("Expecting property name enclosed in double quotes", at_);
    }
    open->key.clear();
    if (!ReadString(&open->key)) return false;
    SkipSpace();
    return Take(":") || Fail("Expecting ':' delimiter", at_);
  }

  // Reads a value that is not a container.
  bool ReadPlain(Any* out) {
    if (*at_ == '"') {
      std::string text;
      if (!ReadString(&text)) return false;
      *out = String(text);
    } else if (Take("null")) {
      *out = nullptr;
    } else if (Take("true")) {
      *out = true;
    } else if (Take("false")) {
      *out = false;
    } else if (Take("NaN")) {
      *out = std::numeric_limits<double>::quiet_NaN();
    } else if (Take("Infinity")) {
      *out = std::numeric_limits<double>::infinity();
    } else if (Take("-Infinity")) {
      *out = -std::numeric_limits<double>::infinity();
    } else {
      return ReadNumber(out);
    }
    return true;
  }

  bool ReadNumber(Any* out) {
    const char* const begin = at_;
    bool is_integer = true;
    for (; at_ != end_; ++at_) {
      if (*at_ >= '0' && *at_ <= '9') continue;
      if ((*at_ == '-' || *at_ == '+') && at_ == begin) continue;
      if (std::string_view("+-.eE").find(*at_) == std::string_view::npos) break;
      is_integer = false;
    }
    // The C functions need a terminator.
    const std::string text(begin, at_);
    int64_t integer = 0;
    if (is_integer && ToInteger(text, &integer)) {
      *out = integer;
      return true;
    }
    bool is_number = false;
    const double number = ffi::detail::ReadWithPoint(text, &is_number);
    if (!is_number || !std::isfinite(number)) {
      at_ = begin;
      return Fail("Expecting value", begin);
    }
    *out = number;
    return true;
  }

  // Whether the digits, with or without a sign, fit.
  static bool ToInteger(const std::string& text, int64_t* out) {
    const bool negative = !text.empty() && text[0] == '-';
    const size_t sign = !text.empty() && (negative || text[0] == '+') ? 1 : 0;
    if (text.size() == sign) return false;
    const uint64_t most = static_cast<uint64_t>(INT64_MAX) + (negative ? 1 : 0);
    uint64_t value = 0;
    for (size_t i = sign; i < text.size(); ++i) {
      const auto digit = static_cast<uint64_t>(text[i] - '0');
      if (value > (most - digit) / 10) return false;
      value = value * 10 + digit;
    }
    *out = static_cast<int64_t>(negative ? 0 - value : value);
    return true;
  }

  // Reads the four digits of a \u escape, which start at `at_`.
  bool ReadHex(const char* escape, uint32_t* out) {
    if (end_ - at_ < 4) return Fail("Invalid \\uXXXX escape", escape);
    *out = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      const char c = *at_;
      uint32_t digit = 0;
      if (c >= '0' && c <= '9') {
        digit = static_cast<uint32_t>(c - '0');
      } else if (c >= 'a' && c <= 'f') {
        digit = static_cast<uint32_t>(c - 'a' + 10);
      } else if (c >= 'A' && c <= 'F') {
        digit = static_cast<uint32_t>(c - 'A' + 10);
      } else {
        return Fail("Invalid \\uXXXX escape", escape);
      }
      *out = *out * 16 + digit;
    }
    return true;
  }

  static void AppendUtf8(std::string* out, uint32_t code) {
    if (code < 0x80) {
      *out += static_cast<char>(code);
      return;
    }
    const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    const uint32_t lead = more == 1 ? 0xc0 : more == 2 ? 0xe0 : 0xf0;
    *out += static_cast<char>(lead | (code >> (6 * more)));
    for (int i = more - 1; i >= 0; --i) {
      *out += static_cast<char>(0x80 | ((code >> (6 * i)) & 0x3f));
    }
  }

  // Reads the digits after "\u", and the second half of a surrogate pair if there is one.
  bool ReadUnicode(const char* escape, std::string* out) {
    constexpr const char* kPair = "Invalid surrogate pair of \\uXXXX escapes";
    uint32_t code = 0;
    if (!ReadHex(escape, &code)) return false;
    if (code >= 0xdc00 && code < 0xe000) return Fail(kPair, escape);
    if (code >= 0xd800 && code < 0xdc00) {
      if (!Take("\\u")) return Fail(kPair, escape);
      const char* const second = at_;
      uint32_t low = 0;
      if (!ReadHex(second, &low)) return false;
      if (low < 0xdc00 || low >= 0xe000) return Fail(kPair, second);
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    AppendUtf8(out, code);
    return true;
  }

  bool ReadString(std::string* out) {
    const char* const begin = at_++;
    for (;;) {
      const char* const plain = at_;
      while (at_ != end_ && *at_ != '"' && *at_ != '\\' && static_cast<unsigned char>(*at_) >= 32) {
        ++at_;
      }
      out->append(plain, at_);
      if (at_ == end_) return Fail("Unterminated string starting at", begin);
      if (*at_ == '"') break;
      if (*at_ != '\\') return Fail("Invalid control character at", at_);
      const char* const escape = ++at_;
      constexpr std::string_view kLetters = "\"\\/bfnrt", kStandFor = "\"\\/\b\f\n\r\t";
      const size_t i = at_ == end_ ? std::string_view::npos : kLetters.find(*at_);
      if (i != std::string_view::npos) {
        ++at_;
        *out += kStandFor[i];
      } else if (at_ != end_ && *at_ == 'u') {
        ++at_;
        if (!ReadUnicode(escape, out)) return false;
      } else {
        return Fail("Invalid \\escape", escape);
      }
    }
    ++at_;
    return true;
  }

  const char* begin_;
  const char* at_;
  const char* end_;
  std::string* error_;
};

}  // namespace detail
}  // namespace json
}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_EXTRA_JSON_READER_H_
