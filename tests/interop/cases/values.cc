// SPDX-License-Identifier: Apache-2.0
// Cases: values that need no container.
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/extra/c_env_api.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "case.h"

namespace ffi = tvm::ffi;

namespace {

using ffi::Any;

Any MakeNone(int64_t) { return Any(nullptr); }
void CheckNone(int64_t, const Any& value) { EXPECT(value == nullptr); }

bool MakeBool(int64_t i) { return i == 1; }
void CheckBool(int64_t i, const Any& value) {
  EXPECT(value.type_index() == kTVMFFIBool);
  EXPECT(value.cast<bool>() == (i == 1));
}

constexpr int64_t kInts[] = {0,
                             1,
                             -1,
                             255,
                             std::numeric_limits<int32_t>::max(),
                             std::numeric_limits<int64_t>::max(),
                             std::numeric_limits<int64_t>::min()};
int64_t MakeInt(int64_t i) { return kInts[i]; }
void CheckInt(int64_t i, const Any& value) {
  EXPECT(value.type_index() == kTVMFFIInt);
  EXPECT(value.cast<int64_t>() == kInts[i]);
}

const double kFloats[] = {0.0,
                          -0.0,
                          0.1,
                          std::numeric_limits<double>::infinity(),
                          -std::numeric_limits<double>::infinity(),
                          std::numeric_limits<double>::denorm_min(),
                          std::numeric_limits<double>::max(),
                          std::numeric_limits<double>::quiet_NaN()};
double MakeFloat(int64_t i) { return kFloats[i]; }
void CheckFloat(int64_t i, const Any& value) {
  EXPECT(value.type_index() == kTVMFFIFloat);
  const double got = value.cast<double>();
  EXPECT((std::isnan(got) && std::isnan(kFloats[i])) || got == kFloats[i]);
  EXPECT(std::signbit(got) == std::signbit(kFloats[i]));
}

void CheckWidened(int64_t i, const Any& value) {
  EXPECT(value.cast<double>() == (i == 0 ? 1.0 : -7.0));
}
Any MakeWidened(int64_t i) { return i == 0 ? Any(true) : Any(int64_t{-7}); }

// 0, 7, 8 and 10,000 bytes: nothing, the longest that stands in place, and two that do not.
std::string Content(int64_t i) {
  constexpr size_t kSizes[] = {0, 7, 8, 10000, 7, 8};
  std::string content(kSizes[i], ' ');
  for (size_t k = 0; k < content.size(); ++k) content[k] = static_cast<char>('a' + k % 26);
  if (i >= 4) content[3] = '\0';
  return content;
}
ffi::String MakeString(int64_t i) {
  const std::string text = Content(i);
  return ffi::String(text.data(), text.size());
}
void CheckString(int64_t i, const Any& value) {
  const std::string want = Content(i);
  EXPECT(value.type_index() == (want.size() < 8 ? kTVMFFISmallStr : kTVMFFIStr));
  const auto got = value.cast<ffi::String>();
  EXPECT(got.size() == want.size());
  EXPECT(std::memcmp(got.data(), want.data(), want.size()) == 0);
  EXPECT(got.c_str()[want.size()] == '\0');
}

const char* const kUtf8[] = {"\u00e9", "\u65e5\u672c", "\u65e5\u672c\u8a9e\u00e9",
                             "\U0001f600 \u65e5\u672c\u8a9e"};
ffi::String MakeUtf8(int64_t i) { return ffi::String(kUtf8[i]); }
void CheckUtf8(int64_t i, const Any& value) { EXPECT(value.cast<ffi::String>() == kUtf8[i]); }

ffi::Bytes MakeBytes(int64_t i) {
  std::string content = Content(i);
  if (!content.empty()) content.back() = static_cast<char>(0xff);
  return ffi::Bytes(content.data(), content.size());
}
void CheckBytes(int64_t i, const Any& value) {
  std::string want = Content(i);
  if (!want.empty()) want.back() = static_cast<char>(0xff);
  EXPECT(value.type_index() == (want.size() < 8 ? kTVMFFISmallBytes : kTVMFFIBytes));
  const auto got = value.cast<ffi::Bytes>();
  EXPECT(got.size() == want.size());
  EXPECT(std::memcmp(got.data(), want.data(), want.size()) == 0);
}

ffi::String MakeStdString(int64_t i) { return MakeString(i); }
void CheckStdString(int64_t i, const Any& value) {
  EXPECT(value.cast<std::string>() == Content(i));
}

constexpr DLDataType kDtypes[] = {{kDLFloat, 32, 1},        {kDLInt, 8, 1},
                                  {kDLUInt, 64, 4},         {kDLBfloat, 16, 1},
                                  {kDLBool, 8, 1},          {kDLOpaqueHandle, 64, 1},
                                  {kDLFloat8_e4m3fn, 8, 2}, {kDLFloat4_e2m1fn, 4, 2}};
DLDataType MakeDtype(int64_t i) { return kDtypes[i]; }
void CheckDtype(int64_t i, const Any& value) {
  EXPECT(value.type_index() == kTVMFFIDataType);
  EXPECT(value.cast<DLDataType>() == kDtypes[i]);
}

DLDataType MakeComplexDtype(int64_t) { return {kDLComplex, 64, 1}; }
void CheckComplexDtype(int64_t, const Any& value) {
  EXPECT(value.cast<DLDataType>() == MakeComplexDtype(0));
}

// The text of each dtype is written by the runtime and read back by the checker.
ffi::String MakeDtypeText(int64_t i) { return ffi::DLDataTypeToString(kDtypes[i]); }
void CheckDtypeText(int64_t i, const Any& value) {
  EXPECT(ffi::StringToDLDataType(value.cast<ffi::String>()) == kDtypes[i]);
}

constexpr DLDevice kDevices[] = {{kDLCPU, 0}, {kDLCUDA, 3}, {kDLROCM, 1}, {kDLTrn, 127}};
DLDevice MakeDevice(int64_t i) { return kDevices[i]; }
void CheckDevice(int64_t i, const Any& value) {
  EXPECT(value.type_index() == kTVMFFIDevice);
  const auto got = value.cast<DLDevice>();
  EXPECT(got.device_type == kDevices[i].device_type && got.device_id == kDevices[i].device_id);
}

void* MakePointer(int64_t i) { return reinterpret_cast<void*>(i == 0 ? 0x10 : -1); }
void CheckPointer(int64_t i, const Any& value) {
  EXPECT(value.type_index() == kTVMFFIOpaquePtr);
  EXPECT(value.cast<void*>() == MakePointer(i));
}

ffi::Shape MakeShape(int64_t i) {
  if (i == 0) return ffi::Shape(std::initializer_list<int64_t>{});
  if (i == 1) return ffi::Shape({7});
  return ffi::Shape({0, -1, int64_t{1} << 40, 3, 4, 5, 6});
}
void CheckShape(int64_t i, const Any& value) {
  EXPECT(value.type_index() == kTVMFFIShape);
  const auto got = value.cast<ffi::Shape>();
  const ffi::Shape want = MakeShape(i);
  EXPECT(got.size() == want.size());
  EXPECT(got.size() == 0 || std::memcmp(got.data(), want.data(), got.size() * 8) == 0);
}

Any MakeOptional(int64_t i) {
  if (i == 0) return Any(ffi::Optional<int64_t>(5));
  if (i == 1) return Any(ffi::Optional<int64_t>());
  if (i == 2) return Any(ffi::Optional<ffi::String>(ffi::String("a long text")));
  return Any(ffi::Optional<ffi::String>());
}
void CheckOptional(int64_t i, const Any& value) {
  if (i < 2) {
    const auto got = value.cast<ffi::Optional<int64_t>>();
    EXPECT(got.has_value() == (i == 0));
    EXPECT(i == 1 || got.value() == 5);
  } else {
    const auto got = value.cast<ffi::Optional<ffi::String>>();
    EXPECT(got.has_value() == (i == 2));
    EXPECT(i == 3 || got.value() == "a long text");
  }
}

// Gives back what it got, for values made by Python.
Any Echo(Any value) { return value; }
// Hands the values of one library to another without a host language in between.
void HandOver(ffi::Function count, ffi::Function make, ffi::Function check) {
  const auto n = count().cast<int64_t>();
  for (int64_t i = 0; i < n; ++i) check(i, make(i));
}
// The type index that a value of Python came with.
int64_t TypeIndex(ffi::AnyView value) { return value.type_index(); }
int64_t SetStream(int32_t device_type, int32_t device_id, int64_t stream) {
  TVMFFIStreamHandle before = nullptr;
  TVM_FFI_CHECK_SAFE_CALL(
      TVMFFIEnvSetStream(device_type, device_id, reinterpret_cast<void*>(stream), &before));
  return reinterpret_cast<int64_t>(before);
}
int64_t GetStream(int32_t device_type, int32_t device_id) {
  return reinterpret_cast<int64_t>(TVMFFIEnvGetStream(device_type, device_id));
}

}  // namespace

