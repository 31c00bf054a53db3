// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/big_int_words.h
 * \brief Arithmetic on integers of any length, for tvm/ffi/big_int.h.
 *
 * An integer is represented by 64-bit two's complement words or, for quotients and text, by a sign
 * and the base-2^32 digits of its magnitude. Products and quotients use algorithms M and D of
 * D. E. Knuth, The Art of Computer Programming, volume 2, section 4.3.1.
 */
#ifndef TVM_FFI_BIG_INT_WORDS_H_
#define TVM_FFI_BIG_INT_WORDS_H_

#include <tvm/ffi/c_api.h>
#include <tvm/ffi/keep_library.h>
#include <tvm/ffi/make_object.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

namespace detail {

// The object that stores a large integer: the number of words, followed by the words.
class BigIntObj : public Object {
 public:
  static int32_t RuntimeTypeIndex() { return kTVMFFIBigInt; }

  uint64_t* words() { return reinterpret_cast<uint64_t*>(this + 1); }
  const int64_t* words() const { return reinterpret_cast<const int64_t*>(this + 1); }

  size_t size = 0;
};
static_assert(sizeof(BigIntObj) == sizeof(TVMFFIObject) + sizeof(size_t), "no gap before words");

// Two words. `__extension__` silences -Wpedantic.
__extension__ using Int128 = __int128;
__extension__ using UInt128 = unsigned __int128;

// A non-empty view of an integer's two's complement words, least significant first.
class WordView {
 public:
  WordView(const int64_t* words, size_t size) : words_(words), size_(size) {}

  size_t size() const { return size_; }
  int64_t operator[](size_t i) const { return words_[i]; }

  bool negative() const { return words_[size_ - 1] < 0; }
  uint64_t word(size_t i) const { return static_cast<uint64_t>(words_[i]); }
  uint64_t sign() const { return negative() ? ~uint64_t{0} : 0; }
  // Sign-extends beyond the last word.
  uint64_t at(size_t i) const { return i < size_ ? word(i) : sign(); }

 private:
  const int64_t* words_;
  size_t size_;
};

// A zero-initialised array of fixed size, stored inline if small. Unlike std::vector, it emits no
// symbols that the loader could merge between libraries.
template <typename T>
class Buffer {
 public:
  explicit Buffer(size_t size) : data_(size > kInPlace ? new T[size]() : in_place_), size_(size) {}
  Buffer(Buffer&& other) noexcept { Take(&other); }
  ~Buffer() {
    if (data_ != in_place_) delete[] data_;
  }

  size_t size() const { return size_; }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }
  const T& back() const { return data_[size_ - 1]; }
  // Drops trailing zeros.
  void Trim() {
    while (size_ != 0 && back() == 0) --size_;
  }

 private:
  static constexpr size_t kInPlace = 64 / sizeof(T);

  void Take(Buffer* other) {
    size_ = std::exchange(other->size_, 0);
    data_ = std::exchange(other->data_, other->in_place_);
    if (data_ != other->in_place_) return;
    std::copy_n(other->in_place_, kInPlace, in_place_);
    data_ = in_place_;
  }

  T* data_;
  size_t size_;
  T in_place_[kInPlace] = {};
};

using Digits = Buffer<uint32_t>;  // of a magnitude, least significant first; none for zero

// Storage for the words of a result, to be filled in: a single word is inline, more are in the
// result's object.
class Words {
 public:
  explicit Words(size_t size) : size_(size) {
    if (size == 1) return;
    KeepLibrary();  // its code frees the object
    object_ = MakeObjectWithTail<BigIntObj>(size * sizeof(uint64_t));
  }

  size_t size() const { return size_; }
  uint64_t* data() { return object_ != nullptr ? object_->words() : &word_; }

  // Returns the value, owned by the caller, without redundant sign words.
  TVMFFIAny Release() {
    const uint64_t* words = data();
    size_t size = size_;
    while (size > 1 && words[size - 1] + (words[size - 2] >> 63) == 0) --size;
    TVMFFIAny any{};
    if (size == 1) {
      any.type_index = kTVMFFIInt;
      any.v_uint64 = words[0];
      return any;
    }
    // Sums and products often leave one word unused; more would waste memory.
    if (size + 1 < size_) {
      Words fewer(size);
      std::copy_n(words, size, fewer.data());
      return fewer.Release();
    }
    object_->size = size;
    any.type_index = kTVMFFIBigInt;
    any.v_obj = ObjectUnsafe::MoveToOwned(std::move(object_));
    return any;
  }

