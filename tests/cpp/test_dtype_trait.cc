// SPDX-License-Identifier: Apache-2.0
// Rows: R5, R7
// extra/dtype.h: the DLDataType of a C++ type.
#include <tvm/ffi/dtype.h>
#include <tvm/ffi/extra/dtype.h>
#include <tvm/ffi/function.h>

#include <type_traits>

#include "expect.h"

namespace ffi = tvm::ffi;

namespace {

template <typename T>
std::string NameOf() {
  constexpr DLDataType dtype = ffi::dtype_trait<T>::value;
  return ffi::DLDataTypeToString(dtype);
}
template <typename T, typename = void>
struct HasDType : public std::false_type {};
template <typename T>
struct HasDType<T, std::void_t<decltype(ffi::dtype_trait<T>::value)>> : public std::true_type {};

struct Half {
  uint16_t bits;
};

}  // namespace

template <>
struct tvm::ffi::dtype_trait<Half> : public tvm::ffi::dtype_trait<__half> {};

// Every integer, floating-point and bool type has its element type.
void types_of_cpp() {
  EXPECT_EQ(NameOf<int8_t>(), "int8");
  EXPECT_EQ(NameOf<uint8_t>(), "uint8");
  EXPECT_EQ(NameOf<int16_t>(), "int16");
  EXPECT_EQ(NameOf<uint16_t>(), "uint16");
  EXPECT_EQ(NameOf<int32_t>(), "int32");
  EXPECT_EQ(NameOf<uint32_t>(), "uint32");
  EXPECT_EQ(NameOf<long>(), "int64");
  EXPECT_EQ(NameOf<unsigned long>(), "uint64");
  EXPECT_EQ(NameOf<long long>(), "int64");
  EXPECT_EQ(NameOf<unsigned long long>(), "uint64");
  EXPECT_EQ(NameOf<float>(), "float32");
  EXPECT_EQ(NameOf<double>(), "float64");
  EXPECT_EQ(NameOf<bool>(), "bool");
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_types_of_cpp, types_of_cpp);

// The types of CUDA and HIP have theirs without their headers.
void types_of_devices() {
  EXPECT_EQ(NameOf<__half>(), "float16");
  EXPECT_EQ(NameOf<__nv_bfloat16>(), "bfloat16");
  EXPECT_EQ(NameOf<__nv_fp8_e4m3>(), "float8_e4m3fn");
  EXPECT_EQ(NameOf<__nv_fp8_e5m2>(), "float8_e5m2");
  EXPECT_EQ(NameOf<__nv_fp8_e8m0>(), "float8_e8m0fnu");
  EXPECT_EQ(NameOf<__nv_fp4_e2m1>(), "float4_e2m1fn");
  EXPECT_EQ(NameOf<__nv_fp4x2_e2m1>(), "float4_e2m1fnx2");
  EXPECT_EQ(NameOf<__hip_bfloat16>(), "bfloat16");
  EXPECT_EQ(NameOf<hip_bfloat16>(), "bfloat16");
  EXPECT_EQ(NameOf<__hip_fp8_e4m3>(), "float8_e4m3fn");
  EXPECT_EQ(NameOf<__hip_fp8_e4m3_fnuz>(), "float8_e4m3fnuz");
  EXPECT_EQ(NameOf<__hip_fp8_e5m2>(), "float8_e5m2");
  EXPECT_EQ(NameOf<__hip_fp8_e5m2_fnuz>(), "float8_e5m2fnuz");
  EXPECT_EQ(NameOf<__hip_fp4_e2m1>(), "float4_e2m1fn");
  EXPECT_EQ(NameOf<__hip_fp4x2_e2m1>(), "float4_e2m1fnx2");
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_types_of_devices, types_of_devices);

// Other types have none, unless one is specialised for them.
void other_types() {
  EXPECT(!HasDType<char>::value);
  EXPECT(!HasDType<const float>::value);
  EXPECT(!HasDType<void*>::value);
  EXPECT_EQ(NameOf<Half>(), "float16");
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_other_types, other_types);
