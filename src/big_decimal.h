// SPDX-License-Identifier: Apache-2.0
// Big integers as decimal text.
#ifndef SRC_BIG_DECIMAL_H_
#define SRC_BIG_DECIMAL_H_

#include <tvm/ffi/any.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

using Digits = std::vector<uint32_t>;  // of a number, least significant first; empty for zero

constexpr uint64_t kBinary = uint64_t{1} << 32;
constexpr uint64_t kDecimal = 1'000'000'000;

// Arithmetic on numbers stored as digits in a base of at most 2^32.
template <uint64_t kBase>
struct DigitsTo {
  static void Trim(Digits* number) {
    while (!number->empty() && number->back() == 0) number->pop_back();
  }

  static Digits Part(const Digits& number, size_t begin, size_t end) {
    const auto at = [&](size_t i) {
      return number.begin() + static_cast<std::ptrdiff_t>(std::min(i, number.size()));
    };
    Digits part(at(begin), at(end));
    Trim(&part);
    return part;
  }

  // Adds part * kBase^place.
  static void Add(Digits* sum, const Digits& part, size_t place) {
    if (sum->size() < place + part.size()) sum->resize(place + part.size());
    uint64_t carry = 0;
    for (size_t i = 0; i < part.size() || carry != 0; ++i) {
      if (place + i == sum->size()) sum->push_back(0);
      carry += (*sum)[place + i];
      if (i < part.size()) carry += part[i];
      (*sum)[place + i] = static_cast<uint32_t>(carry % kBase);
      carry /= kBase;
    }
  }

  // Subtracts `part`, which must not be greater.
  static void Subtract(Digits* from, const Digits& part) {
    uint64_t borrow = 0;
    for (size_t i = 0; i < part.size() || borrow != 0; ++i) {
      const uint64_t less = borrow + (i < part.size() ? part[i] : 0);
      borrow = (*from)[i] < less ? 1 : 0;
      (*from)[i] = static_cast<uint32_t>((*from)[i] + borrow * kBase - less);
    }
    Trim(from);
  }

  // Karatsuba multiplication: the schoolbook method is too slow for squaring a million digits.
  static Digits Product(const Digits& a, const Digits& b) {
    if (a.size() < b.size()) return Product(b, a);
    constexpr size_t kFew = 32;
    if (b.size() < kFew) return ShortProduct(a, b);
    const size_t half = (a.size() + 1) / 2;
    const Digits a_low = Part(a, 0, half);
    const Digits a_high = Part(a, half, a.size());
    const Digits b_low = Part(b, 0, half);
    const Digits b_high = Part(b, half, b.size());
    Digits product = Product(a_low, b_low);
    const Digits high = Product(a_high, b_high);
    Digits a_sum = a_low;
    Digits b_sum = b_low;
    Add(&a_sum, a_high, 0);
    Add(&b_sum, b_high, 0);
    Digits middle = Product(a_sum, b_sum);
    Subtract(&middle, product);
    Subtract(&middle, high);
    Add(&product, middle, half);
    Add(&product, high, 2 * half);
    Trim(&product);
    return product;
  }

  static Digits ShortProduct(const Digits& a, const Digits& b) {
    Digits product(a.size() + b.size());
    for (size_t i = 0; i < b.size(); ++i) {
      uint64_t carry = 0;
      for (size_t j = 0; j < a.size(); ++j) {
        carry += uint64_t{a[j]} * b[i] + product[i + j];
        product[i + j] = static_cast<uint32_t>(carry % kBase);
        carry /= kBase;
      }
      product[i + a.size()] = static_cast<uint32_t>(carry);
    }
    Trim(&product);
    return product;
  }
};

// Converts a number's digits to another base by converting and combining its halves.
template <uint64_t kFrom, uint64_t kTo>
class Rebased {
 public:
  explicit Rebased(const Digits& number) : number_(number) {
    powers_.push_back({static_cast<uint32_t>(kFrom % kTo), static_cast<uint32_t>(kFrom / kTo)});
    To::Trim(&powers_.back());
    for (size_t length = 1; 2 * length < number.size(); length *= 2) {
      powers_.push_back(To::Product(powers_.back(), powers_.back()));
    }
  }

