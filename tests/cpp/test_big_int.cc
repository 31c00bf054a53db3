// SPDX-License-Identifier: Apache-2.0
// Rows: R7
// BigInt of big_int.h; test_big_int_against_python.py checks its arithmetic.
#include <tvm/ffi/big_int.h>
#include <tvm/ffi/tvm_ffi.h>

#include <cmath>
#include <limits>
#include <sstream>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "expect.h"

namespace ffi = tvm::ffi;

using ffi::BigInt;

// An int64_t is stored inline, a larger number in an object that copies share; moved-from is zero.
void storage() {
  static_assert(sizeof(BigInt) == sizeof(TVMFFIAny), "as in the published headers");
  static_assert(sizeof(ffi::Optional<BigInt>) == sizeof(TVMFFIAny), "none needs no more room");
  static_assert(std::is_nothrow_move_constructible<BigInt>::value, "a handle is moved");
  const BigInt most = INT64_MAX;
  EXPECT_EQ(ffi::Any(most).type_index(), int32_t{kTVMFFIInt});
  BigInt big = most + 1;
  EXPECT_EQ(ffi::Any(big).type_index(), int32_t{kTVMFFIBigInt});
  EXPECT_EQ(ffi::Any(big - 1).type_index(), int32_t{kTVMFFIInt});
  EXPECT_EQ(ffi::Any(-big).type_index(), int32_t{kTVMFFIInt});
  EXPECT_EQ(ffi::Any(-big - 1).type_index(), int32_t{kTVMFFIBigInt});

  BigInt copy = big;
  EXPECT(ffi::Any(copy).same_as(ffi::Any(big)));
  BigInt& itself = copy;
  copy = itself;
  EXPECT_EQ(copy, big);
  copy = std::move(itself);
  EXPECT_EQ(copy, big);
  BigInt moved = std::move(copy);
  EXPECT_EQ(copy, 0);  // NOLINT(bugprone-use-after-move)
  moved.swap(copy);
  EXPECT_EQ(moved, 0);
  EXPECT_EQ(copy, big);
  copy = 5;
  EXPECT_EQ(copy, 5);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_storage, storage);

// Every integer type keeps its value, even one that does not fit an int64_t.
void integers() {
  enum Color { kRed = 1, kGreen = 2 };
  EXPECT_EQ(BigInt(), 0);
  EXPECT_EQ(BigInt(true), 1);
  EXPECT_EQ(BigInt('a'), 97);
  EXPECT_EQ(BigInt(kGreen), 2);
  EXPECT_EQ(BigInt(1) + kGreen, 3);
  EXPECT_EQ(BigInt(UINT64_MAX), (BigInt(1) << 64) - 1);
  EXPECT_EQ(BigInt(1) + UINT64_MAX, BigInt(1) << 64);
  EXPECT(BigInt(-1) != UINT64_MAX);
  EXPECT_EQ(7 - BigInt(INT64_MIN), (BigInt(1) << 63) + 7);
  EXPECT_EQ(max(1, BigInt(2)), 2);
  EXPECT_EQ(floordiv(-7, BigInt(2)), -4);
  static_assert(!std::is_convertible<double, BigInt>::value, "a fraction is not lost unseen");
  static_assert(!std::is_convertible<BigInt, int64_t>::value, "a value is not lost unseen");
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_integers, integers);

// An operation without a result reports its name and its operands.
void errors() {
  const BigInt big = BigInt(1) << 64;
  EXPECT_THROWS("ZeroDivisionError: truncdiv: expected a divisor other than 0, got 0", big / 0);
  EXPECT_THROWS("ZeroDivisionError: truncmod: expected a divisor other than 0, got 0", big % 0);
  EXPECT_THROWS("ZeroDivisionError: floordiv: expected a divisor other than 0, got 0",
                floordiv(1, BigInt(0)));
  EXPECT_THROWS("ZeroDivisionError: floormod: expected a divisor other than 0, got 0",
                floormod(big, 0));
  EXPECT_THROWS("ValueError: operator<<: expected a count of at least 0, got -1", big << -1);
  EXPECT_THROWS("ValueError: operator>>: expected a count of at least 0, got -18446744073709551616",
                big >> -big);
  EXPECT_THROWS("OverflowError: operator<<: expected a count below 2^64, got 18446744073709551616",
                BigInt(1) << big);
  EXPECT_EQ(BigInt(0) << big, 0);
  EXPECT_EQ(BigInt(-5) >> big, -1);
  EXPECT_THROWS(
      "OverflowError: BigInt: operator int64_t: expected a value that fits into int64_t, got "
      "-18446744073709551616",
      static_cast<void>(static_cast<int64_t>(-big)));
  EXPECT_THROWS(
      "OverflowError: BigInt: operator double: expected a value in the range of double, got an "
      "integer of 17 words",
      static_cast<void>(static_cast<double>(BigInt(1) << 1024)));
  EXPECT_THROWS("ValueError: BigInt: expected a finite number, got NaN",
                BigInt{std::numeric_limits<double>::quiet_NaN()});
  EXPECT_THROWS("OverflowError: BigInt: expected a finite number, got inf",
                BigInt{std::numeric_limits<double>::infinity()});
  BigInt kept = big;
  EXPECT_THROWS_WITH("ZeroDivisionError: ", kept /= 0);
  EXPECT_EQ(kept, big);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_errors, errors);

