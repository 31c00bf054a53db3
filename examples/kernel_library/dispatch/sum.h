// SPDX-License-Identifier: Apache-2.0
// Shared by the CPU and GPU kernels: the dtypes, and the sum of two elements.
#ifndef SUM_H_
#define SUM_H_

#include "../tvm_ffi_utils.h"

namespace {

// [lists.begin]
using Types =
    decltype(FloatingTypes{} + Float8Types{} + IntegerTypes{} + BoolTypes{});
// [lists.end]

// [computed_as.begin]
// A bool in memory. Its byte may have any value, as in a view of other data; a
// C++ bool may only be 0 or 1.
struct Truth {
  uint8_t byte;
};

// The type that a kernel is instantiated for. Signed and unsigned integers have
// the same sums, bit for bit, so one kernel serves two dtypes.
template <typename T>
constexpr auto computed_as() {
  if constexpr (std::is_same<T, bool>::value) {
    return Truth{};
  } else if constexpr (std::is_integral<T>::value) {
    return std::make_unsigned_t<T>{};
  } else {
    return T{};
  }
}
// [computed_as.end]

// [sum.begin]
// Booleans: or. Integers wrap around, which only unsigned ones may do in C++.
// All others are added in float or double and rounded once.
struct Sum {
  template <typename T>
  HOST_DEVICE T operator()(T a, T b) const {
    if constexpr (std::is_same<T, Truth>::value) {
      return {static_cast<uint8_t>((a.byte | b.byte) != 0)};
    } else if constexpr (std::is_integral<T>::value) {
      static_assert(std::is_unsigned<T>::value, "expected computed_as<T>()");
      return static_cast<T>(a + b);
    } else {
      using C = typename Compute<T>::Type;
      return static_cast<T>(static_cast<C>(a) + static_cast<C>(b));
    }
  }
};
// [sum.end]

}  // namespace

#endif  // SUM_H_