  Digits Get() const { return Get(0, number_.size(), powers_.size()); }

 private:
  using To = DigitsTo<kTo>;

  // Converts the digits from begin to end, at most 2^level of them.
  Digits Get(size_t begin, size_t end, size_t level) const {
    constexpr size_t kFewLevels = 5;
    if (level <= kFewLevels) return GetOneByOne(begin, end);
    const size_t middle = begin + (size_t{1} << (level - 1));
    if (end <= middle) return Get(begin, end, level - 1);
    Digits made = To::Product(Get(middle, end, level - 1), powers_[level - 1]);
    To::Add(&made, Get(begin, middle, level - 1), 0);
    return made;
  }

  Digits GetOneByOne(size_t begin, size_t end) const {
    Digits made;
    for (size_t i = end; i-- > begin;) {
      uint64_t carry = number_[i];
      for (uint32_t& digit : made) {
        carry += digit * kFrom;
        digit = static_cast<uint32_t>(carry % kTo);
        carry /= kTo;
      }
      for (; carry != 0; carry /= kTo) made.push_back(static_cast<uint32_t>(carry % kTo));
    }
    return made;
  }

  const Digits& number_;
  std::vector<Digits> powers_;  // kFrom to the powers 1, 2, 4 and so on
};

// Formats an integer given as two's-complement little-endian bytes.
inline std::string BigToDecimal(const TVMFFIByteArray& bytes) {
  const bool negative =
      bytes.size != 0 && (static_cast<unsigned char>(bytes.data[bytes.size - 1]) & 0x80) != 0;
  Digits words((bytes.size + 3) / 4);
  uint32_t borrow = negative ? 1 : 0;
  for (size_t i = 0; i < bytes.size; ++i) {
    uint32_t byte = static_cast<unsigned char>(bytes.data[i]);
    if (negative) {
      byte = (byte ^ 0xff) + borrow;
      borrow = byte >> 8;
    }
    words[i / 4] |= (byte & 0xff) << (i % 4 * 8);
  }
  DigitsTo<kBinary>::Trim(&words);
  const Digits digits = Rebased<kBinary, kDecimal>(words).Get();
  std::string text = negative ? "-" : "";
  if (digits.empty()) text += '0';
  for (size_t i = digits.size(); i-- > 0;) {
    const std::string part = std::to_string(digits[i]);
    if (i + 1 != digits.size()) text.append(9 - part.size(), '0');
    text += part;
  }
  return text;
}

// Parses an int or a big integer; returns false if the text is not an integer.
inline bool BigFromDecimal(std::string_view text, Any* result) {
  const bool negative = !text.empty() && text.front() == '-';
  if (negative) text.remove_prefix(1);
  if (text.empty()) return false;
  Digits digits((text.size() + 8) / 9);
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] < '0' || text[i] > '9') return false;
    uint32_t& digit = digits[(text.size() - 1 - i) / 9];
    digit = digit * 10 + static_cast<uint32_t>(text[i] - '0');
  }
  DigitsTo<kDecimal>::Trim(&digits);
  Digits words = Rebased<kDecimal, kBinary>(digits).Get();
  // Room for the sign, in multiples of 8 bytes.
  words.resize((words.size() + 2) / 2 * 2 + 2);
  uint64_t borrow = negative ? 1 : 0;
  std::string bytes;
  for (uint32_t word : words) {
    if (negative) {
      const uint64_t sum = uint64_t{static_cast<uint32_t>(~word)} + borrow;
      word = static_cast<uint32_t>(sum);
      borrow = sum >> 32;
    }
    for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(word >> shift);
  }
  const TVMFFIByteArray array{bytes.data(), bytes.size()};
  TVM_FFI_CHECK_SAFE_CALL(TVMFFIBigIntFromByteArray(&array, result->Reset()));
  return true;
}

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // SRC_BIG_DECIMAL_H_
