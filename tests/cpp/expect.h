// SPDX-License-Identifier: Apache-2.0
// Expectations of the C++ tests that a statement throws a certain error.
#ifndef TESTS_CPP_EXPECT_H_
#define TESTS_CPP_EXPECT_H_

#include <tvm/ffi/error.h>

#include <string>

// [expect.begin]
// Runs a statement and returns "Kind: message" of the Error that it throws.
template <typename Statement>
std::string error_of(Statement statement) {
  try {
    statement();
  } catch (const tvm::ffi::Error& error) {
    return error.kind() + ": " + error.message();
  }
  return "no error";
}

#define EXPECT_EQ(a, b) TVM_FFI_CHECK_EQ(a, b, AssertionError)
#define EXPECT(condition) TVM_FFI_CHECK(condition, AssertionError)
// The text comes first, because the statement may contain commas.
#define EXPECT_THROWS(text, ...) EXPECT_EQ(error_of([&] { __VA_ARGS__; }), std::string(text))
// [expect.end]
// Compares only the beginning of the text.
#define EXPECT_THROWS_WITH(text, ...) \
  EXPECT_EQ(error_of([&] { __VA_ARGS__; }).substr(0, std::string(text).size()), std::string(text))

#endif  // TESTS_CPP_EXPECT_H_
