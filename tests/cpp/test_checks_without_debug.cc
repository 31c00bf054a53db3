// SPDX-License-Identifier: Apache-2.0
// error.h with NDEBUG defined: debug checks are not evaluated, the others are.
// Rows: R6
#ifndef NDEBUG
#define NDEBUG
#endif
#include <tvm/ffi/tvm_ffi.h>

#include "expect.h"

// A debug check evaluates neither its operands nor its message; it stays one statement.
void debug_checks_are_left_out() {
  int calls = 0;
  auto wrong = [&] { return ++calls < 0; };
  int* null = nullptr;
  if (calls == 0)
    TVM_FFI_DCHECK(wrong()) << ++calls;
  else
    ++calls;
  if (calls == 0)
    TVM_FFI_DCHECK_EQ(wrong(), true) << ++calls;
  else
    ++calls;
  TVM_FFI_DCHECK_NE(++calls, 1);
  TVM_FFI_DCHECK_LT(++calls, 0);
  TVM_FFI_DCHECK_LE(++calls, 0);
  TVM_FFI_DCHECK_GT(++calls, 9);
  TVM_FFI_DCHECK_GE(++calls, 9);
  TVM_FFI_DCHECK_NOTNULL(null);
  EXPECT_EQ(calls, 0);
  EXPECT(TVM_FFI_DCHECK_NOTNULL(null) == nullptr);
  EXPECT_THROWS("InternalError: check failed: wrong(): ", TVM_FFI_ICHECK(wrong()));
  EXPECT_THROWS("InternalError: check failed: calls == 7 (1 vs. 7) ", TVM_FFI_ICHECK_EQ(calls, 7));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_debug_checks_are_left_out, debug_checks_are_left_out);