INTEROP_CASE(None, 1, "None");
INTEROP_CASE(Bool, 2, "bool");
INTEROP_CASE(Int, 7, "int: 0, 1, -1, 255 and the ends of 32 and 64 bits");
INTEROP_CASE(Float, 8, "float: signed zeros, infinities, a denormal, NaN");
INTEROP_CASE(Widened, 2, "bool and int taken as float");
INTEROP_CASE(String, 6, "str of 0, 7, 8 and 10,000 bytes, with zero bytes too");
INTEROP_CASE(Utf8, 4, "str in UTF-8, small and large");
INTEROP_CASE(Bytes, 6, "bytes of 0, 7, 8 and 10,000, with zero bytes too");
INTEROP_CASE(StdString, 6, "str taken as std::string");
INTEROP_CASE(Dtype, 8, "dtype, with lanes too");
INTEROP_CASE(ComplexDtype, 1, "dtype of complex numbers");
INTEROP_CASE(DtypeText, 8, "dtype to text and back");
INTEROP_CASE(Device, 4, "device");
INTEROP_CASE(Pointer, 2, "opaque pointer");
INTEROP_CASE(Shape, 3, "shape of 0, 1 and 7 extents");
INTEROP_CASE(Optional, 4, "Optional with and without a value");

TVM_FFI_DLL_EXPORT_TYPED_FUNC(echo, Echo);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(type_index, TypeIndex);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(set_stream, SetStream);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(get_stream, GetStream);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(hand_over, HandOver);