 private:
  size_t size_;
  uint64_t word_ = 0;
  ObjectPtr<BigIntObj> object_;
};

// Negative, 0 or positive if a is less than, equal to or greater than b. Both have minimal length.
inline int Order(WordView a, WordView b) {
  if (a.negative() != b.negative()) return a.negative() ? -1 : 1;
  if (a.size() != b.size()) return (a.size() < b.size()) == a.negative() ? 1 : -1;
  for (size_t i = a.size(); i-- > 0;) {
    if (a[i] != b[i]) return a.word(i) < b.word(i) ? -1 : 1;
  }
  return 0;
}

// a + b, or, with b's bits inverted and a carry, a - b.
inline Words SumOf(WordView a, WordView b, uint64_t inverted = 0) {
  Words sum(std::max(a.size(), b.size()) + 1);
  uint64_t* out = sum.data();
  uint64_t carry = inverted & 1;
  const auto add = [&](uint64_t x, uint64_t y) {
    const bool over = __builtin_add_overflow(x, carry, &x);
    carry = over | __builtin_add_overflow(x, y ^ inverted, out++);
  };
  const size_t common = std::min(a.size(), b.size());
  size_t i = 0;
  for (; i < common; ++i) add(a.word(i), b.word(i));
  for (size_t j = i; j < a.size(); ++j) add(a.word(j), b.sign());
  for (; i < b.size(); ++i) add(a.sign(), b.word(i));
  add(a.sign(), b.sign());
  return sum;
}
inline Words DifferenceOf(WordView a, WordView b) { return SumOf(a, b, ~uint64_t{0}); }

template <typename Operation>
Words Bitwise(WordView a, WordView b, Operation operation) {
  Words result(std::max(a.size(), b.size()));
  uint64_t* out = result.data();
  for (size_t i = 0; i < result.size(); ++i) out[i] = operation(a.at(i), b.at(i));
  return result;
}

inline Words ShiftedLeft(WordView a, size_t count) {
  const size_t words = count / 64;
  const size_t bits = count % 64;
  Words result(a.size() + words + 1);
  uint64_t* out = std::fill_n(result.data(), words, uint64_t{0});
  uint64_t below = 0;
  for (size_t i = 0; i <= a.size(); ++i) {
    const uint64_t word = a.at(i);
    // `below` is shifted twice: a single shift by 64 would be undefined.
    out[i] = word << bits | below >> 1 >> (63 - bits);
    below = word;
  }
  return result;
}

// Rounds down.
inline Words ShiftedRight(WordView a, size_t count) {
  const size_t words = count / 64;
  const size_t bits = count % 64;
  Words result(words < a.size() ? a.size() - words : 1);
  uint64_t* out = result.data();
  uint64_t above = a.sign();
  for (size_t i = result.size(); i-- > 0;) {
    const uint64_t word = a.at(i + words);
    out[i] = word >> bits | above << 1 << (63 - bits);
    above = word;
  }
  return result;
}

// Algorithm M. A negative factor of n words, read as unsigned, is 2^(64 n) too large, so the other
// factor is subtracted from the upper words.
inline Words ProductOf(WordView a, WordView b) {
  Words product(a.size() + b.size());
  uint64_t* out = product.data();
  std::fill_n(out, b.size(), uint64_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    uint64_t carry = 0;
    for (size_t j = 0; j < b.size(); ++j) {
      const UInt128 sum = UInt128{a.word(i)} * b.word(j) + out[i + j] + carry;
      out[i + j] = static_cast<uint64_t>(sum);
      carry = static_cast<uint64_t>(sum >> 64);
    }
    out[i + b.size()] = carry;
  }
  const auto subtract = [](uint64_t* from, WordView x) {
    bool borrow = false;
    for (size_t i = 0; i < x.size(); ++i) {
      const bool under = __builtin_sub_overflow(from[i], uint64_t{borrow}, &from[i]);
      borrow = under | __builtin_sub_overflow(from[i], x.word(i), &from[i]);
    }
  };
  if (a.negative()) subtract(out + a.size(), b);
  if (b.negative()) subtract(out + b.size(), a);
  return product;
}

