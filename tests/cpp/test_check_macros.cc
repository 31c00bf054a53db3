// SPDX-License-Identifier: Apache-2.0
// error.h: the macros that check and throw, as statements and in expressions.
// Rows: R6
#pragma GCC diagnostic error "-Wdangling-else"
#include <tvm/ffi/tvm_ffi.h>

#include "expect.h"

namespace ffi = tvm::ffi;

// Every macro in an unbraced if/else means what it appears to mean, without compiler warnings.
void macros_in_unbraced_if_else() {
  std::string path;
  int zero = 0;
  for (bool outer : {true, false}) {
    if (outer)
      TVM_FFI_CHECK(zero == 0, ValueError) << "never";
    else
      path += "check ";
    if (outer)
      TVM_FFI_CHECK_EQ(zero, 0, ValueError) << "never";
    else
      path += "check_eq ";
    if (outer)
      TVM_FFI_ICHECK(zero == 0) << "never";
    else
      path += "icheck ";
    if (outer)
      TVM_FFI_ICHECK_LT(zero, 1) << "never";
    else
      path += "icheck_lt ";
    if (outer)
      TVM_FFI_DCHECK(zero == 0) << "never";
    else
      path += "dcheck ";
    if (outer)
      TVM_FFI_DCHECK_EQ(zero, 0) << "never";
    else
      path += "dcheck_eq ";
    if (!outer)
      TVM_FFI_CHECK_SAFE_CALL(zero);
    else
      path += "safe_call ";
    if (!outer && path.empty())
      TVM_FFI_THROW(ValueError) << "never";
    else
      path += "throw ";
    if (path.empty())
      TVM_FFI_LOG_AND_THROW(ValueError) << "never";
    else if (path.empty())
      TVM_FFI_UNREACHABLE();
    else
      path += "end ";
    if (outer) TVM_FFI_CHECK_GE(zero, 0, ValueError) << "never";
  }
  EXPECT_EQ(path, std::string("safe_call throw end check check_eq icheck icheck_lt dcheck "
                              "dcheck_eq throw end "));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_macros_in_unbraced_if_else, macros_in_unbraced_if_else);

// A check works wherever an expression does: in a conditional, after a comma, in a lambda.
void macros_in_expressions() {
  auto f = [](int n) {
    n > 0 ? TVM_FFI_CHECK(n < 3, ValueError) << "small" : TVM_FFI_THROW(TypeError) << "positive";
    return TVM_FFI_CHECK(n != 2, IndexError) << "not two", n;
  };
  EXPECT_EQ(f(1), 1);
  EXPECT_THROWS("IndexError: not two", f(2));
  EXPECT_THROWS("ValueError: small", f(3));
  EXPECT_THROWS("TypeError: positive", f(0));
  EXPECT_THROWS("no error", f(1));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_macros_in_expressions, macros_in_expressions);

// A check shows its message, or its condition if there is none; ICHECK keeps its kind.
void checks_show_what_failed() {
  const int n = 3;
  EXPECT_THROWS("TypeError: n must be 4, got 3", TVM_FFI_CHECK(n == 4, TypeError)
                                                     << "n must be 4, got " << n);
  EXPECT_THROWS("TypeError: check failed: n == 4", TVM_FFI_CHECK(n == 4, TypeError));
  EXPECT_THROWS("InternalError: check failed: n == 4: bug", TVM_FFI_ICHECK(n == 4) << "bug");
  EXPECT_THROWS("InternalError: check failed: n == 4 (3 vs. 4) bug", TVM_FFI_ICHECK_EQ(n, 4)
                                                                         << "bug");
  EXPECT_THROWS("IndexError: check failed: n < 2 (3 vs. 2) ", TVM_FFI_CHECK_LT(n, 2, IndexError));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_checks_show_what_failed, checks_show_what_failed);

// All six comparisons of every family show both operands, which are evaluated once; if the
// comparison holds, the message is not created.
void comparisons() {
  // A name that the macro might use itself.
  int a = 0, operands = 1, made = 0;
  auto next = [&] { return ++a; };
  auto note = [&] { return ++made; };
  TVM_FFI_CHECK_EQ(next(), operands, ValueError) << note();
  EXPECT_EQ(a, 1);
  TVM_FFI_CHECK_NE(a, 2, ValueError) << note();
  TVM_FFI_CHECK_LT(a, 2, ValueError) << note();
  TVM_FFI_CHECK_LE(a, 1, ValueError) << note();
  TVM_FFI_CHECK_GT(a, 0, ValueError) << note();
  TVM_FFI_CHECK_GE(a, 1, ValueError) << note();
  EXPECT_EQ(made, 0);
  EXPECT_THROWS("ValueError: check failed: next() == 1 (2 vs. 1) ",
                TVM_FFI_CHECK_EQ(next(), 1, ValueError));
  EXPECT_EQ(a, 2);
  EXPECT_THROWS("KeyError: check failed: a != 2 (2 vs. 2) ", TVM_FFI_CHECK_NE(a, 2, KeyError));
  EXPECT_THROWS("ValueError: check failed: a < 2 (2 vs. 2) ", TVM_FFI_CHECK_LT(a, 2, ValueError));
  EXPECT_THROWS("ValueError: check failed: a <= 1 (2 vs. 1) ", TVM_FFI_CHECK_LE(a, 1, ValueError));
  EXPECT_THROWS("ValueError: check failed: a > 2 (2 vs. 2) ", TVM_FFI_CHECK_GT(a, 2, ValueError));
  EXPECT_THROWS("ValueError: check failed: a >= 3 (2 vs. 3) ", TVM_FFI_CHECK_GE(a, 3, ValueError));
  EXPECT_THROWS("InternalError: check failed: a == 3 (2 vs. 3) ", TVM_FFI_ICHECK_EQ(a, 3));
  EXPECT_THROWS("InternalError: check failed: a != 2 (2 vs. 2) ", TVM_FFI_ICHECK_NE(a, 2));
  EXPECT_THROWS("InternalError: check failed: a < 2 (2 vs. 2) ", TVM_FFI_ICHECK_LT(a, 2));
  EXPECT_THROWS("InternalError: check failed: a <= 1 (2 vs. 1) ", TVM_FFI_ICHECK_LE(a, 1));
  EXPECT_THROWS("InternalError: check failed: a > 2 (2 vs. 2) ", TVM_FFI_ICHECK_GT(a, 2));
  EXPECT_THROWS("InternalError: check failed: a >= 3 (2 vs. 3) ", TVM_FFI_ICHECK_GE(a, 3));
  EXPECT_THROWS("TypeError: check failed: x == y (float32 vs. float16) ", {
    const DLDataType x{kDLFloat, 32, 1}, y{kDLFloat, 16, 1};
    TVM_FFI_CHECK_EQ(x, y, TypeError);
  });
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_comparisons, comparisons);

