// SPDX-License-Identifier: Apache-2.0
// Conversion of element types to and from text.
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/string.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "arguments.h"

namespace {

struct Name {
  std::string_view text;
  uint8_t code;
  uint8_t bits;  // The width fixed by the name, or its default width.
  bool fixed;
  std::array<unsigned, 8> widths;  // Those that may be written explicitly.
};

constexpr std::string_view kPacked = "float4_e2m1fn_x2";  // PyTorch: two elements in a byte.
// A name comes before its own prefixes.
constexpr Name kNames[] = {
    {kPacked, kDLFloat4_e2m1fn, 4, true, {}},
    {"float8_e4m3b11fnuz", kDLFloat8_e4m3b11fnuz, 8, true, {}},
    {"float8_e4m3fnuz", kDLFloat8_e4m3fnuz, 8, true, {}},
    {"float8_e4m3fn", kDLFloat8_e4m3fn, 8, true, {}},
    {"float8_e4m3", kDLFloat8_e4m3, 8, true, {}},
    {"float8_e3m4", kDLFloat8_e3m4, 8, true, {}},
    {"float8_e5m2fnuz", kDLFloat8_e5m2fnuz, 8, true, {}},
    {"float8_e5m2", kDLFloat8_e5m2, 8, true, {}},
    {"float8_e8m0fnu", kDLFloat8_e8m0fnu, 8, true, {}},
    {"float6_e2m3fn", kDLFloat6_e2m3fn, 6, true, {}},
    {"float6_e3m2fn", kDLFloat6_e3m2fn, 6, true, {}},
    {"float4_e2m1fn", kDLFloat4_e2m1fn, 4, true, {}},
    {"float", kDLFloat, 32, false, {16, 32, 64, 128}},
    {"bfloat", kDLBfloat, 16, false, {16}},
    {"complex", kDLComplex, 64, false, {32, 64, 128}},
    {"uint", kDLUInt, 32, false, {1, 2, 4, 8, 16, 32, 64, 128}},
    {"int", kDLInt, 32, false, {1, 2, 4, 8, 16, 32, 64, 128}},
    {"bool", kDLBool, 8, false, {8}},
    {"handle", kDLOpaqueHandle, 64, false, {32, 64}},
};

// Reads a decimal number of at most `most` from the front of `text`.
bool ReadNumber(std::string_view* text, unsigned most, unsigned* out) {
  auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), *out);
  if (error != std::errc() || *out == 0 || *out > most) return false;
  text->remove_prefix(static_cast<size_t>(end - text->data()));
  return true;
}

// Reads the lanes that may follow an element type, up to the end of the text.
bool ReadLanes(std::string_view rest, unsigned* out) {
  if (rest.empty()) return true;
  if (rest[0] != 'x') return false;
  rest.remove_prefix(1);
  return ReadNumber(&rest, 65535, out) && rest.empty();
}

// A compiler may have element types of its own. Two global functions map their names to the codes
// from here on, and back; the text is "custom[name]8".
constexpr int64_t kFirstCustom = 129;
constexpr std::string_view kCustom = "custom[";
constexpr std::string_view kCodeOfCustom = "dtype.get_custom_type_code";
constexpr std::string_view kNameOfCustom = "dtype.get_custom_type_name";

TVM_FFI_COLD bool ParseCustom(std::string_view text, DLDataType* out) {
  text.remove_prefix(kCustom.size());
  const size_t end = text.find(']');
  if (end == std::string_view::npos) return false;
  const tvm::ffi::String name(text.substr(0, end));
  std::string_view rest = text.substr(end + 1);
  unsigned bits = 32;
  unsigned lanes = 1;
  if (!rest.empty() && rest[0] != 'x' && !ReadNumber(&rest, 255, &bits)) return false;
  if (!ReadLanes(rest, &lanes)) return false;
  const std::optional<tvm::ffi::Function> code_of = tvm::ffi::Function::GetGlobal(kCodeOfCustom);
  if (!code_of) return false;
  const auto code = (*code_of)(name).cast<int64_t>();
  TVM_FFI_CHECK(kFirstCustom <= code && code <= 255, ValueError)
      << kCodeOfCustom << ": " << name << ": expected a code from 129 to 255, got " << code;
  *out = {static_cast<uint8_t>(code), static_cast<uint8_t>(bits), static_cast<uint16_t>(lanes)};
  return true;
}

