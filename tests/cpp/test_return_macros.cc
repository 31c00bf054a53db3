// SPDX-License-Identifier: Apache-2.0
// Rows: R5, R7
// return_macros.h: returning errors.
#include <tvm/ffi/expected.h>
#include <tvm/ffi/tvm_ffi.h>

#include <string>

#include "expect.h"

namespace ffi = tvm::ffi;

namespace {

int evaluated = 0;

ffi::Expected<int> Positive(int x) {
  TVM_FFI_RET_CHECK(x > 0, ValueError) << "x is " << x;
  return x;
}
ffi::Expected<int> Bare(int x) {
  if (x < 10)
    TVM_FFI_RET_CHECK(x > 0, TypeError);
  else
    return 10;
  return x;
}
ffi::Expected<void> Internal(int x) {
  TVM_FFI_RET_ICHECK(x > 0) << "so " << x;
  return {};
}
ffi::Expected<std::string> Five(int x) {
  TVM_FFI_RET_CHECK_EQ((++evaluated, x), 5, KeyError) << "more";
  return std::string("five");
}
ffi::Expected<ffi::Any> Made(int x) {
  if (x != 0) return TVM_FFI_UNEXPECTED(IndexError) << "bad " << x << '!';
  return ffi::Any(x);
}
ffi::Unexpected<ffi::Error> Only() { return TVM_FFI_UNEXPECTED(KeyError) << "only"; }
ffi::Expected<int> Compare(int which, int x, unsigned y) {
  if (which == 0) TVM_FFI_RET_CHECK_LT(x, y, ValueError);
  if (which == 1) TVM_FFI_RET_CHECK_GT(x, y, ValueError);
  if (which == 2) TVM_FFI_RET_CHECK_LE(x, y, ValueError);
  if (which == 3) TVM_FFI_RET_CHECK_GE(x, y, ValueError);
  if (which == 4) TVM_FFI_RET_CHECK_EQ(x, y, ValueError);
  if (which == 5) TVM_FFI_RET_CHECK_NE(x, y, ValueError);
  if (which == 6) TVM_FFI_RET_ICHECK_LT(x, y);
  if (which == 7) TVM_FFI_RET_ICHECK_GT(x, y);
  if (which == 8) TVM_FFI_RET_ICHECK_LE(x, y);
  if (which == 9) TVM_FFI_RET_ICHECK_GE(x, y);
  if (which == 10) TVM_FFI_RET_ICHECK_EQ(x, y);
  if (which == 11) TVM_FFI_RET_ICHECK_NE(x, y);
  return which;
}

}  // namespace

// If a condition holds, the function continues; otherwise it returns an error.
void conditions() {
  EXPECT_EQ(Positive(3).value(), 3);
  EXPECT(Positive(0).is_err());
  EXPECT_THROWS("ValueError: x is 0", Positive(0).value());
  EXPECT_THROWS("TypeError: check failed: x > 0", Bare(0).value());
  EXPECT_EQ(Bare(3).value(), 3);
  EXPECT_EQ(Bare(30).value(), 10);
  EXPECT(Internal(1).is_ok());
  EXPECT_THROWS("InternalError: check failed: x > 0: so -1", Internal(-1).value());
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_conditions, conditions);

// A comparison shows its operands, which are evaluated once.
void comparisons() {
  EXPECT_EQ(Five(5).value(), "five");
  EXPECT_THROWS("KeyError: check failed: (++evaluated, x) == 5 (4 vs. 5) more", Five(4).value());
  EXPECT_EQ(evaluated, 2);
  for (int which = 0; which < 12; ++which) {
    int holds = 0;
    for (int x : {-1, 1, 2}) holds = 2 * holds + Compare(which, x, 1).is_ok();
    const int expected[] = {4, 1, 6, 3, 2, 5};  // bits of x: -1, 1, 2
    EXPECT_EQ(holds, expected[which % 6]) << "comparison " << which;
  }
  EXPECT_THROWS("ValueError: check failed: x < y (1 vs. 1) ", Compare(0, 1, 1).value());
  EXPECT_THROWS("InternalError: check failed: x != y (1 vs. 1) ", Compare(11, 1, 1).value());
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_comparisons, comparisons);

// An error created as a value converts to any return type, with its location.
void values() {
  EXPECT_EQ(Made(0).value().cast<int>(), 0);
  EXPECT_THROWS("IndexError: bad 7!", Made(7).value());
  EXPECT_EQ(Only().error().kind(), "KeyError");
  EXPECT(Only().error().backtrace().find("test_return_macros.cc") != std::string::npos);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_values, values);
