// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/extra/base64.h
 * \brief Encodes bytes as base64 text, with padding, as in RFC 4648, section 4.
 */
#ifndef TVM_FFI_EXTRA_BASE64_H_
#define TVM_FFI_EXTRA_BASE64_H_

#include <tvm/ffi/string.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

namespace detail {

inline constexpr std::string_view kBase64Digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace detail

/*! \brief Encodes bytes as base64 text without line breaks. */
inline String Base64Encode(TVMFFIByteArray bytes) {
  std::string text;
  text.reserve((bytes.size + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size; i += 3) {
    const size_t count = bytes.size - i < 3 ? bytes.size - i : 3;
    uint32_t group = 0;
    for (size_t j = 0; j < 3; ++j) {
      group = group << 8 | (j < count ? static_cast<unsigned char>(bytes.data[i + j]) : 0);
    }
    for (size_t j = 0; j < 4; ++j) {
      text += j <= count ? detail::kBase64Digits[group >> (18 - 6 * j) & 63] : '=';
    }
  }
  return text;
}
/*! \brief Encodes bytes as base64 text without line breaks. */
inline String Base64Encode(const Bytes& data) {
  return Base64Encode(TVMFFIByteArray{data.data(), data.size()});
}

/*!
 * \brief Decodes base64 text.
 * \throws Error A ValueError unless the text consists of groups of four digits, the last of which
 *         may end with one or two `=`.
 */
inline Bytes Base64Decode(TVMFFIByteArray bytes) {
  std::string_view digits = ToStringView(bytes);
  TVM_FFI_CHECK(digits.size() % 4 == 0, ValueError)
      << "Base64Decode: expected a multiple of 4 characters, got " << digits.size();
  for (int padding = 0; padding < 2 && !digits.empty() && digits.back() == '='; ++padding) {
    digits.remove_suffix(1);
  }
  std::string decoded;
  decoded.reserve(bytes.size / 4 * 3);
  uint32_t bits = 0;
  for (size_t i = 0; i < digits.size(); ++i) {
    const size_t digit = detail::kBase64Digits.find(digits[i]);
    TVM_FFI_CHECK(digit != std::string_view::npos, ValueError)
        << "Base64Decode: expected a base64 digit at " << i << ", got the byte "
        << int{static_cast<unsigned char>(digits[i])};
    bits = bits << 6 | static_cast<uint32_t>(digit);
    // The second, third and fourth digit of a group each complete one more byte.
    if (i % 4 != 0) decoded += static_cast<char>(bits >> (6 - 2 * (i % 4)));
  }
  return Bytes(decoded);
}
/*! \brief Decodes base64 text; see the other overload. */
inline Bytes Base64Decode(const String& data) {
  return Base64Decode(TVMFFIByteArray{data.data(), data.size()});
}

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_EXTRA_BASE64_H_
