// SPDX-License-Identifier: Apache-2.0
// extra/dtype.h: the element type of a C++ type.
#include <tvm/ffi/extra/dtype.h>

#include <type_traits>

#include "print.h"

template <typename... Types>
void Print() {
  for (DLDataType dtype : {tvm::ffi::dtype_trait<Types>::value...}) {
    std::cout << int{dtype.code} << " " << int{dtype.bits} << " " << dtype.lanes << "\n";
  }
}
template <typename T, typename = void>
struct HasDType : public std::false_type {};
template <typename T>
struct HasDType<T, std::void_t<decltype(tvm::ffi::dtype_trait<T>::value)>> : public std::true_type {
};

int main() {
  Print<signed char, unsigned char, short, unsigned short, int, unsigned, long, unsigned long,
        long long, unsigned long long, float, double, bool>();
  Print<__half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2, __nv_fp8_e8m0, __nv_fp4_e2m1,
        __nv_fp4x2_e2m1>();
  Print<__hip_bfloat16, hip_bfloat16, __hip_fp8_e4m3, __hip_fp8_e4m3_fnuz, __hip_fp8_e5m2,
        __hip_fp8_e5m2_fnuz, __hip_fp4_e2m1, __hip_fp4x2_e2m1>();
  std::cout << HasDType<char>::value << HasDType<const float>::value << HasDType<void*>::value
            << "\n";
}