// An int or a bool converts to a BigInt; a big value does not convert to an int.
void values() {
  const BigInt big = BigInt(1) << 100;
  EXPECT_EQ(ffi::Any(big).cast<BigInt>(), big);
  EXPECT_EQ(ffi::Any(7).cast<BigInt>(), 7);
  EXPECT_EQ(ffi::Any(true).cast<BigInt>(), 1);
  EXPECT(!ffi::Any(true).as<BigInt>().has_value());
  EXPECT_EQ(ffi::Any(BigInt(7)).cast<int64_t>(), 7);
  EXPECT_THROWS("TypeError: Any: expected int, got BigInt", ffi::Any(big).cast<int64_t>());
  EXPECT_THROWS("TypeError: Any: expected BigInt, got float", ffi::Any(2.0).cast<BigInt>());
  EXPECT_EQ(ffi::TypeTraits<ffi::Array<BigInt>>::TypeSchema(),
            std::string(R"({"type":"ffi.Array","args":[{"type":"ffi.BigInt"}]})"));
  TVMFFIAny owned{};
  ffi::TypeTraits<BigInt>::MoveToAny(big, &owned);
  EXPECT_EQ(ffi::TypeTraits<BigInt>::MoveFromAnyAfterCheck(&owned), big);
  EXPECT_EQ(owned.type_index, int32_t{kTVMFFINone});
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_values, values);

// Containers hold it as an element, a key and an Optional.
void containers() {
  const BigInt big = BigInt(1) << 100;
  const ffi::Array<BigInt> array{big, 5, -big};
  EXPECT_EQ(array[0] + array[1] + array[2], 5);
  const ffi::Map<BigInt, ffi::String> map{{big, "big"}, {7, "seven"}};
  EXPECT_EQ(map.at(BigInt(1) << 100), ffi::String("big"));
  EXPECT_EQ(map.at(7), ffi::String("seven"));
  EXPECT_EQ(map.count(-big), 0u);
  const std::unordered_map<BigInt, int> standard{{big, 1}, {BigInt(7), 2}};
  EXPECT_EQ(standard.at(BigInt(1) << 100), 1);

  ffi::Optional<BigInt> maybe;
  EXPECT(!maybe.has_value());
  EXPECT(ffi::Any(maybe) == nullptr);
  maybe = big;
  const ffi::Optional<BigInt> copy = maybe;
  EXPECT_EQ(copy.value(), big);
  EXPECT_EQ(ffi::Any(copy).cast<ffi::Optional<BigInt>>().value(), big);
  maybe = std::nullopt;
  EXPECT_EQ(maybe.value_or(3), 3);
  const ffi::Variant<BigInt, ffi::String> variant = big;
  EXPECT_EQ(variant.get<BigInt>(), big);

  const auto sum = ffi::Function::FromTyped([](BigInt a, const BigInt& b) { return a + b; });
  EXPECT_EQ(sum(big, 5).cast<BigInt>(), big + 5);
  EXPECT_EQ(sum(big, -big).cast<int64_t>(), 0);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_containers, containers);

// Text is read up to the first non-digit; text without digits fails and leaves the value.
void streams() {
  struct Case {
    const char* text;
    bool good;
    bool at_end;
    int64_t value;
    const char* rest;
  };
  for (const Case& c : {
           Case{"12", true, true, 12, ""},
           Case{"  -12x", true, false, -12, "x"},
           Case{"+5 7", true, false, 5, " 7"},
           Case{"007", true, true, 7, ""},
           Case{"0x10", true, false, 0, "x10"},
           Case{"-0", true, true, 0, ""},
           Case{"", false, true, 42, ""},
           Case{"-", false, true, 42, ""},
           Case{"+-3", false, false, 42, "-3"},
           Case{"abc", false, false, 42, "abc"},
       }) {
    std::istringstream stream(c.text);
    BigInt value = 42;
    stream >> value;
    EXPECT_EQ(!stream.fail(), c.good) << c.text;
    EXPECT_EQ(stream.eof(), c.at_end) << c.text;
    EXPECT_EQ(value, c.value) << c.text;
    stream.clear();
    std::string rest;
    std::getline(stream, rest);
    EXPECT_EQ(rest, c.rest);
  }
  std::ostringstream stream;
  stream << -(BigInt(1) << 64) << " " << BigInt();
  EXPECT_EQ(stream.str(), "-18446744073709551616 0");
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_streams, streams);

// A view returns the words, and the sign beyond the last one.
void words() {
  const int64_t lent[] = {5, -1};
  const BigInt::ArrayView view(lent, 2);
  EXPECT_EQ(view.size(), 2u);
  EXPECT_EQ(view[0], 5);
  EXPECT(view.negative());
  EXPECT_EQ(view.at(7), UINT64_MAX);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_words, words);

// A value that fits converts to an int64_t.
void as_int64() {
  for (int64_t value : {int64_t{0}, int64_t{-7}, std::numeric_limits<int64_t>::min()}) {
    EXPECT_EQ(static_cast<int64_t>(BigInt(value)), value);
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_as_int64, as_int64);
