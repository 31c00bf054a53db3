// SPDX-License-Identifier: Apache-2.0
// Rows: R6, R7
// expected.h: a value or an error in its place; queried, thrown, returned and passed.
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/expected.h>
#include <tvm/ffi/tvm_ffi.h>

#include "expect.h"

namespace ffi = tvm::ffi;

// Returns an error instead of throwing it; when exported, the error is raised.
ffi::Expected<int> half(int x) {
  if (x % 2 != 0) return ffi::Error("ValueError", "half: x must be even");
  return x / 2;
}

// It reports which of the two it holds.
void value_or_error() {
  const ffi::Expected<int> value = half(8);
  EXPECT(value.is_ok() && value.has_value() && !value.is_err());
  EXPECT_EQ(value.value(), 4);
  EXPECT_EQ(value.type_index(), int32_t{kTVMFFIInt});
  EXPECT_EQ(value.value_or(1), 4);
  EXPECT_THROWS("RuntimeError: Expected::error: expected an error, got a value of type int",
                value.error());
  const ffi::Expected<int> error = half(7);
  EXPECT(error.is_err() && !error.is_ok() && !error.has_value());
  EXPECT_EQ(error.error().kind(), std::string("ValueError"));
  EXPECT_EQ(error.type_index(), int32_t{kTVMFFIError});
  EXPECT_EQ(error.value_or(1), 1);
  EXPECT_THROWS("ValueError: half: x must be even", error.value());
  const ffi::Expected<int> unexpected = ffi::Unexpected(ffi::Error("KeyError", "k"));
  EXPECT_EQ(unexpected.error().kind(), std::string("KeyError"));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_value_or_error, value_or_error);

// A value is moved out with its only reference; the thrown error is the same object that was
// stored.
void moves() {
  ffi::Expected<ffi::Array<int>> expected = ffi::Array<int>{1};
  const ffi::Array<int> array = std::move(expected).value();
  EXPECT_EQ(array.use_count(), 1);
  const ffi::Error error("ValueError", "e");
  const ffi::Expected<ffi::Array<int>> failed = error;
  try {
    failed.value();
    EXPECT(false);
  } catch (const ffi::Error& thrown) {
    EXPECT(thrown.same_as(error));
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_moves, moves);

// Without a value type it represents only success or failure.
void no_value() {
  ffi::Expected<void> success;
  EXPECT(success.is_ok());
  success.value();
  const ffi::Expected<void> failure = ffi::Unexpected(ffi::Error("ValueError", "e"));
  EXPECT_THROWS("ValueError: e", failure.value());
  const ffi::Function check = ffi::Function::FromTyped([](bool ok) -> ffi::Expected<void> {
    if (!ok) return ffi::Error("ValueError", "not ok");
    return {};
  });
  EXPECT(check(true) == nullptr);
  EXPECT_THROWS("ValueError: not ok", check(false));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_no_value, no_value);

// As a function's result, an error is raised; as a parameter, it accepts a value or an Error.
void through_functions() {
  const ffi::Function function = ffi::Function::FromTyped(half, "half");
  EXPECT_EQ(function(8).cast<int>(), 4);
  EXPECT_THROWS("ValueError: half: x must be even", function(7));
  const ffi::Function failed = ffi::Function::FromTyped(
      [](const ffi::Expected<double>& value) { return value.is_err(); }, "failed");
  EXPECT(!failed(1).cast<bool>());
  EXPECT(failed(ffi::Error("ValueError", "e")).cast<bool>());
  EXPECT_THROWS(
      "TypeError: failed(Expected[float]) -> bool: argument 0: expected "
      "Expected[float], got str",
      failed("x"));
  const ffi::Any any = half(7);
  EXPECT_EQ(any.cast<ffi::Error>().message(), std::string("half: x must be even"));
  EXPECT(any.cast<ffi::Expected<int>>().is_err());
  EXPECT_EQ(ffi::TypeTraits<ffi::Expected<int>>::TypeSchema(),
            std::string(R"({"type":"Expected","args":[{"type":"int"},{"type":"ffi.Error"}]})"));
  EXPECT_EQ(ffi::TypeTraits<ffi::Expected<void>>::TypeStr(), std::string("Expected[void]"));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_through_functions, through_functions);

// A catching call: an error that the function raises, or returns as an Error, is the result.
void call_expected() {
  const ffi::Function function = ffi::Function::FromTyped(half, "half");
  EXPECT_EQ(function.CallExpected<int>(8).value(), 4);
  EXPECT_EQ(function.CallExpected<int>(7).error().kind(), std::string("ValueError"));
  const ffi::Function returns_error =
      ffi::Function::FromTyped([] { return ffi::Error("KeyError", "returned"); });
  EXPECT_EQ(returns_error.CallExpected<int>().error().message(), std::string("returned"));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_call_expected, call_expected);

ffi::Expected<ffi::String> text_or_error(bool good) {
  if (good) return "a text on the heap";
  return ffi::Error("KeyError", "no text");
}

// It converts from a value or an Expected that converts to T; the error stays the same object.
void conversions() {
  const ffi::Expected<std::string> text = text_or_error(true);
  EXPECT_EQ(text.value(), "a text on the heap");
  const ffi::Expected<double> half_of = half(8);
  EXPECT_EQ(half_of.value(), 4.0);
  const ffi::Expected<int> failed = half(7);
  const ffi::Expected<ffi::Any> same = failed;
  EXPECT(same.error().same_as(failed.error()));
  static_assert(!std::is_convertible<ffi::Expected<ffi::String>, ffi::Expected<int>>::value, "");
  static_assert(!std::is_convertible<ffi::Expected<int>, ffi::Expected<void>>::value, "");
  // The value is moved: no reference is added.
  ffi::Expected<ffi::Array<int>> array = ffi::Array<int>{1};
  const ffi::Expected<ffi::ObjectRef> moved = std::move(array);
  EXPECT_EQ(moved.value().use_count(), 2);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_conversions, conversions);

// Without a conversion: the value, the existing error, or a TypeError.
void exactly_of_a_type() {
  const ffi::Expected<ffi::Any> number = ffi::Any(3);
  EXPECT_EQ(number.as_or_error<int>().value(), 3);
  EXPECT_THROWS("TypeError: Expected::as_or_error: expected a value of type float, got int",
                number.as_or_error<double>().value());
  const ffi::Expected<ffi::Any> failed = ffi::Error("KeyError", "k");
  EXPECT(failed.as_or_error<int>().error().same_as(failed.error()));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_exactly_of_a_type, exactly_of_a_type);

// It is lent as its value or its error, and constructed from the contents of an Any.
void lent() {
  const ffi::Expected<int> eight = half(16), failed = half(7);
  EXPECT_EQ(ffi::AnyView(eight).cast<int>(), 8);
  EXPECT_EQ(ffi::AnyView(failed).type_index(), int32_t{kTVMFFIError});
  EXPECT_EQ(ffi::Any(3).as<ffi::Expected<int>>()->value(), 3);
  EXPECT(ffi::Any().as<ffi::Expected<void>>()->is_ok());
  EXPECT(ffi::Any(failed).as<ffi::Expected<void>>()->is_err());
  const ffi::Unexpected<> unexpected(ffi::Error("ValueError", "e"));
  EXPECT_EQ(unexpected.error().message(), std::string("e"));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_lent, lent);