inline Digits MagnitudeOf(WordView a) {
  Digits digits(2 * a.size());
  const uint64_t inverted = a.negative() ? ~uint64_t{0} : 0;
  uint64_t carry = inverted & 1;
  for (size_t i = 0; i < a.size(); ++i) {
    const uint64_t word = (a.at(i) ^ inverted) + carry;
    if (word != 0) carry = 0;
    digits[2 * i] = static_cast<uint32_t>(word);
    digits[2 * i + 1] = static_cast<uint32_t>(word >> 32);
  }
  digits.Trim();
  return digits;
}

inline Words WordsOf(const Digits& digits, bool negative) {
  Words words(digits.size() / 2 + 1);
  uint64_t* out = words.data();
  const auto digit = [&](size_t i) { return i < digits.size() ? uint64_t{digits[i]} : 0; };
  uint64_t carry = negative ? 1 : 0;
  for (size_t i = 0; i < words.size(); ++i) {
    const uint64_t word = digit(2 * i) | digit(2 * i + 1) << 32;
    out[i] = (negative ? ~word : word) + carry;
    if (out[i] != 0) carry = 0;
  }
  return words;
}

// Multiplies in place and adds; the result must fit.
inline void MultiplyAndAdd(Digits* number, uint32_t factor, uint32_t summand) {
  uint64_t carry = summand;
  for (size_t i = 0; i < number->size(); ++i) {
    carry += uint64_t{(*number)[i]} * factor;
    (*number)[i] = static_cast<uint32_t>(carry);
    carry >>= 32;
  }
}

// Divides in place and returns the remainder.
inline uint32_t DivideByDigit(Digits* number, uint32_t divisor) {
  uint64_t rest = 0;
  for (size_t i = number->size(); i-- > 0;) {
    rest = rest << 32 | (*number)[i];
    (*number)[i] = static_cast<uint32_t>(rest / divisor);
    rest %= divisor;
  }
  number->Trim();
  return static_cast<uint32_t>(rest);
}

// The number times a power of two below the base, with one extra digit.
inline Digits Scaled(const Digits& number, int bits) {
  Digits scaled(number.size() + 1);
  for (size_t i = 0; i < number.size(); ++i) {
    const uint64_t shifted = uint64_t{number[i]} << bits;
    scaled[i] |= static_cast<uint32_t>(shifted);
    scaled[i + 1] = static_cast<uint32_t>(shifted >> 32);
  }
  return scaled;
}

// Step D3 of algorithm D: estimates a quotient digit from the upper digits, at most 1 too large.
inline uint64_t GuessedDigit(const uint32_t* rest, const Digits& divisor, size_t n) {
  const uint64_t upper = uint64_t{rest[n]} << 32 | rest[n - 1];
  uint64_t guess = upper / divisor[n - 1];
  uint64_t left = upper % divisor[n - 1];
  while (guess >> 32 != 0 || guess * divisor[n - 2] > (left << 32 | rest[n - 2])) {
    --guess;
    left += divisor[n - 1];
    if (left >> 32 != 0) break;
  }
  return guess;
}

// Steps D4 to D6: subtracts the estimated multiple of the divisor and returns the correct digit.
inline uint32_t SubtractMultiple(uint32_t* rest, const Digits& divisor, size_t n, uint64_t guess) {
  uint64_t carry = 0;
  uint64_t borrow = 0;
  for (size_t i = 0; i <= n; ++i) {
    carry += guess * divisor[i];
    const uint64_t difference = uint64_t{rest[i]} - static_cast<uint32_t>(carry) - borrow;
    rest[i] = static_cast<uint32_t>(difference);
    borrow = difference >> 63;
    carry >>= 32;
  }
  if (borrow == 0) return static_cast<uint32_t>(guess);
  carry = 0;
  for (size_t i = 0; i <= n; ++i) {
    carry += uint64_t{rest[i]} + divisor[i];
    rest[i] = static_cast<uint32_t>(carry);
    carry >>= 32;
  }
  return static_cast<uint32_t>(guess - 1);
}

