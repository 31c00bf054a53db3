// SPDX-License-Identifier: Apache-2.0
// Cases: Expected, a value or an error.
#include <tvm/ffi/expected.h>
#include <tvm/ffi/function.h>

#include <string>

#include "case.h"

namespace ffi = tvm::ffi;

namespace {

using ffi::Any;

ffi::Expected<int64_t> Half(int64_t x) {
  if (x % 2 != 0) return ffi::Error("ValueError", "odd", "");
  return x / 2;
}

// What a function that gives an Expected returns is the value; its error is raised.
ffi::Function MakeExpected(int64_t) { return ffi::Function::FromTyped(Half); }
void CheckExpected(int64_t, const Any& value) {
  const auto half = value.cast<ffi::Function>();
  EXPECT(half(8).cast<int64_t>() == 4);
  bool raised = false;
  try {
    half(7);
  } catch (const ffi::Error& error) {
    raised = error.kind() == "ValueError" && error.message() == "odd";
  }
  EXPECT(raised);
}

// A call that catches: the error arrives as a value.
ffi::Function MakeCallExpected(int64_t) { return MakeExpected(0); }
void CheckCallExpected(int64_t, const Any& value) {
  const auto half = value.cast<ffi::Function>();
  const ffi::Expected<int64_t> good = half.CallExpected<int64_t>(10);
  EXPECT(good.is_ok() && good.value() == 5);
  const ffi::Expected<int64_t> bad = half.CallExpected<int64_t>(11);
  EXPECT(bad.is_err());
  EXPECT(bad.error().kind() == "ValueError");
  EXPECT(bad.value_or(-1) == -1);
}

}  // namespace

INTEROP_CASE(Expected, 1, "Expected as a result");
INTEROP_CASE(CallExpected, 1, "call whose error arrives in an Expected");