bool Parse(std::string_view text, DLDataType* out) {
  if (text == "void" || text.empty()) {
    *out = {kDLOpaqueHandle, 0, 0};
    return true;
  }
  if (text.substr(0, kCustom.size()) == kCustom) return ParseCustom(text, out);
  for (const Name& name : kNames) {
    if (text.substr(0, name.text.size()) != name.text) continue;
    std::string_view rest = text.substr(name.text.size());
    unsigned bits = name.bits;
    unsigned lanes = 1;
    if (name.text == kPacked) {
      lanes = 2;
      if (!rest.empty()) return false;
    }
    if (!name.fixed && !rest.empty() && rest[0] != 'x') {
      if (!ReadNumber(&rest, 255, &bits)) return false;
      const auto& widths = name.widths;
      if (std::find(widths.begin(), widths.end(), bits) == widths.end()) return false;
    }
    if (!ReadLanes(rest, &lanes)) return false;
    *out = {name.code, static_cast<uint8_t>(bits), static_cast<uint16_t>(lanes)};
    return true;
  }
  return false;
}

// The name of an element type that is not DLPack's, without its width.
TVM_FFI_COLD std::string PrintCustom(DLDataType dtype) {
  if (dtype.code >= kFirstCustom) {
    if (const auto name_of = tvm::ffi::Function::GetGlobal(kNameOfCustom)) {
      std::string text(kCustom);
      text += (*name_of)(int{dtype.code}).cast<tvm::ffi::String>();
      return text += ']';
    }
  }
  TVM_FFI_THROW(ValueError) << "dtype: expected a DLPack code and width, got code " << dtype.code
                            << " and " << dtype.bits << " bits";
}

std::string Print(DLDataType dtype) {
  if (dtype.code == kDLOpaqueHandle && dtype.bits == 0 && dtype.lanes == 0) return "void";
  const auto named = std::find_if(std::begin(kNames), std::end(kNames), [dtype](const Name& name) {
    return name.text != kPacked && name.code == dtype.code &&
           (!name.fixed || name.bits == dtype.bits);
  });
  const bool found = named != std::end(kNames);
  std::string text = found ? std::string(named->text) : PrintCustom(dtype);
  const bool is_default = (dtype.code == kDLBool || dtype.code == kDLOpaqueHandle) && found &&
                          dtype.bits == named->bits;
  if (!(found && named->fixed) && !is_default) text += std::to_string(dtype.bits);
  if (dtype.lanes != 1) (text += 'x') += std::to_string(dtype.lanes);
  return text;
}

}  // namespace

extern "C" {

int TVMFFIDataTypeFromString(const TVMFFIByteArray* str, DLDataType* out) {
  TVM_FFI_SAFE_CALL_BEGIN();
  const std::string_view text = tvm::ffi::GivenText("TVMFFIDataTypeFromString: str", str);
  tvm::ffi::Given("TVMFFIDataTypeFromString: out", out);
  TVM_FFI_CHECK(Parse(text, out), ValueError)
      << "dtype: expected an element type such as \"float32\", \"bfloat16\" or \"int8x4\", got \""
      << text << "\"";
  TVM_FFI_SAFE_CALL_END();
}

int TVMFFIDataTypeToString(const DLDataType* dtype, TVMFFIAny* out) {
  TVM_FFI_SAFE_CALL_BEGIN();
  const std::string text = Print(tvm::ffi::Given("TVMFFIDataTypeToString: dtype", dtype));
  tvm::ffi::Given("TVMFFIDataTypeToString: out", out);
  const TVMFFIByteArray bytes{text.data(), text.size()};
  TVM_FFI_CHECK_SAFE_CALL(TVMFFIStringFromByteArray(&bytes, out));
  TVM_FFI_SAFE_CALL_END();
}
}