// The quotient and the remainder by algorithm D; the divisor must not be zero.
inline std::pair<Digits, Digits> QuotientOf(Digits number, const Digits& divisor) {
  const size_t n = divisor.size();
  if (number.size() < n) return {Digits(0), std::move(number)};
  if (n == 1) {
    Digits rest(1);
    rest[0] = DivideByDigit(&number, divisor[0]);
    rest.Trim();
    return {std::move(number), std::move(rest)};
  }
  // Normalise so that the divisor's leading digit is at least half the base.
  int bits = 0;
  while ((divisor.back() << bits) >> 31 == 0) ++bits;
  Digits rest = Scaled(number, bits);
  const Digits scaled = Scaled(divisor, bits);
  Digits quotient(number.size() - n + 1);
  for (size_t i = quotient.size(); i-- > 0;) {
    quotient[i] = SubtractMultiple(&rest[i], scaled, n, GuessedDigit(&rest[i], scaled, n));
  }
  for (size_t i = 0; i < n; ++i) {
    rest[i] = static_cast<uint32_t>((uint64_t{rest[i + 1]} << 32 | rest[i]) >> bits);
  }
  quotient.Trim();
  rest.Trim();
  return {std::move(quotient), std::move(rest)};
}

inline Int128 Int128Of(WordView a) {
  return static_cast<Int128>(UInt128{a.at(1)} << 64 | a.word(0));
}
inline Words WordsOf(Int128 value) {
  const auto low = static_cast<uint64_t>(value);
  const bool fits = value == static_cast<int64_t>(value);
  Words words(fits ? 1 : 2);
  words.data()[0] = low;
  if (!fits) words.data()[1] = static_cast<uint64_t>(value >> 64);
  return words;
}

constexpr uint32_t kDecimalBase = 1000000000;  // the largest power of ten below 2^32
constexpr size_t kDecimalDigits = 9;

// Takes at least two digits; returns infinity if the number is out of range.
inline double NearestDouble(const Digits& number) {
  constexpr size_t kMostDigits = 32;  // 1024 bits
  const size_t size = number.size();
  if (size > kMostDigits) return std::numeric_limits<double>::infinity();
  // The upper 64 bits are rounded. The last one is sticky: it is set if any lower bit is, so that
  // only an exact tie rounds as one.
  int bits = 0;
  while ((number.back() << bits) >> 31 == 0) ++bits;
  const uint64_t next = size > 2 ? uint64_t{number[size - 3]} << bits : 0;
  uint64_t upper = uint64_t{number[size - 1]} << 32 | number[size - 2];
  upper = upper << bits | next >> 32;
  bool lower = static_cast<uint32_t>(next) != 0;
  for (size_t i = 0; i + 3 < size; ++i) lower = lower || number[i] != 0;
  if (lower) upper |= 1;
  return std::ldexp(static_cast<double>(upper), static_cast<int>(32 * (size - 2)) - bits);
}

// Decimal text, in time quadratic in its length.
inline std::string DecimalOf(WordView a) {
  Digits number = MagnitudeOf(a);
  // A base-2^32 digit needs at most ten decimal digits.
  std::string text(10 * number.size() + 2, '0');
  size_t begin = text.size();
  while (number.size() != 0) {
    uint32_t part = DivideByDigit(&number, kDecimalBase);
    for (size_t i = 0; i < kDecimalDigits && (part != 0 || number.size() != 0); ++i) {
      text[--begin] = static_cast<char>('0' + part % 10);
      part /= 10;
    }
  }
  if (begin == text.size()) --begin;
  if (a.negative()) text[--begin] = '-';
  return text.substr(begin);
}

// Parses decimal digits without a sign.
inline Digits MagnitudeOfText(std::string_view text) {
  Digits number(text.size() / kDecimalDigits + 1);
  while (!text.empty()) {
    uint32_t factor = 1;
    uint32_t part = 0;
    for (; factor < kDecimalBase && !text.empty(); text.remove_prefix(1)) {
      factor *= 10;
      part = 10 * part + static_cast<uint32_t>(text.front() - '0');
    }
    MultiplyAndAdd(&number, factor, part);
  }
  number.Trim();
  return number;
}

}  // namespace detail
}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_BIG_INT_WORDS_H_
