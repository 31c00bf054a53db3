# SPDX-License-Identifier: Apache-2.0
"""The element types that have names: ``tvm_ffi.float32`` and its like."""

from .dtype import dtype

#: Truth value, in one byte.
bool = dtype("bool")
#: Integer of 8 bits, with a sign.
int8 = dtype("int8")
#: Integer of 16 bits, with a sign.
int16 = dtype("int16")
#: Integer of 32 bits, with a sign.
int32 = dtype("int32")
#: Integer of 64 bits, with a sign.
int64 = dtype("int64")
#: Integer of 8 bits, without a sign.
uint8 = dtype("uint8")
#: Integer of 16 bits, without a sign.
uint16 = dtype("uint16")
#: Integer of 32 bits, without a sign.
uint32 = dtype("uint32")
#: Integer of 64 bits, without a sign.
uint64 = dtype("uint64")
#: Floating-point number of 16 bits, 5 of exponent, 10 of mantissa.
float16 = dtype("float16")
#: Floating-point number of 32 bits, 8 of exponent, 23 of mantissa.
float32 = dtype("float32")
#: Floating-point number of 64 bits, 11 of exponent, 52 of mantissa.
float64 = dtype("float64")
#: Floating-point number of 16 bits, 8 of exponent, as float32 has, 7 of mantissa.
bfloat16 = dtype("bfloat16")
#: Floating-point number of 8 bits, 3 of exponent, 4 of mantissa, with infinities.
float8_e3m4 = dtype("float8_e3m4")
#: Floating-point number of 8 bits, 4 of exponent, 3 of mantissa, with infinities.
float8_e4m3 = dtype("float8_e4m3")
#: Floating-point number of 8 bits, 4 of exponent, 3 of mantissa, bias 11, without infinities and
#: negative zero.
float8_e4m3b11fnuz = dtype("float8_e4m3b11fnuz")
#: Floating-point number of 8 bits, 4 of exponent, 3 of mantissa, without infinities.
float8_e4m3fn = dtype("float8_e4m3fn")
#: Floating-point number of 8 bits, 4 of exponent, 3 of mantissa, without infinities and
#: negative zero.
float8_e4m3fnuz = dtype("float8_e4m3fnuz")
#: Floating-point number of 8 bits, 5 of exponent, 2 of mantissa, with infinities.
float8_e5m2 = dtype("float8_e5m2")
#: Floating-point number of 8 bits, 5 of exponent, 2 of mantissa, without infinities and
#: negative zero.
float8_e5m2fnuz = dtype("float8_e5m2fnuz")
#: Power of two of 8 bits, all of them exponent, which scales a block of smaller numbers.
float8_e8m0fnu = dtype("float8_e8m0fnu")
#: Floating-point number of 6 bits, 2 of exponent, 3 of mantissa, without infinities.
float6_e2m3fn = dtype("float6_e2m3fn")
#: Floating-point number of 6 bits, 3 of exponent, 2 of mantissa, without infinities.
float6_e3m2fn = dtype("float6_e3m2fn")
#: Floating-point number of 4 bits, 2 of exponent, 1 of mantissa, without infinities.
float4_e2m1fn = dtype("float4_e2m1fn")
#: Two of float4_e2m1fn in one byte.
float4_e2m1fnx2 = dtype("float4_e2m1fnx2")
