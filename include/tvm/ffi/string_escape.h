// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/string_escape.h
 * \brief Escaping of texts in quotes.
 */
#ifndef TVM_FFI_STRING_ESCAPE_H_
#define TVM_FFI_STRING_ESCAPE_H_

#include <tvm/ffi/attributes.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {
namespace detail {

// Appends a backslash, `letter` and the last `digits` hexadecimal digits of `code`.
inline void AppendHex(char letter, uint32_t code, int digits, std::string* out) {
  (*out += '\\') += letter;
  while (digits-- > 0) *out += "0123456789abcdef"[(code >> (4 * digits)) & 15];
}

// If `escaped` contains the character, appends a backslash and the letter at the same position.
inline bool AppendLetter(char c, std::string_view escaped, std::string_view letters,
                         std::string* out) {
  const size_t i = escaped.find(c);
  if (i == std::string_view::npos) return false;
  (*out += '\\') += letters[i];
  return true;
}

inline bool IsControl(char c) { return static_cast<unsigned char>(c) < 32 || c == 127; }

// Appends the text as a JSON string; non-ASCII characters are unchanged.
inline void AppendJsonString(std::string_view text, std::string* out) {
  *out += '"';
  for (const char c : text) {
    if (AppendLetter(c, "\"\\/\b\f\n\r\t", "\"\\/bfnrt", out)) continue;
    if (IsControl(c)) {
      AppendHex('u', static_cast<uint32_t>(c), 4, out);
    } else {
      *out += c;
    }
  }
  *out += '"';
}

// The multibyte UTF-8 character at the start of the text, and its number of bytes; 0 bytes if
// there is none.
struct Utf8Character {
  uint32_t code = 0;
  size_t size = 0;

  explicit Utf8Character(std::string_view text) {
    const auto byte = [&](size_t i) { return static_cast<uint32_t>(text[i]) & 0xff; };
    const uint32_t first = byte(0);
    const size_t wanted = first < 0xc0 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (wanted == 0 || first >= 0xf8 || text.size() < wanted) return;
    code = first & (0x7fu >> wanted);
    for (size_t i = 1; i < wanted; ++i) {
      if ((byte(i) & 0xc0) != 0x80) return;
      code = code << 6 | (byte(i) & 0x3f);
    }
    // An overlong encoding, a UTF-16 surrogate, or beyond Unicode.
    const uint32_t least = wanted == 2 ? 0x80 : wanted == 3 ? 0x800 : 0x10000;
    if (code < least || (code >= 0xd800 && code < 0xe000) || code > 0x10ffff) return;
    size = wanted;
  }
};

// Appends the text as an ASCII Python string; bytes that are not UTF-8 are escaped one by one.
inline void AppendPythonString(std::string_view text, std::string* out) {
  *out += '"';
  while (!text.empty()) {
    size_t taken = 1;
    const char c = text[0];
    if (!AppendLetter(c, "\"\\\n\r\t", "\"\\nrt", out)) {
      const Utf8Character character(text);
      if (character.size != 0) {
        taken = character.size;
        const bool is_long = character.code > 0xffff;
        AppendHex(is_long ? 'U' : 'u', character.code, is_long ? 8 : 4, out);
      } else if (IsControl(c) || static_cast<unsigned char>(c) > 127) {
        AppendHex('x', static_cast<uint32_t>(c), 2, out);
      } else {
        *out += c;
      }
    }
    text.remove_prefix(taken);
  }
  *out += '"';
}

}  // namespace detail
}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_STRING_ESCAPE_H_