// Signed and unsigned integers are compared by value, without compiler warnings.
void signed_with_unsigned() {
  const size_t size = 3;
  const int64_t minus = -1;
  TVM_FFI_CHECK_EQ(size, 3, ValueError);
  TVM_FFI_CHECK_LT(minus, size, ValueError);
  TVM_FFI_CHECK_LE(minus, size, ValueError);
  TVM_FFI_CHECK_GT(size, minus, ValueError);
  TVM_FFI_CHECK_GE(size, minus, ValueError);
  TVM_FFI_CHECK_NE(minus, SIZE_MAX, ValueError);
  TVM_FFI_CHECK_NE(-1, 0xffffffffu, ValueError);
  EXPECT_THROWS("ValueError: check failed: minus >= size (-1 vs. 3) ",
                TVM_FFI_CHECK_GE(minus, size, ValueError));
  const uint64_t most = UINT64_MAX;
  EXPECT_THROWS("ValueError: check failed: most == -1 (18446744073709551615 vs. -1) ",
                TVM_FFI_CHECK_EQ(most, -1, ValueError));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_signed_with_unsigned, signed_with_unsigned);

// A pointer is passed through unless it is null.
void not_null() {
  int n = 3;
  int* p = &n;
  EXPECT_EQ(*TVM_FFI_CHECK_NOTNULL(p, ValueError), 3);
  EXPECT_EQ(TVM_FFI_ICHECK_NOTNULL(p), p);
  p = nullptr;
  EXPECT_THROWS("ValueError: check failed: p != nullptr", TVM_FFI_CHECK_NOTNULL(p, ValueError));
  EXPECT_THROWS("InternalError: check failed: p != nullptr", TVM_FFI_ICHECK_NOTNULL(p));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_not_null, not_null);

// Debug checks are enabled when NDEBUG is not defined, as here.
void debug_checks() {
  int n = 3;
  int* p = nullptr;
  EXPECT_THROWS("InternalError: check failed: n == 4: four", TVM_FFI_DCHECK(n == 4) << "four");
  EXPECT_THROWS("InternalError: check failed: n == 4 (3 vs. 4) ", TVM_FFI_DCHECK_EQ(n, 4));
  EXPECT_THROWS("InternalError: check failed: n != 3 (3 vs. 3) ", TVM_FFI_DCHECK_NE(n, 3));
  EXPECT_THROWS("InternalError: check failed: n == 4 (3 vs. 4) a text: 5",
                TVM_FFI_ICHECK_EQ(n, 4) "a text: " << 5);
  EXPECT_THROWS("InternalError: check failed: n < 3 (3 vs. 3) ", TVM_FFI_DCHECK_LT(n, 3));
  EXPECT_THROWS("InternalError: check failed: n <= 2 (3 vs. 2) ", TVM_FFI_DCHECK_LE(n, 2));
  EXPECT_THROWS("InternalError: check failed: n > 3 (3 vs. 3) ", TVM_FFI_DCHECK_GT(n, 3));
  EXPECT_THROWS("InternalError: check failed: n >= 4 (3 vs. 4) ", TVM_FFI_DCHECK_GE(n, 4));
  EXPECT_THROWS("InternalError: check failed: p != nullptr", TVM_FFI_DCHECK_NOTNULL(p));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_debug_checks, debug_checks);

namespace {

int positive(int n) {
  if (n > 0) return n;
  TVM_FFI_UNREACHABLE();  // no return is needed after it
}

}  // namespace

// Reaching a place marked as unreachable is an error, not undefined behaviour.
void unreachable() {
  EXPECT_EQ(positive(1), 1);
  EXPECT_THROWS("InternalError: a place was reached that is marked as unreachable", positive(0));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_unreachable, unreachable);

// A null C string in a message is shown without crashing.
void null_text() {
  const char* text = nullptr;
  EXPECT_THROWS("ValueError: name: (null)", TVM_FFI_THROW(ValueError) << "name: " << text);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_null_text, null_text);

// A number in a message has just enough digits to distinguish it from others of its type.
void float_digits() {
  EXPECT_THROWS("ValueError: 0.1 1e-05 0.333333343 0.333333333333333", {
    TVM_FFI_THROW(ValueError) << 0.1f << " " << 1e-5f << " " << 1.0f / 3 << " "
                              << 0.333333333333333;
  });
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_float_digits, float_digits);
