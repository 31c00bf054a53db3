// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/extra/dtype.h
 * \brief The DLDataType of a C++ type, at compile time.
 */
#ifndef TVM_FFI_EXTRA_DTYPE_H_
#define TVM_FFI_EXTRA_DTYPE_H_

#include <dlpack/dlpack.h>
#include <tvm/ffi/attributes.h>

#include <cstdint>
#include <type_traits>

// Types from the CUDA and HIP headers; only the declarations are needed.
struct __half;
struct __nv_bfloat16;
struct __nv_fp8_e4m3;
struct __nv_fp8_e5m2;
struct __nv_fp8_e8m0;
struct __nv_fp4_e2m1;
struct __nv_fp4x2_e2m1;
struct __hip_bfloat16;
struct hip_bfloat16;
struct __hip_fp8_e4m3;
struct __hip_fp8_e4m3_fnuz;
struct __hip_fp8_e5m2;
struct __hip_fp8_e5m2_fnuz;
struct __hip_fp4_e2m1;
struct __hip_fp4x2_e2m1;

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

namespace detail {

template <DLDataTypeCode kCode, int kBits, int kLanes = 1>
struct FixedDType {
  static constexpr DLDataType value = {static_cast<uint8_t>(kCode), kBits, kLanes};
};
template <typename T>
struct DTypeOfInteger
    : public FixedDType<std::is_signed<T>::value ? kDLInt : kDLUInt, 8 * sizeof(T)> {};
template <typename T>
struct DTypeOfFloat : public FixedDType<kDLFloat, 8 * sizeof(T)> {};

}  // namespace detail

/*!
 * \brief The element type for T: `dtype_trait<float>::value` is a constexpr DLDataType.
 *
 * It has no `value` for a type without one, such as `char` or `const float`. CUDA and HIP types are
 * known without their headers: `__half`, `__nv_bfloat16`, `__nv_fp8_e4m3` and so on.
 * For your own type, specialise it or derive it from another.
 */
template <typename T>
struct dtype_trait {};

template <>
struct dtype_trait<signed char> : public detail::DTypeOfInteger<signed char> {};
template <>
struct dtype_trait<unsigned char> : public detail::DTypeOfInteger<unsigned char> {};
template <>
struct dtype_trait<short> : public detail::DTypeOfInteger<short> {};
template <>
struct dtype_trait<unsigned short> : public detail::DTypeOfInteger<unsigned short> {};
template <>
struct dtype_trait<int> : public detail::DTypeOfInteger<int> {};
template <>
struct dtype_trait<unsigned int> : public detail::DTypeOfInteger<unsigned int> {};
template <>
struct dtype_trait<long> : public detail::DTypeOfInteger<long> {};
template <>
struct dtype_trait<unsigned long> : public detail::DTypeOfInteger<unsigned long> {};
template <>
struct dtype_trait<long long> : public detail::DTypeOfInteger<long long> {};
template <>
struct dtype_trait<unsigned long long> : public detail::DTypeOfInteger<unsigned long long> {};
template <>
struct dtype_trait<float> : public detail::DTypeOfFloat<float> {};
template <>
struct dtype_trait<double> : public detail::DTypeOfFloat<double> {};
template <>
struct dtype_trait<bool> : public detail::FixedDType<kDLBool, 8> {};

template <>
struct dtype_trait<__half> : public detail::FixedDType<kDLFloat, 16> {};
template <>
struct dtype_trait<__nv_bfloat16> : public detail::FixedDType<kDLBfloat, 16> {};
template <>
struct dtype_trait<__nv_fp8_e4m3> : public detail::FixedDType<kDLFloat8_e4m3fn, 8> {};
template <>
struct dtype_trait<__nv_fp8_e5m2> : public detail::FixedDType<kDLFloat8_e5m2, 8> {};
template <>
struct dtype_trait<__nv_fp8_e8m0> : public detail::FixedDType<kDLFloat8_e8m0fnu, 8> {};
template <>
struct dtype_trait<__nv_fp4_e2m1> : public detail::FixedDType<kDLFloat4_e2m1fn, 4> {};
template <>
struct dtype_trait<__nv_fp4x2_e2m1> : public detail::FixedDType<kDLFloat4_e2m1fn, 4, 2> {};

template <>
struct dtype_trait<__hip_bfloat16> : public detail::FixedDType<kDLBfloat, 16> {};
template <>
struct dtype_trait<hip_bfloat16> : public detail::FixedDType<kDLBfloat, 16> {};
template <>
struct dtype_trait<__hip_fp8_e4m3> : public detail::FixedDType<kDLFloat8_e4m3fn, 8> {};
template <>
struct dtype_trait<__hip_fp8_e4m3_fnuz> : public detail::FixedDType<kDLFloat8_e4m3fnuz, 8> {};
template <>
struct dtype_trait<__hip_fp8_e5m2> : public detail::FixedDType<kDLFloat8_e5m2, 8> {};
template <>
struct dtype_trait<__hip_fp8_e5m2_fnuz> : public detail::FixedDType<kDLFloat8_e5m2fnuz, 8> {};
template <>
struct dtype_trait<__hip_fp4_e2m1> : public detail::FixedDType<kDLFloat4_e2m1fn, 4> {};
template <>
struct dtype_trait<__hip_fp4x2_e2m1> : public detail::FixedDType<kDLFloat4_e2m1fn, 4, 2> {};

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_EXTRA_DTYPE_H_
