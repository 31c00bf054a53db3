// SPDX-License-Identifier: Apache-2.0
// Rows: R8
// Shown by exception_handling.rst: backtraces, checks without braces, destructors.
#include <tvm/ffi/tvm_ffi.h>

#include "captured_stderr.h"
#include "expect.h"

namespace ffi = tvm::ffi;

namespace {

// Calls that the compiler must not merge into their callers.
__attribute__((noinline)) void inner(int n) {
  TVM_FFI_THROW(ValueError) << "n must be even, got " << n;
}
__attribute__((noinline)) void outer(int n) {
  inner(n);
  inner(n + 1);  // so that the first call is not a tail call
}

// The functions named by the lines of a backtrace.
std::string FunctionsIn(const std::string& backtrace) {
  std::string functions;
  for (size_t at = 0; (at = backtrace.find(", in ", at)) != std::string::npos;) {
    at += 5;
    functions += backtrace.substr(at, backtrace.find('\n', at) - at) + "; ";
  }
  return functions;
}

}  // namespace

// The backtrace names the functions that were running.
void backtrace_names_the_calls() {
  // [show_backtrace.begin]
  try {
    outer(3);
  } catch (const ffi::Error& error) {
    EXPECT_EQ(FunctionsIn(error.backtrace()),
              std::string("inner; (anonymous namespace)::outer(int); backtrace_names_the_calls(); "
                          "__tvm_ffi_test_backtrace_names_the_calls; "));
    EXPECT_EQ(
        FunctionsIn(error.TracebackMostRecentCallLast()),
        std::string("__tvm_ffi_test_backtrace_names_the_calls; "
                    "backtrace_names_the_calls(); (anonymous namespace)::outer(int); inner; "));
  }
  // [show_backtrace.end]
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_backtrace_names_the_calls, backtrace_names_the_calls);

// A check is one statement.
void unbraced() {
  std::string path;
  int zero = 0;
  for (bool outer : {true, false}) {
    // [unbraced.begin]
    if (outer)
      TVM_FFI_CHECK(zero == 0, ValueError) << "never";
    else
      path += "check ";
    if (outer)
      TVM_FFI_CHECK_EQ(zero, 0, ValueError) << "never";
    else
      path += "check_eq ";
    // [unbraced.end]
  }
  EXPECT_EQ(path, std::string("check check_eq "));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_unbraced, unbraced);

// [destructor.begin]
namespace {

// Calls code that may throw from a place that must not.
struct Workspace {
  explicit Workspace(void (*release)(void*)) : release_(release) {}
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  ~Workspace() {
    TVM_FFI_LOG_EXCEPTION_CALL_BEGIN();
    release_(this);
    TVM_FFI_LOG_EXCEPTION_CALL_END(Workspace);
  }

 private:
  void (*release_)(void*);
};

}  // namespace
// [destructor.end]

// A destructor reports its error, and the exception in flight continues.
void destructor() {
  std::string error;
  const std::string text = StderrOf([&] {
    error = error_of([] {
      Workspace workspace([](void*) { TVM_FFI_THROW(ValueError) << "cannot free"; });
      TVM_FFI_THROW(TypeError) << "the first";
    });
  });
  EXPECT_EQ(text, std::string("Workspace: ignored: ValueError: cannot free\n"));
  EXPECT_EQ(error, std::string("TypeError: the first"));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_destructor, destructor);
