# SPDX-License-Identifier: Apache-2.0
"""Predefined element types, such as ``tvm_ffi.float32``."""

from .dtype import dtype

#: Boolean, stored in one byte.
bool = dtype("bool")
#: Signed 8-bit integer.
int8 = dtype("int8")
#: Signed 16-bit integer.
int16 = dtype("int16")
#: Signed 32-bit integer.
int32 = dtype("int32")
#: Signed 64-bit integer.
int64 = dtype("int64")
#: Unsigned 8-bit integer.
uint8 = dtype("uint8")
#: Unsigned 16-bit integer.
uint16 = dtype("uint16")
#: Unsigned 32-bit integer.
uint32 = dtype("uint32")
#: Unsigned 64-bit integer.
uint64 = dtype("uint64")
#: 16-bit floating-point number with 5 exponent bits and 10 mantissa bits.
float16 = dtype("float16")
#: 32-bit floating-point number with 8 exponent bits and 23 mantissa bits.
float32 = dtype("float32")
#: 64-bit floating-point number with 11 exponent bits and 52 mantissa bits.
float64 = dtype("float64")
#: 16-bit floating-point number with 8 exponent bits, as in float32, and 7 mantissa bits.
bfloat16 = dtype("bfloat16")
#: 8-bit floating-point number with 3 exponent bits and 4 mantissa bits, with infinities.
float8_e3m4 = dtype("float8_e3m4")
#: 8-bit floating-point number with 4 exponent bits and 3 mantissa bits, with infinities.
float8_e4m3 = dtype("float8_e4m3")
#: 8-bit floating-point number with 4 exponent bits and 3 mantissa bits, bias 11, without
#: infinities or negative zero.
float8_e4m3b11fnuz = dtype("float8_e4m3b11fnuz")
#: 8-bit floating-point number with 4 exponent bits and 3 mantissa bits, without infinities.
float8_e4m3fn = dtype("float8_e4m3fn")
#: 8-bit floating-point number with 4 exponent bits and 3 mantissa bits, without infinities or
#: negative zero.
float8_e4m3fnuz = dtype("float8_e4m3fnuz")
#: 8-bit floating-point number with 5 exponent bits and 2 mantissa bits, with infinities.
float8_e5m2 = dtype("float8_e5m2")
#: 8-bit floating-point number with 5 exponent bits and 2 mantissa bits, without infinities or
#: negative zero.
float8_e5m2fnuz = dtype("float8_e5m2fnuz")
#: 8-bit power of two, all exponent bits, which scales a block of narrower numbers.
float8_e8m0fnu = dtype("float8_e8m0fnu")
#: 6-bit floating-point number with 2 exponent bits and 3 mantissa bits, without infinities.
float6_e2m3fn = dtype("float6_e2m3fn")
#: 6-bit floating-point number with 3 exponent bits and 2 mantissa bits, without infinities.
float6_e3m2fn = dtype("float6_e3m2fn")
#: 4-bit floating-point number with 2 exponent bits and 1 mantissa bit, without infinities.
float4_e2m1fn = dtype("float4_e2m1fn")
#: Two float4_e2m1fn values packed into one byte.
float4_e2m1fnx2 = dtype("float4_e2m1fnx2")
