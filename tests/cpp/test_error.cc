// SPDX-License-Identifier: Apache-2.0
// Rows: R6
// error.h: kinds, messages, the macros in unbraced if/else, and errors through the C ABI.
#include <tvm/ffi/tvm_ffi.h>

#include <ostream>
#include <stdexcept>

#include "expect.h"

namespace ffi = tvm::ffi;

namespace {

struct Point {
  int x, y;
};
std::ostream& operator<<(std::ostream& out, const Point& p) {
  return out << "<" << p.x << "," << p.y << ">";
}

}  // namespace

// A message takes numbers, strings, our types, and whatever has an operator for std::ostream.
void message_takes_everything() {
  EXPECT_THROWS(
      "ValueError: abcde1-2318446744073709551615truefalse0.11.51e+300cuda:1bfloat16x2(2, "
      "3)()2<1,2>",
      TVM_FFI_THROW(ValueError) << "a" << std::string("b") << std::string_view("c")
                                << ffi::String("d") << 'e' << 1 << -2L << 3u
                                << 18446744073709551615ull << true << false << 0.1 << 1.5f << 1e300
                                << DLDevice{kDLCUDA, 1} << DLDataType{kDLBfloat, 16, 2}
                                << ffi::Shape({2, 3}) << ffi::ShapeView() << kDLCUDA
                                << Point{1, 2});
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_message_takes_everything, message_takes_everything);

// Every macro is one statement: an unbraced if/else around it means what it seems to mean.
void macros_in_unbraced_if_else() {
  std::string path;
  for (bool outer : {true, false}) {
    if (outer)
      TVM_FFI_CHECK(true, ValueError) << "never";
    else
      path += "check ";
    if (outer)
      TVM_FFI_ICHECK(true) << "never";
    else
      path += "icheck ";
    if (!outer)
      TVM_FFI_CHECK_SAFE_CALL(0);
    else
      path += "safe_call ";
    if (outer) {
      TVM_FFI_CHECK_EQ(1, 1, ValueError) << "never";
    } else {
      path += "eq";
    }
    if (!outer && path.empty())
      TVM_FFI_THROW(ValueError) << "never";
    else
      path += " ";
  }
  EXPECT_EQ(path, std::string("safe_call  check icheck eq "));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_macros_in_unbraced_if_else, macros_in_unbraced_if_else);

// A check shows its message, or its condition when there is none; ICHECK keeps its kind.
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

// The operands of a comparison are evaluated once.
void comparison_evaluates_once() {
  int calls = 0;
  auto next = [&] { return ++calls; };
  TVM_FFI_CHECK_EQ(next(), 1, ValueError);
  EXPECT_EQ(calls, 1);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_comparison_evaluates_once, comparison_evaluates_once);

// An error knows the file, the line and the function that threw it.
void error_knows_its_place() {
  std::string backtrace;
  const int line = __LINE__ + 2;
  try {
    TVM_FFI_THROW(ValueError) << "here";
  } catch (const ffi::Error& error) {
    backtrace = error.backtrace();
  }
  const std::string want = (ffi::Message().self() << "  File \"" << __FILE__ << "\", line " << line
                                                  << ", in error_knows_its_place\n")
                               .take();
  EXPECT_EQ(backtrace, want);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_error_knows_its_place, error_knows_its_place);

// An error crosses the C ABI and comes back the same object.
void error_crosses_the_c_abi() {
  ffi::Error thrown("KeyError", "k");
  ffi::Function f = ffi::Function::FromTyped([thrown]() -> int { throw thrown; });
  try {
    f();
    EXPECT(false);
  } catch (const ffi::Error& caught) {
    EXPECT(caught.same_as(thrown));
    EXPECT_EQ(caught.kind(), std::string("KeyError"));
    EXPECT_EQ(caught.message(), std::string("k"));
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_error_crosses_the_c_abi, error_crosses_the_c_abi);

// Exceptions of other kinds become errors too; none leaves a function of the C ABI.
void other_exceptions_become_errors() {
  auto thrower = [](auto exception) {
    return ffi::Function::FromTyped([exception]() -> int { throw exception; });
  };
  EXPECT_THROWS("RuntimeError: r", thrower(std::runtime_error("r"))());
  EXPECT_THROWS("MemoryError: std::bad_alloc", thrower(std::bad_alloc())());
  EXPECT_THROWS("RuntimeError: an exception that is no std::exception", thrower(7)());
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_other_exceptions_become_errors, other_exceptions_become_errors);

// The C functions raise, append to the backtrace, and keep a cause and a context alive.
void c_functions_of_errors() {
  const char* parts[] = {"a", nullptr, "b"};
  TVMFFIErrorSetRaisedFromCStrParts("TypeError", parts, 3);
  EXPECT_THROWS("TypeError: ab", ffi::detail::ThrowRaised(-1));
  EXPECT_THROWS("InternalError: a call returned 5 and raised no error to say why",
                ffi::detail::ThrowRaised(5));

  ffi::Error cause("ValueError", "cause");
  TVMFFIByteArray kind{"TypeError", 9}, message{"m", 1}, backtrace{"one\n", 4}, more{"two\n", 4};
  TVMFFIObjectHandle handle = nullptr;
  EXPECT_EQ(TVMFFIErrorCreateWithCauseAndExtraContext(
                &kind, &message, &backtrace, ffi::ObjectUnsafe::Borrow(cause), nullptr, &handle),
            0);
  ffi::Error error(ffi::ObjectUnsafe::PtrFromOwned<ffi::Object>(handle));
  error->update_backtrace(handle, &more, kTVMFFIBacktraceUpdateModeAppend);
  EXPECT_EQ(error.backtrace(), std::string("one\ntwo\n"));
  error->update_backtrace(handle, &more, kTVMFFIBacktraceUpdateModeReplace);
  EXPECT_EQ(error.backtrace(), std::string("two\n"));
  EXPECT(error.cause_chain()->same_as(cause));
  EXPECT_EQ(cause.use_count(), 2);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_c_functions_of_errors, c_functions_of_errors);
