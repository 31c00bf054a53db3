// SPDX-License-Identifier: Apache-2.0
// The bits that make an element nonzero, for the CPU and CUDA sources.
#ifndef VALUE_BITS_H_
#define VALUE_BITS_H_

#include "../tvm_ffi_utils.h"

namespace {

// [value_bits.begin]
// The bits in which an element, or half of a complex one, differs from zero; 0
// for an unsupported dtype. They exclude the sign of a float, as -0.0 is zero;
// a NaN has others.
inline uint64_t value_bits(DLDataType dtype) {
  if (dtype.lanes != 1) return 0;
  const int bits = dtype.code == kDLComplex ? dtype.bits / 2 : dtype.bits;
  if (bits != 8 && bits != 16 && bits != 32 && bits != 64) return 0;
  const uint64_t all = ~uint64_t{0} >> (64 - bits);
  switch (dtype.code) {
    case kDLBool:
    case kDLInt:
    case kDLUInt:
    case kDLFloat8_e4m3fnuz:  // Has one zero: -0.0's bits are its NaN.
    case kDLFloat8_e5m2fnuz:
      return all;
    case kDLFloat8_e4m3fn:
    case kDLFloat8_e5m2:
      return all >> 1;
    case kDLFloat:
    case kDLBfloat:
    case kDLComplex:
      return bits == 8 ? 0 : all >> 1;
    default:
      return 0;
  }
}

#define CHECK_HAS_ZERO(x)                                        \
  CHECK_OR_THROW(value_bits((x).dtype()) != 0, TypeError, x,     \
                 "bool, an integer, float16, float32, float64, " \
                 "bfloat16, float8_e4m3fn, float8_e5m2, "        \
                 "float8_e4m3fnuz, float8_e5m2fnuz or complex",  \
                 text_of((x).dtype()))
// [value_bits.end]

// [dispatch.begin]
struct alignas(16) Halves {
  uint64_t real, imag;
};

template <typename T>
HOST_DEVICE bool is_nonzero(T value, T bits) {
  return (value & bits) != 0;
}
HOST_DEVICE inline bool is_nonzero(Halves value, Halves bits) {
  return ((value.real & bits.real) | (value.imag & bits.imag)) != 0;
}

// Calls body(bits) with the value_bits() of a whole element, as a type of the
// element's size: the only property of the dtype that matters.
template <typename Body>
void dispatch_size(DLDataType dtype, Body body) {
  uint64_t bits = value_bits(dtype);
  if (dtype.bits == 128) return body(Halves{bits, bits});
  if (dtype.code == kDLComplex) bits |= bits << (dtype.bits / 2);
  if (dtype.bits == 8) body(static_cast<uint8_t>(bits));
  if (dtype.bits == 16) body(static_cast<uint16_t>(bits));
  if (dtype.bits == 32) body(static_cast<uint32_t>(bits));
  if (dtype.bits == 64) body(bits);
}
// [dispatch.end]

}  // namespace

#endif  // VALUE_BITS_H_
