// SPDX-License-Identifier: Apache-2.0
// Rows: R7
// The functions that test_big_int_against_python.py calls.
#include <tvm/ffi/big_int.h>
#include <tvm/ffi/tvm_ffi.h>

#include <sstream>
#include <string>

namespace ffi = tvm::ffi;

using ffi::BigInt;

namespace {

template <typename Operation>
ffi::Function Binary(Operation operation) {
  return ffi::Function::FromTyped(
      [operation](const BigInt& a, const BigInt& b) { return operation(a, b); });
}

// The operation of that name; an assignment returns the value it leaves.
ffi::Function Operation(const std::string& name) {
  if (name == "+") return Binary([](auto a, auto b) { return a + b; });
  if (name == "-") return Binary([](auto a, auto b) { return a - b; });
  if (name == "*") return Binary([](auto a, auto b) { return a * b; });
  if (name == "/") return Binary([](auto a, auto b) { return a / b; });
  if (name == "%") return Binary([](auto a, auto b) { return a % b; });
  if (name == "&") return Binary([](auto a, auto b) { return a & b; });
  if (name == "|") return Binary([](auto a, auto b) { return a | b; });
  if (name == "^") return Binary([](auto a, auto b) { return a ^ b; });
  if (name == "<<") return Binary([](auto a, auto b) { return a << b; });
  if (name == ">>") return Binary([](auto a, auto b) { return a >> b; });
  if (name == "+=") return Binary([](auto a, auto b) { return a += b; });
  if (name == "-=") return Binary([](auto a, auto b) { return a -= b; });
  if (name == "*=") return Binary([](auto a, auto b) { return a *= b; });
  if (name == "/=") return Binary([](auto a, auto b) { return a /= b; });
  if (name == "%=") return Binary([](auto a, auto b) { return a %= b; });
  if (name == "&=") return Binary([](auto a, auto b) { return a &= b; });
  if (name == "|=") return Binary([](auto a, auto b) { return a |= b; });
  if (name == "^=") return Binary([](auto a, auto b) { return a ^= b; });
  if (name == "<<=") return Binary([](auto a, auto b) { return a <<= b; });
  if (name == ">>=") return Binary([](auto a, auto b) { return a >>= b; });
  if (name == "truncdiv") return Binary([](auto a, auto b) { return truncdiv(a, b); });
  if (name == "truncmod") return Binary([](auto a, auto b) { return truncmod(a, b); });
  if (name == "floordiv") return Binary([](auto a, auto b) { return floordiv(a, b); });
  if (name == "floormod") return Binary([](auto a, auto b) { return floormod(a, b); });
  if (name == "min") return Binary([](auto a, auto b) { return min(a, b); });
  if (name == "max") return Binary([](auto a, auto b) { return max(a, b); });
  if (name == "==") return Binary([](auto a, auto b) { return a == b; });
  if (name == "!=") return Binary([](auto a, auto b) { return a != b; });
  if (name == "<") return Binary([](auto a, auto b) { return a < b; });
  if (name == "<=") return Binary([](auto a, auto b) { return a <= b; });
  if (name == ">") return Binary([](auto a, auto b) { return a > b; });
  if (name == ">=") return Binary([](auto a, auto b) { return a >= b; });
  TVM_FFI_THROW(ValueError) << "operation: got " << name;
}

// a OP= a, for each of the assignments, starting afresh each time.
ffi::Array<BigInt> WithItself(const BigInt& value) {
  ffi::Array<BigInt> left;
  BigInt a = value;
  const BigInt& itself = a;  // or clang++ warns of a -= a
  left.push_back(a += itself);
  a = value;
  left.push_back(a -= itself);
  a = value;
  left.push_back(a *= itself);
  a = value;
  left.push_back(a &= itself);
  a = value;
  left.push_back(a |= itself);
  a = value;
  left.push_back(a ^= itself);
  if (!value) return left;
  a = value;
  left.push_back(a /= itself);
  a = value;
  left.push_back(a %= itself);
  return left;
}

// +a, -a, ~a, and the results and side effects of ++ and --.
ffi::Array<BigInt> Unary(const BigInt& value) {
  BigInt up = value;
  BigInt down = value;
  ffi::Array<BigInt> results{+value, -value, ~value, up++, up, ++up, down--, down, --down};
  return results;
}

ffi::String Written(const BigInt& value) {
  std::ostringstream stream;
  stream << value;
  return stream.str();
}

BigInt Read(const std::string& text) {
  std::istringstream stream(text);
  BigInt value;
  stream >> value;
  TVM_FFI_CHECK(!stream.fail(), ValueError) << "text: expected a number, got " << text;
  return value;
}

double AsDouble(const BigInt& value) { return static_cast<double>(value); }
BigInt OfDouble(double value) { return BigInt(value); }

bool IsTrue(const BigInt& value) { return static_cast<bool>(value); }

// The value as a uint64_t, an int64_t, an int8_t and a bool, where it fits.
ffi::Array<ffi::Optional<BigInt>> Fitting(const BigInt& value) {
  const auto any = [](auto fitting) {
    return fitting.has_value() ? ffi::Optional<BigInt>(*fitting) : std::nullopt;
  };
  return {any(value.as<uint64_t>()), any(value.as<int64_t>()), any(value.as<int8_t>()),
          any(value.as<bool>())};
}

// Whether equal values have equal hashes, including as keys.
bool HashAgrees(const BigInt& value, const ffi::Any& other) {
  const auto same = other.cast<BigInt>();
  return value.hash() == same.hash() && std::hash<BigInt>()(value) == value.hash() &&
         ffi::AnyHash()(ffi::Any(value)) == ffi::AnyHash()(other) &&
         ffi::AnyEqual()(ffi::Any(value), other);
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(operation, Operation);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(with_itself, WithItself);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(unary, Unary);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(written, Written);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(read, Read);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(as_double, AsDouble);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(of_double, OfDouble);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(is_true, IsTrue);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(fitting, Fitting);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(hash_agrees, HashAgrees);
