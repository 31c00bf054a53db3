// SPDX-License-Identifier: Apache-2.0
// expected.h: the macros that return an error.
#include <tvm/ffi/expected.h>

#include "print.h"

namespace ffi = tvm::ffi;

static ffi::Expected<int> Check(int which, int x) {
  if (which == 0) TVM_FFI_RET_CHECK(x == 1, KeyError) << "message";
  if (which == 1) TVM_FFI_RET_CHECK_LT(x, 1, TypeError) << "message";
  if (which == 2) TVM_FFI_RET_CHECK_GT(x, 1, ValueError);
  if (which == 3) TVM_FFI_RET_CHECK_LE(x, 1, ValueError);
  if (which == 4) TVM_FFI_RET_CHECK_GE(x, 1, ValueError);
  if (which == 5) TVM_FFI_RET_CHECK_EQ(x, 1, ValueError);
  if (which == 6) TVM_FFI_RET_CHECK_NE(x, 1, ValueError);
  if (which == 7) TVM_FFI_RET_ICHECK(x == 1);
  if (which == 8) TVM_FFI_RET_ICHECK_LT(x, 1);
  if (which == 9) TVM_FFI_RET_ICHECK_GT(x, 1);
  if (which == 10) TVM_FFI_RET_ICHECK_LE(x, 1);
  if (which == 11) TVM_FFI_RET_ICHECK_GE(x, 1);
  if (which == 12) TVM_FFI_RET_ICHECK_EQ(x, 1);
  if (which == 13) TVM_FFI_RET_ICHECK_NE(x, 1);
  if (which == 14 && x == 1) return TVM_FFI_UNEXPECTED(IndexError) << "x is " << x;
  return x;
}
static ffi::Unexpected<ffi::Error> Only() { return TVM_FFI_UNEXPECTED(KeyError) << "only"; }

int main() {
  for (int which = 0; which < 15; ++which) {
    for (int x : {0, 1, 2}) Try("check", [&] { std::cout << which << Check(which, x).value(); });
  }
  std::cout << Check(14, 1).error().message() << Only().error().kind() << "\n";
}
