// SPDX-License-Identifier: Apache-2.0
// big_int.h: what operators, conversions and streams give, at the edges and for random operands.
#include <tvm/ffi/big_int.h>
#include <tvm/ffi/tvm_ffi.h>

#include <cstring>
#include <limits>
#include <sstream>
#include <vector>

#include "print.h"

namespace ffi = tvm::ffi;

using ffi::BigInt;

namespace {

uint64_t Random() {
  static uint64_t state = 0;
  uint64_t x = state += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

BigInt RandomNumber() {
  BigInt number = static_cast<int64_t>(Random());
  for (uint64_t words = Random() % 40; words > 0; --words) {
    number = (number << 64) + BigInt(Random() % 5 == 0 ? ~uint64_t{0} : Random());
  }
  return number;
}

void PrintAll(const BigInt& a, const BigInt& b) {
  const BigInt count = a & 255;
  for (const BigInt& value :
       {a + b, a - b, a * b, a & b, a | b, a ^ b, ~a, -a, +a, min(a, b), max(a, b), b << count,
        b >> count, BigInt(a < b), BigInt(a == b), BigInt(a >= b)}) {
    std::cout << value << " " << value.hash() << " ";
  }
  if (b) {
    std::cout << a / b << " " << a % b << " " << truncdiv(a, b) << " " << truncmod(a, b) << " "
              << floordiv(a, b) << " " << floormod(a, b);
  }
  std::cout << "\n";
}

void PrintWords(const char* name, const BigInt& value) {
  TVMFFIAny any;
  std::memcpy(&any, &value, sizeof(any));
  const TVMFFIByteArray bytes = TVMFFIBigIntGetContentByteArray(&any);
  std::cout << name << ": type " << any.type_index << ", " << bytes.size << " bytes";
  for (size_t i = 0; i < bytes.size; ++i) {
    std::cout << " " << static_cast<int>(static_cast<unsigned char>(bytes.data[i]));
  }
  std::cout << "\n";
}

// What of it a stream reads, and what it leaves there.
void PrintRead(const char* text) {
  std::istringstream stream(text);
  BigInt value = 42;
  stream >> value;
  std::cout << "'" << text << "': " << value << ", fails " << stream.fail() << ", ends "
            << stream.eof();
  stream.clear();
  std::string rest;
  std::getline(stream, rest);
  std::cout << ", leaves '" << rest << "'\n";
}

template <typename Int>
void PrintAs(const BigInt& value) {
  const auto fitting = value.as<Int>();
  std::cout << (fitting.has_value() ? std::to_string(*fitting) : "none") << " ";
}

}  // namespace

int main() {
  const BigInt big = BigInt(1) << 100;
  std::vector<BigInt> edges = {0, 1, 2, -1, INT64_MAX, INT64_MIN, UINT64_MAX, big, -big};
  for (const BigInt& edge : {BigInt(INT64_MAX), BigInt(INT64_MIN), BigInt(UINT64_MAX), big}) {
    edges.push_back(edge + 1);
    edges.push_back(edge - 1);
  }
  for (const BigInt& a : edges) {
    for (const BigInt& b : edges) PrintAll(a, b);
    PrintAs<uint64_t>(a);
    PrintAs<int64_t>(a);
    PrintAs<uint8_t>(a);
    PrintAs<int8_t>(a);
    PrintAs<bool>(a);
    std::cout << static_cast<bool>(a) << " " << static_cast<double>(a) << " "
              << BigInt(static_cast<double>(a)) << " " << ffi::AnyHash()(ffi::Any(a)) << "\n";
    PrintWords("words", a);
  }
  for (int i = 0; i < 500; ++i) PrintAll(RandomNumber(), RandomNumber());

  Try("/ 0", [&] { std::cout << big / 0; });
  Try("% 0", [&] { std::cout << big % 0; });
  Try("floordiv 0", [&] { std::cout << floordiv(BigInt(1), 0); });
  Try("floormod 0", [&] { std::cout << floormod(big, 0); });
  Try("<< -1", [&] { std::cout << (big << -1); });
  Try(">> -1", [&] { std::cout << (big >> -1); });
  Try("<< big", [&] { std::cout << (big << big); });
  Try("0 << big", [&] { std::cout << (BigInt(0) << big); });
  Try(">> big", [&] { std::cout << (big >> big) << (-big >> big); });
  Try("int64_t", [&] { std::cout << static_cast<int64_t>(big); });
  Try("double", [&] { std::cout << static_cast<double>(BigInt(1) << 1024); });
  Try("NaN", [] { std::cout << BigInt(std::numeric_limits<double>::quiet_NaN()); });
  Try("infinity", [] { std::cout << BigInt(std::numeric_limits<double>::infinity()); });
  Try("most", [] { std::cout << BigInt(std::numeric_limits<double>::max()); });
  Try("of bool", [] { std::cout << ffi::Any(true).cast<BigInt>(); });
  Try("of float", [] { std::cout << ffi::Any(2.0).cast<BigInt>(); });
  Try("of text", [] { std::cout << ffi::Any(ffi::String("7")).cast<BigInt>(); });
  Try("to int", [&] { std::cout << ffi::Any(big).cast<int64_t>(); });
  for (const char* text : {"12", "  -12x", "+5", "-", "", "abc", "0x10", "007", "-0", "+-3",
                           "-1267650600228229401496703205376 7"}) {
    PrintRead(text);
  }
  // A runtime reads what the header made, and the header what the runtime made.
  const auto print = ffi::Function::GetGlobal("ffi.ReprPrint");
  std::cout << (*print)(big).cast<ffi::String>() << "\n";
  const auto copied = ffi::Function::FromTyped([](BigInt value) { return value + 1; });
  std::cout << copied(-big).cast<BigInt>() << "\n";
  std::cout << sizeof(BigInt) << sizeof(ffi::Optional<BigInt>)
            << ffi::TypeTraits<BigInt>::TypeSchema() << "\n";
}
