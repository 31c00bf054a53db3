// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/decimal_point.h
 * \brief Numbers as text with '.' as the decimal point, regardless of LC_NUMERIC.
 *
 * Internal; not for users.
 */
#ifndef TVM_FFI_DECIMAL_POINT_H_
#define TVM_FFI_DECIMAL_POINT_H_

#include <tvm/ffi/attributes.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {
namespace detail {

// Whether a character is part of a number in every locale; the decimal point is not.
inline bool IsOfNumber(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '+' || c == '-';
}

// Replaces the locale's decimal point, which may take several bytes, with '.' in snprintf output.
TVM_FFI_COLD inline void UsePoint(char* number) {
  char* to = number;
  for (const char* from = number; *from != '\0';) {
    if (IsOfNumber(*from)) {
      *to++ = *from++;
      continue;
    }
    *to++ = '.';
    while (*from != '\0' && !IsOfNumber(*from)) ++from;
  }
  *to = '\0';
}

// Reads a number with '.' as its decimal point; `*is_whole` is whether it is the entire text.
TVM_FFI_COLD inline double ReadWithPoint(const std::string& text, bool* is_whole) {
  char* end = nullptr;
  double number = std::strtod(text.c_str(), &end);
  *is_whole = !text.empty() && end == text.c_str() + text.size();
  const size_t point = text.find('.');
  if (*is_whole || point == std::string::npos) return number;
  // The locale may have a different point, which appears between these digits.
  char half[16];
  std::snprintf(half, sizeof(half), "%.1f", 0.5);
  const std::string_view of_locale(half);
  std::string local = text;
  local.replace(point, 1, of_locale.substr(1, of_locale.size() - 2));
  number = std::strtod(local.c_str(), &end);
  *is_whole = end == local.c_str() + local.size();
  return number;
}

}  // namespace detail
}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_DECIMAL_POINT_H_
