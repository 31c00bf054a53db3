// SPDX-License-Identifier: Apache-2.0
// Rows: R8
// Shown by any.rst: integers of any size.
// [big_int.begin]
#include <tvm/ffi/big_int.h>
#include <tvm/ffi/tvm_ffi.h>

namespace ffi = tvm::ffi;

// The number of ways to order n things.
ffi::BigInt factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
// [big_int.end]
TVM_FFI_DLL_EXPORT_TYPED_FUNC(factorial, factorial);

#include "expect.h"

// [big_int_operators.begin]
// Division rounds towards zero, floordiv down; a value that does not fit is not truncated.
void big_int_operators() {
  ffi::BigInt big = ffi::BigInt(1) << 100;
  EXPECT_EQ(big / -3, truncdiv(big, -3));
  EXPECT_EQ(floordiv(big, -3), truncdiv(big, -3) - 1);  // Python's //
  EXPECT_EQ(floormod(-big, 7) + floormod(big, 7), 7);   // Python's %
  EXPECT(!big.as<int64_t>().has_value());
  EXPECT_EQ((big >> 98).as<int64_t>().value(), 4);
  EXPECT_THROWS_WITH("OverflowError: ", static_cast<void>(static_cast<int64_t>(big)));
  EXPECT_THROWS_WITH("ZeroDivisionError: ", big / 0);

  ffi::Any any = big;
  EXPECT_EQ(any.type_index(), int32_t{kTVMFFIBigInt});
  EXPECT_THROWS_WITH("TypeError: ", any.cast<int64_t>());
  any = big - big + 7;  // stored inline, like any int64_t
  EXPECT_EQ(any.type_index(), int32_t{kTVMFFIInt});
  EXPECT_EQ(any.cast<int64_t>(), 7);
}
// [big_int_operators.end]
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_big_int_operators, big_int_operators);

// Beyond 64 bits and beyond two words.
void factorials() {
  EXPECT_EQ(factorial(20), 2432902008176640000);
  EXPECT_EQ(factorial(21), factorial(20) * 21);
  EXPECT_EQ(factorial(50) / factorial(48), 2450);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_factorials, factorials);
