// SPDX-License-Identifier: Apache-2.0
// Cases: errors, thrown across libraries and carried as values.
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>

#include <optional>
#include <stdexcept>
#include <string>

#include "case.h"

namespace ffi = tvm::ffi;

namespace {

using ffi::Any;
using ffi::Error;
using ffi::Function;

const char* const kKinds[] = {"TypeError",      "ValueError",          "IndexError",
                              "KeyError",       "RuntimeError",        "AttributeError",
                              "AssertionError", "NotImplementedError", "InternalError",
                              "MemoryError",    "interop.OwnError"};

[[noreturn]] void ThrowKind(int64_t i) {
  throw Error(kKinds[i], "message " + Text(i) + " \u00e9", "");
}

// The maker gives a function that throws; the checker calls it and catches.
Function MakeThrown(int64_t i) {
  return Function::FromTyped([i]() -> void { ThrowKind(i); });
}
void CheckThrown(int64_t i, const Any& value) {
  try {
    value.cast<Function>()();
  } catch (const Error& error) {
    EXPECT(error.kind() == kKinds[i]);
    EXPECT(error.message() == "message " + Text(i) + " \u00e9");
    return;
  }
  EXPECT(false);
}

// An exception of the standard library does not leave the function as such.
Function MakeStdException(int64_t) {
  return Function::FromTyped([]() -> void { throw std::out_of_range("no such thing"); });
}
void CheckStdException(int64_t, const Any& value) {
  try {
    value.cast<Function>()();
  } catch (const Error& error) {
    EXPECT(std::string(error.message()).find("no such thing") != std::string::npos);
    return;
  } catch (const std::out_of_range& error) {
    TVM_FFI_THROW(AssertionError) << "a C++ exception came: " << error.what();
  }
  EXPECT(false);
}

// The error names the source line that threw.
Function MakeSourceLine(int64_t) {
  return Function::FromTyped([]() -> void { TVM_FFI_THROW(ValueError) << "line " << 1; });
}
void CheckSourceLine(int64_t, const Any& value) {
  try {
    value.cast<Function>()();
  } catch (const Error& error) {
    EXPECT(error.message() == "line 1");
    EXPECT(std::string(error.backtrace()).find("errors.cc") != std::string::npos);
    return;
  }
  EXPECT(false);
}

// Errors are values too.
Error MakeValue(int64_t i) { return Error(kKinds[i], "a message", "a backtrace"); }
void CheckValue(int64_t i, const Any& value) {
  EXPECT(value.type_index() == kTVMFFIError);
  const auto error = value.cast<Error>();
  EXPECT(error.kind() == kKinds[i]);
  EXPECT(error.message() == "a message");
  EXPECT(error.backtrace() == "a backtrace");
  EXPECT(std::string(error.what()).find("a message") != std::string::npos);
}

// Causes: each error was caused by the next, three deep, and context is any object.
Error MakeCauseChain(int64_t) {
  const Error first("KeyError", "first", "");
  const Error second("ValueError", "second", "", first, std::nullopt);
  return Error("RuntimeError", "third", "", second, ffi::Shape({4, 2}));
}
void CheckCauseChain(int64_t, const Any& value) {
  const auto third = value.cast<Error>();
  EXPECT(third.cause_chain().has_value());
  EXPECT(third.extra_context().has_value());
  const auto context = Any(*third.extra_context()).cast<ffi::Shape>();
  EXPECT(context.size() == 2 && context[0] == 4);
  const Error second = *third.cause_chain();
  EXPECT(second.kind() == "ValueError");
  EXPECT(second.message() == "second");
  EXPECT(!second.extra_context().has_value());
  const Error first = *second.cause_chain();
  EXPECT(first.kind() == "KeyError");
  EXPECT(!first.cause_chain().has_value());
}

// Thrown, causes and context come along.
Function MakeThrownChain(int64_t) {
  return Function::FromTyped([]() -> void { throw MakeCauseChain(0); });
}
void CheckThrownChain(int64_t, const Any& value) {
  try {
    value.cast<Function>()();
  } catch (const Error& error) {
    CheckCauseChain(0, Any(error));
    return;
  }
  EXPECT(false);
}

// Checks are errors of the kind they say.
Function MakeChecks(int64_t i) {
  return Function::FromTyped([i]() -> void {
    const int64_t one = 1;
    if (i == 0) {
      TVM_FFI_CHECK(one == 2, IndexError) << "said " << one;
    }
    if (i == 1) {
      TVM_FFI_CHECK_EQ(one, 2, KeyError) << "said " << one;
    }
    if (i == 2) {
      TVM_FFI_ICHECK(one == 2) << "said " << one;
    }
    if (i == 3) {
      TVM_FFI_ICHECK_LT(one, one) << "said " << one;
    }
  });
}
void CheckChecks(int64_t i, const Any& value) {
  const char* const kinds[] = {"IndexError", "KeyError", "InternalError", "InternalError"};
  try {
    value.cast<Function>()();
  } catch (const Error& error) {
    EXPECT(error.kind() == kinds[i]);
    EXPECT(std::string(error.message()).find("said 1") != std::string::npos);
    return;
  }
  EXPECT(false);
}

// For Python: throws, and lets what Python throws pass.
void Throw(int64_t i) { ThrowKind(i); }
void ThrowChain() { throw MakeCauseChain(0); }
void ThrowLine() { TVM_FFI_THROW(ValueError) << "from a line"; }
ffi::String KindOf(int64_t i) { return kKinds[i]; }
void CallThrower(Function thrower) { thrower(); }
// The kind of the error that a function throws.
ffi::String CatchKind(Function thrower) {
  try {
    thrower();
  } catch (const Error& error) {
    return std::string(error.kind()) + ": " + std::string(error.message());
  }
  return "no error";
}

}  // namespace

INTEROP_CASE(Thrown, 11, "error of every kind, caught by another library");
INTEROP_CASE(StdException, 1, "std::exception, caught as an error");
INTEROP_CASE(SourceLine, 1, "source line of an error, in its backtrace");
INTEROP_CASE(Value, 11, "error as a value");
INTEROP_CASE(CauseChain, 1, "error with a chain of causes and extra context");
INTEROP_CASE(ThrownChain, 1, "error with causes and context, thrown and caught");
INTEROP_CASE(Checks, 4, "errors of the check macros");

TVM_FFI_DLL_EXPORT_TYPED_FUNC(throw_kind, Throw);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(throw_chain, ThrowChain);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(throw_line, ThrowLine);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(kind_of, KindOf);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(call_thrower, CallThrower);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(catch_kind, CatchKind);
