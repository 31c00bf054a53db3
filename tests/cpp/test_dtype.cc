// SPDX-License-Identifier: Apache-2.0
// Rows: R1
// dtype.h: printing, parsing and sizes of element types.
#include <tvm/ffi/dtype.h>
#include <tvm/ffi/tvm_ffi.h>

#include "expect.h"

namespace ffi = tvm::ffi;

// Every DLPack code has a text, which parses back to it.
void every_code_both_ways() {
  struct Case {
    const char* text;
    DLDataType dtype;
  };
  for (Case c : {Case{"int8", {kDLInt, 8, 1}},
                 Case{"int64", {kDLInt, 64, 1}},
                 Case{"int4", {kDLInt, 4, 1}},
                 Case{"uint1", {kDLUInt, 1, 1}},
                 Case{"uint16", {kDLUInt, 16, 1}},
                 Case{"float16", {kDLFloat, 16, 1}},
                 Case{"float32", {kDLFloat, 32, 1}},
                 Case{"float64", {kDLFloat, 64, 1}},
                 Case{"bfloat16", {kDLBfloat, 16, 1}},
                 Case{"complex64", {kDLComplex, 64, 1}},
                 Case{"complex128", {kDLComplex, 128, 1}},
                 Case{"bool", {kDLBool, 8, 1}},
                 Case{"boolx4", {kDLBool, 8, 4}},
                 Case{"handle", {kDLOpaqueHandle, 64, 1}},
                 Case{"void", {kDLOpaqueHandle, 0, 0}},
                 Case{"float8_e3m4", {kDLFloat8_e3m4, 8, 1}},
                 Case{"float8_e4m3", {kDLFloat8_e4m3, 8, 1}},
                 Case{"float8_e4m3b11fnuz", {kDLFloat8_e4m3b11fnuz, 8, 1}},
                 Case{"float8_e4m3fn", {kDLFloat8_e4m3fn, 8, 1}},
                 Case{"float8_e4m3fnuz", {kDLFloat8_e4m3fnuz, 8, 1}},
                 Case{"float8_e5m2", {kDLFloat8_e5m2, 8, 1}},
                 Case{"float8_e5m2fnuz", {kDLFloat8_e5m2fnuz, 8, 1}},
                 Case{"float8_e8m0fnu", {kDLFloat8_e8m0fnu, 8, 1}},
                 Case{"float6_e2m3fn", {kDLFloat6_e2m3fn, 6, 1}},
                 Case{"float6_e3m2fn", {kDLFloat6_e3m2fn, 6, 1}},
                 Case{"float4_e2m1fn", {kDLFloat4_e2m1fn, 4, 1}},
                 Case{"float4_e2m1fnx2", {kDLFloat4_e2m1fn, 4, 2}},
                 Case{"int8x4", {kDLInt, 8, 4}},
                 Case{"float32x65535", {kDLFloat, 32, 65535}}}) {
    EXPECT_EQ(ffi::StringToDLDataType(c.text), c.dtype) << c.text;
    EXPECT_EQ(ffi::DLDataTypeToString(c.dtype), std::string(c.text));
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_every_code_both_ways, every_code_both_ways);

// Short names have the default width.
void short_names() {
  EXPECT_EQ(ffi::StringToDLDataType("int"), (DLDataType{kDLInt, 32, 1}));
  EXPECT_EQ(ffi::StringToDLDataType("uint"), (DLDataType{kDLUInt, 32, 1}));
  EXPECT_EQ(ffi::StringToDLDataType("float"), (DLDataType{kDLFloat, 32, 1}));
  EXPECT_EQ(ffi::StringToDLDataType("floatx4"), (DLDataType{kDLFloat, 32, 4}));
  EXPECT_EQ(ffi::StringToDLDataType("bfloat"), (DLDataType{kDLBfloat, 16, 1}));
  EXPECT_EQ(ffi::StringToDLDataType("float4_e2m1fn_x2"), (DLDataType{kDLFloat4_e2m1fn, 4, 2}));
  EXPECT_EQ(ffi::StringToDLDataType(""), (DLDataType{kDLOpaqueHandle, 0, 0}));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_short_names, short_names);

// Every width that a name allows is parsed and printed, and so are the longest texts.
void every_width() {
  for (const char* text : {"int1",
                           "int2",
                           "int4",
                           "int8",
                           "int16",
                           "int32",
                           "int64",
                           "int128",
                           "uint1",
                           "uint2",
                           "uint4",
                           "uint8",
                           "uint16",
                           "uint32",
                           "uint64",
                           "uint128",
                           "float16",
                           "float32",
                           "float64",
                           "float128",
                           "bfloat16",
                           "complex32",
                           "complex64",
                           "complex128",
                           "bool",
                           "handle32",
                           "float8_e4m3b11fnuzx65535",
                           "complex128x65535"}) {
    EXPECT_EQ(ffi::DLDataTypeToString(ffi::StringToDLDataType(text)), std::string(text));
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_every_width, every_width);

// Text that is not an element type, or has a width that no type of its name has, is a ValueError
// that shows it.
void bad_text() {
  for (const char* text : {"x",
                           "flot32",
                           "float32 ",
                           " float32",
                           "Float32",
                           "float32x",
                           "float32x0",
                           "float32x65536",
                           "float256",
                           "int0",
                           "int-8",
                           "int8y",
                           "int8x4x2",
                           "float8_e4m3fn8",
                           "float8_e9m9",
                           "float4_e2m1fn_x2x2",
                           "float33",
                           "float8",
                           "float80",
                           "int3",
                           "int24",
                           "uint255",
                           "bfloat32",
                           "complex33",
                           "bool1",
                           "handle16",
                           "void8",
                           "int8x-1",
                           "99999999999999999999"}) {
    EXPECT_THROWS(std::string("ValueError: dtype: expected an element type "
                              "such as \"float32\", \"bfloat16\" or \"int8x4\", got \"") +
                      text + "\"",
                  ffi::StringToDLDataType(text));
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_bad_text, bad_text);

// A code or a width unknown to DLPack is rejected by the C function and printed as numbers.
void unknown_code() {
  const DLDataType unknown{99, 8, 1};
  EXPECT_EQ(ffi::DLDataTypeToString(unknown), std::string("dtype(code 99, bits 8, lanes 1)"));
  TVMFFIAny text{};
  EXPECT_THROWS(
      "ValueError: dtype: expected a DLPack code and width, got "
      "code 99 and 8 bits",
      TVM_FFI_CHECK_SAFE_CALL(TVMFFIDataTypeToString(&unknown, &text)));
  const DLDataType wide{kDLFloat8_e5m2, 16, 1};
  EXPECT_EQ(ffi::DLDataTypeToString(wide), std::string("dtype(code 12, bits 16, lanes 1)"));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_unknown_code, unknown_code);

// Elements narrower than a byte are packed; a partial last byte counts as a whole.
void data_size() {
  EXPECT_EQ(ffi::GetDataSize(3, DLDataType{kDLFloat, 32, 1}), 12u);
  EXPECT_EQ(ffi::GetDataSize(3, DLDataType{kDLFloat, 16, 2}), 12u);
  EXPECT_EQ(ffi::GetDataSize(3, DLDataType{kDLFloat4_e2m1fn, 4, 1}), 2u);
  EXPECT_EQ(ffi::GetDataSize(0, DLDataType{kDLInt, 64, 1}), 0u);
  EXPECT_EQ(ffi::GetDataSize(int64_t{1} << 40, DLDataType{kDLInt, 64, 1}), size_t{1} << 43);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_data_size, data_size);

// Each element type is of at most one kind, regardless of its lanes; its short text is unique.
void kinds() {
  struct Case {
    const char *name, *kind, *abbreviated;
  };
  for (const Case& c :
       {Case{"bool", "b", "bool"}, Case{"boolx4", "b", "boolx4"}, Case{"int8", "i", "i8"},
        Case{"uint1", "i", "u1"}, Case{"int32x4", "i", "i32x4"}, Case{"uint64", "i", "u64"},
        Case{"float16", "f", "f16"}, Case{"bfloat16x2", "f", "bf16x2"}, Case{"float64", "f", "f64"},
        Case{"float8_e3m4", "f", "f8_e3m4"}, Case{"float8_e4m3fn", "f", "f8_e4m3fn"},
        Case{"float4_e2m1fnx2", "f", "f4_e2m1fnx2"}, Case{"complex64", "", "complex64"},
        Case{"handle", "", "handle"}}) {
    const DLDataType dtype = ffi::StringToDLDataType(c.name);
    const std::string kind = c.kind;
    EXPECT_EQ(ffi::DTypeIsBool(dtype), kind == "b") << c.name;
    EXPECT_EQ(ffi::DTypeIsInt(dtype), kind == "i") << c.name;
    EXPECT_EQ(ffi::DTypeIsFloat(dtype), kind == "f") << c.name;
    EXPECT_EQ(ffi::DTypeAbbrev(dtype), c.abbreviated);
  }
  const DLDataType own{static_cast<uint8_t>(ffi::kDLExtCustomBegin), 8, 1};
  EXPECT(!ffi::DTypeIsBool(own) && !ffi::DTypeIsInt(own) && !ffi::DTypeIsFloat(own));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_kinds, kinds);
