// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/big_int.h
 * \brief Integers of any size, passed as Python `int`.
 *
 * Division by zero throws a ZeroDivisionError, a negative shift count a ValueError, and a
 * conversion to int64_t or double that does not fit an OverflowError.
 */
#ifndef TVM_FFI_BIG_INT_H_
#define TVM_FFI_BIG_INT_H_

#include <tvm/ffi/any_hash.h>
#include <tvm/ffi/big_int_words.h>
#include <tvm/ffi/optional_in_place.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <istream>
#include <optional>
#include <ostream>
#include <string>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

class BigInt;

namespace detail {

struct BigIntAccess;

// C++ integer types of at most 64 bits.
template <typename Int>
using IsInteger =
    std::bool_constant<std::is_integral<Int>::value && (sizeof(Int) <= sizeof(int64_t))>;
template <typename Int>
using EnableIfInteger = std::enable_if_t<IsInteger<Int>::value>;
// The same, plus enumerations that convert to int64_t.
template <typename Int>
using EnableIfNumbered =
    std::enable_if_t<IsInteger<Int>::value ||
                     (std::is_enum<Int>::value && std::is_convertible<Int, int64_t>::value)>;

}  // namespace detail

/*!
 * \brief An immutable integer of any size.
 *
 * It is stored in the handle itself if it fits into int64_t, or in an object shared by copies.
 * Operators also accept C++ integers and never overflow. Bitwise operators treat values as two's
 * complement with infinite sign extension.
 */
class BigInt {
 public:
  /*! \brief A view of the 64-bit two's complement words, least significant first. */
  using ArrayView = detail::WordView;

  /*! \brief Zero. */
  BigInt() noexcept : BigInt(0) {}
  /*! \brief The value of an integer of up to 64 bits. */
  template <typename Int, typename = detail::EnableIfNumbered<Int>>
  BigInt(Int value)  // NOLINT(runtime/explicit)
      : any_(OfInteger(value)) {}
  /*! \brief The integer part of `value`; throws ValueError for NaN, OverflowError for infinity. */
  explicit BigInt(double value) : any_(OfDouble(value)) {}
  /*! \brief Copies; a large value is shared. */
  BigInt(const BigInt& other) {
    if (!other.IsSmall()) ObjectUnsafe::IncRef(other.any_.v_obj);
    detail::CopyWords(other.any_, &any_);
  }
  /*! \brief Moves the value; the other becomes zero. */
  BigInt(BigInt&& other) noexcept : any_(other.Release()) {}
  ~BigInt() { detail::DropOwned(any_); }
  /*! \brief Copies; a large value is shared. */
  BigInt& operator=(const BigInt& other) { return *this = BigInt(other); }
  /*! \brief Takes over the other's value. */
  BigInt& operator=(BigInt&& other) noexcept {
    const TVMFFIAny taken = other.Release();
    detail::DropOwned(any_);
    any_ = taken;
    return *this;
  }
  /*! \brief Exchanges the two values. */
  void swap(BigInt& other) noexcept { std::swap(any_, other.any_); }

  /*! \brief Whether the value is not zero. */
  explicit operator bool() const noexcept { return !IsSmall() || any_.v_int64 != 0; }
  /*! \brief The value; throws an OverflowError if it does not fit. */
  explicit operator int64_t() const {
    TVM_FFI_CHECK(IsSmall(), OverflowError)
        << "BigInt: operator int64_t: expected a value that fits into int64_t, got " << Shown();
    return any_.v_int64;
  }
  /*! \brief The nearest double, ties to even; throws an OverflowError if out of range. */
  explicit operator double() const;
  /*! \brief The value as an Int, or std::nullopt if it does not fit. */
  template <typename Int, typename = detail::EnableIfInteger<Int>>
  std::optional<Int> as() const {
    // An unsigned 64-bit value may need an extra word for the sign.
    const ArrayView words = View();
    if (words.size() > 2 || (words.size() == 2 && words[1] != 0)) return std::nullopt;
    const auto value = static_cast<Int>(words[0]);
    const BigInt same(value);
    if (detail::Order(words, same.View()) != 0) return std::nullopt;
    return value;
  }
  /*! \brief A hash; the value itself if it fits into int64_t. */
  uint64_t hash() const {
    if (IsSmall()) return any_.v_uint64;
    const TVMFFIByteArray bytes = TVMFFIBigIntGetContentByteArray(&any_);
    return detail::HashOfBytes(bytes.data, bytes.size);
  }

  /*! \brief Adds. */
  BigInt& operator+=(const BigInt& other);
  /*! \brief Subtracts. */
  BigInt& operator-=(const BigInt& other);
  /*! \brief Multiplies. */
  BigInt& operator*=(const BigInt& other);
  /*! \brief Divides like truncdiv. */
  BigInt& operator/=(const BigInt& other);
  /*! \brief Computes the remainder like truncmod. */
  BigInt& operator%=(const BigInt& other);
  /*! \brief Bitwise AND, in place. */
  BigInt& operator&=(const BigInt& other);
  /*! \brief Bitwise OR, in place. */
  BigInt& operator|=(const BigInt& other);
  /*! \brief Bitwise XOR, in place. */
  BigInt& operator^=(const BigInt& other);
  /*! \brief Multiplies by 2 to the power of `count`. */
  BigInt& operator<<=(const BigInt& count);
  /*! \brief Divides by 2 to the power of `count`, rounding down. */
  BigInt& operator>>=(const BigInt& count);
  /*! \brief Adds 1. */
  BigInt& operator++() { return *this += 1; }
  /*! \brief Subtracts 1. */
  BigInt& operator--() { return *this -= 1; }
  /*! \brief Adds 1 and returns the previous value. */
  BigInt operator++(int) { return std::exchange(*this, BigInt(*this) += 1); }
  /*! \brief Subtracts 1 and returns the previous value. */
  BigInt operator--(int) { return std::exchange(*this, BigInt(*this) -= 1); }

 private:
  friend struct detail::BigIntAccess;
  friend struct TypeTraits<BigInt>;

  explicit BigInt(const TVMFFIAny& owned) : any_(owned) {}
  explicit BigInt(detail::Words words) : any_(words.Release()) {}

  template <typename Int>
  static TVMFFIAny OfInteger(Int value) {
    if constexpr (std::is_enum<Int>::value) {
      return OfInteger(static_cast<std::underlying_type_t<Int>>(value));
    } else {
      if (static_cast<uint64_t>(value) >> 63 != 0 && std::is_unsigned<Int>::value) {
        detail::Words words(2);
        words.data()[0] = static_cast<uint64_t>(value);
        words.data()[1] = 0;
        return words.Release();
      }
      TVMFFIAny any{};
      any.type_index = kTVMFFIInt;
      any.v_int64 = static_cast<int64_t>(value);
      return any;
    }
  }
  static TVMFFIAny OfDouble(double value);

  bool IsSmall() const { return any_.type_index == kTVMFFIInt; }
  ArrayView View() const { return ViewOf(any_); }
  static ArrayView ViewOf(const TVMFFIAny& any) {
    if (any.type_index == kTVMFFIInt) return {&any.v_int64, 1};
    const auto* object =
        static_cast<const detail::BigIntObj*>(reinterpret_cast<const Object*>(any.v_obj));
    return {object->words(), object->size};
  }
  std::string Text() const { return detail::DecimalOf(View()); }
  // For error messages, which a long number would make unreadable.
  std::string Shown() const {
    constexpr size_t kShownWords = 4;
    if (View().size() <= kShownWords) return Text();
    return (Message().self() << "an integer of " << View().size() << " words").take();
  }
  // Unlike CopyWords, keeps the type visible to the compiler: if it can prove that an operator's
  // result is small, it removes the DropOwned call.
  TVMFFIAny Release() {
    TVMFFIAny released{};
    released.type_index = any_.type_index;
    released.v_int64 = any_.v_int64;
#if defined(__GNUC__)
    asm("" : "+r"(released.v_int64));  // keeps the two copies from being merged
#endif
    any_ = OfInteger(0);
    return released;
  }

  TVMFFIAny any_;
};

namespace detail {

// A BigInt has the same layout as an Any that holds it, so an Optional of it needs no extra space.
template <>
inline constexpr bool kLentAsOwned<BigInt> = true;
template <>
inline constexpr bool kIsText<BigInt> = true;

// Building blocks of the operators. Words are used only if a result may not fit into 64 bits.
struct BigIntAccess {
  static WordView View(const BigInt& value) { return value.View(); }
  static std::string Text(const BigInt& value) { return value.Text(); }
  static std::string Shown(const BigInt& value) { return value.Shown(); }
  static BigInt Of(Words words) { return BigInt(std::move(words)); }
  static bool AreSmall(const BigInt& a, const BigInt& b) { return a.IsSmall() && b.IsSmall(); }
  static int64_t Small(const BigInt& value) { return value.any_.v_int64; }

  // Out of line, so that callers inline only the fast path. Operands are passed by value, so that
  // the originals can stay in registers.
  template <typename OfWide>
  TVM_FFI_NOINLINE static TVMFFIAny Wide(TVMFFIAny a, TVMFFIAny b, OfWide wide) {
    return wide(BigInt::ViewOf(a), BigInt::ViewOf(b)).Release();
  }
  TVM_FFI_NOINLINE static int WideOrder(TVMFFIAny a, TVMFFIAny b) {
    return detail::Order(BigInt::ViewOf(a), BigInt::ViewOf(b));
  }

  // `small` returns whether its result overflows; `wide` computes in words.
  template <typename OfSmall, typename OfWide>
  static BigInt Apply(const BigInt& a, const BigInt& b, OfSmall small, OfWide wide) {
    int64_t result = 0;
    if (AreSmall(a, b) && !small(Small(a), Small(b), &result)) return result;
    return BigInt(Wide(a.any_, b.any_, wide));
  }

  template <typename Operation>
  static BigInt Bitwise(const BigInt& a, const BigInt& b, Operation operation) {
    if (AreSmall(a, b)) return static_cast<int64_t>(operation(a.any_.v_uint64, b.any_.v_uint64));
    return BigInt(Wide(a.any_, b.any_, [operation](WordView x, WordView y) {
      return detail::Bitwise(x, y, operation);
    }));
  }
  static bool Equal(const BigInt& a, const BigInt& b) {
    return AreSmall(a, b) ? Small(a) == Small(b) : WideOrder(a.any_, b.any_) == 0;
  }
  static bool Less(const BigInt& a, const BigInt& b) {
    return AreSmall(a, b) ? Small(a) < Small(b) : WideOrder(a.any_, b.any_) < 0;
  }

  static void CheckDivisor(const char* function, const BigInt& divisor) {
    TVM_FFI_CHECK(static_cast<bool>(divisor), ZeroDivisionError)
        << function << ": expected a divisor other than 0, got 0";
  }
  // Whether both operands are small and their quotient fits into int64_t.
  static bool CanDivide(const BigInt& a, const BigInt& b) {
    return AreSmall(a, b) && (Small(b) != -1 || Small(a) != INT64_MIN);
  }
  // The quotient, rounded toward zero, and the remainder.
  TVM_FFI_NOINLINE static std::pair<BigInt, BigInt> Divide(const BigInt& a, const BigInt& b) {
    const WordView number = View(a);
    const WordView divisor = View(b);
    // Division by -1 may overflow two words.
    if (number.size() <= 2 && divisor.size() <= 2 && divisor[0] != -1) {
      const Int128 x = Int128Of(number);
      const Int128 y = Int128Of(divisor);
      return {Of(WordsOf(x / y)), Of(WordsOf(x - x / y * y))};
    }
    const auto parts = QuotientOf(MagnitudeOf(number), MagnitudeOf(divisor));
    return {Of(WordsOf(parts.first, number.negative() != divisor.negative())),
            Of(WordsOf(parts.second, number.negative()))};
  }
  // Whether rounding down differs from rounding toward zero.
  static bool IsBetween(const BigInt& rest, const BigInt& divisor) {
    return static_cast<bool>(rest) && View(rest).negative() != View(divisor).negative();
  }

  // The shift count in bits; std::nullopt if it does not fit into size_t.
  static std::optional<size_t> Count(const char* function, const BigInt& count) {
    if (count.IsSmall() && Small(count) >= 0) return static_cast<size_t>(Small(count));
    TVM_FFI_CHECK(!View(count).negative(), ValueError)
        << function << ": expected a count of at least 0, got " << Shown(count);
    return count.as<size_t>();
  }
  TVM_FFI_NOINLINE static BigInt WideShiftedLeft(const BigInt& a, const BigInt& count) {
    const std::optional<size_t> bits = Count("operator<<", count);
    if (!a) return a;
    TVM_FFI_CHECK(bits.has_value(), OverflowError)
        << "operator<<: expected a count below 2^64, got " << Shown(count);
    return Of(ShiftedLeft(View(a), *bits));
  }
  TVM_FFI_NOINLINE static BigInt WideShiftedRight(const BigInt& a, const BigInt& count) {
    const std::optional<size_t> bits = Count("operator>>", count);
    return Of(ShiftedRight(View(a), bits.value_or(SIZE_MAX)));
  }
};

}  // namespace detail

/*! \brief Whether the values are equal. */
inline bool operator==(const BigInt& a, const BigInt& b) {
  return detail::BigIntAccess::Equal(a, b);
}
/*! \brief Whether the values differ. */
inline bool operator!=(const BigInt& a, const BigInt& b) { return !(a == b); }
/*! \brief Whether `a` is less than `b`. */
inline bool operator<(const BigInt& a, const BigInt& b) { return detail::BigIntAccess::Less(a, b); }
/*! \brief Whether `a` is greater than `b`. */
inline bool operator>(const BigInt& a, const BigInt& b) { return b < a; }
/*! \brief Whether `a` is at most `b`. */
inline bool operator<=(const BigInt& a, const BigInt& b) { return !(b < a); }
/*! \brief Whether `a` is at least `b`. */
inline bool operator>=(const BigInt& a, const BigInt& b) { return !(a < b); }
/*! \brief The lesser of the two. */
inline BigInt min(const BigInt& a, const BigInt& b) { return b < a ? b : a; }
/*! \brief The greater of the two. */
inline BigInt max(const BigInt& a, const BigInt& b) { return a < b ? b : a; }

/*! \brief The sum. */
inline BigInt operator+(const BigInt& a, const BigInt& b) {
  return detail::BigIntAccess::Apply(
      a, b, [](int64_t x, int64_t y, int64_t* out) { return __builtin_add_overflow(x, y, out); },
      [](detail::WordView x, detail::WordView y) { return detail::SumOf(x, y); });
}
/*! \brief The difference. */
inline BigInt operator-(const BigInt& a, const BigInt& b) {
  return detail::BigIntAccess::Apply(
      a, b, [](int64_t x, int64_t y, int64_t* out) { return __builtin_sub_overflow(x, y, out); },
      detail::DifferenceOf);
}
/*! \brief The product. */
inline BigInt operator*(const BigInt& a, const BigInt& b) {
  return detail::BigIntAccess::Apply(
      a, b, [](int64_t x, int64_t y, int64_t* out) { return __builtin_mul_overflow(x, y, out); },
      detail::ProductOf);
}
/*! \brief The value itself. */
inline BigInt operator+(const BigInt& value) { return value; }
/*! \brief The negated value. */
inline BigInt operator-(const BigInt& value) { return 0 - value; }
/*! \brief The value with all bits inverted: `-value - 1`. */
inline BigInt operator~(const BigInt& value) { return -1 - value; }

/*! \brief The quotient, rounded toward zero. */
inline BigInt truncdiv(const BigInt& a, const BigInt& b) {
  using Access = detail::BigIntAccess;
  Access::CheckDivisor("truncdiv", b);
  if (Access::CanDivide(a, b)) return Access::Small(a) / Access::Small(b);
  return Access::Divide(a, b).first;
}
/*! \brief The remainder of truncdiv: zero or with the sign of `a`. */
inline BigInt truncmod(const BigInt& a, const BigInt& b) {
  using Access = detail::BigIntAccess;
  Access::CheckDivisor("truncmod", b);
  if (Access::CanDivide(a, b)) return Access::Small(a) % Access::Small(b);
  return Access::Divide(a, b).second;
}
/*! \brief The quotient, rounded down, like Python's `//`. */
inline BigInt floordiv(const BigInt& a, const BigInt& b) {
  using Access = detail::BigIntAccess;
  Access::CheckDivisor("floordiv", b);
  if (Access::CanDivide(a, b)) {
    const int64_t rest = Access::Small(a) % Access::Small(b);
    const int64_t quotient = Access::Small(a) / Access::Small(b);
    return quotient - (rest != 0 && (rest < 0) != (Access::Small(b) < 0) ? 1 : 0);
  }
  const auto parts = Access::Divide(a, b);
  return Access::IsBetween(parts.second, b) ? parts.first - 1 : parts.first;
}
/*! \brief The remainder of floordiv: zero or with the sign of `b`, like Python's `%`. */
inline BigInt floormod(const BigInt& a, const BigInt& b) {
  using Access = detail::BigIntAccess;
  Access::CheckDivisor("floormod", b);
  const BigInt rest = truncmod(a, b);
  return Access::IsBetween(rest, b) ? rest + b : rest;
}
/*! \brief The same as truncdiv. */
inline BigInt operator/(const BigInt& a, const BigInt& b) { return truncdiv(a, b); }
/*! \brief The same as truncmod. */
inline BigInt operator%(const BigInt& a, const BigInt& b) { return truncmod(a, b); }

/*! \brief Bitwise AND. */
inline BigInt operator&(const BigInt& a, const BigInt& b) {
  return detail::BigIntAccess::Bitwise(a, b, [](uint64_t x, uint64_t y) { return x & y; });
}
/*! \brief Bitwise OR. */
inline BigInt operator|(const BigInt& a, const BigInt& b) {
  return detail::BigIntAccess::Bitwise(a, b, [](uint64_t x, uint64_t y) { return x | y; });
}
/*! \brief Bitwise XOR. */
inline BigInt operator^(const BigInt& a, const BigInt& b) {
  return detail::BigIntAccess::Bitwise(a, b, [](uint64_t x, uint64_t y) { return x ^ y; });
}
/*! \brief `a` times 2 to the power of `count`, which must not be negative. */
inline BigInt operator<<(const BigInt& a, const BigInt& count) {
  using Access = detail::BigIntAccess;
  if (Access::AreSmall(a, count) && Access::Small(count) >= 0 && Access::Small(count) < 63) {
    int64_t product = 0;
    const int64_t factor = int64_t{1} << Access::Small(count);
    if (!__builtin_mul_overflow(Access::Small(a), factor, &product)) return product;
  }
  return Access::WideShiftedLeft(a, count);
}
/*! \brief `a` divided by 2 to the power of `count`, which must not be negative, rounded down. */
inline BigInt operator>>(const BigInt& a, const BigInt& count) {
  using Access = detail::BigIntAccess;
  if (Access::AreSmall(a, count) && Access::Small(count) >= 0) {
    return Access::Small(a) >> std::min(Access::Small(count), int64_t{63});
  }
  return Access::WideShiftedRight(a, count);
}

inline BigInt& BigInt::operator+=(const BigInt& other) { return *this = *this + other; }
inline BigInt& BigInt::operator-=(const BigInt& other) { return *this = *this - other; }
inline BigInt& BigInt::operator*=(const BigInt& other) { return *this = *this * other; }
inline BigInt& BigInt::operator/=(const BigInt& other) { return *this = *this / other; }
inline BigInt& BigInt::operator%=(const BigInt& other) { return *this = *this % other; }
inline BigInt& BigInt::operator&=(const BigInt& other) { return *this = *this & other; }
inline BigInt& BigInt::operator|=(const BigInt& other) { return *this = *this | other; }
inline BigInt& BigInt::operator^=(const BigInt& other) { return *this = *this ^ other; }
inline BigInt& BigInt::operator<<=(const BigInt& count) { return *this = *this << count; }
inline BigInt& BigInt::operator>>=(const BigInt& count) { return *this = *this >> count; }

inline TVMFFIAny BigInt::OfDouble(double value) {
  TVM_FFI_CHECK(!std::isnan(value), ValueError) << "BigInt: expected a finite number, got NaN";
  TVM_FFI_CHECK(!std::isinf(value), OverflowError)
      << "BigInt: expected a finite number, got " << value;
  int exponent = 0;
  // A double has 53 significant bits.
  const double mantissa = std::ldexp(std::frexp(std::trunc(value), &exponent), 53);
  const BigInt bits = static_cast<int64_t>(mantissa);
  exponent -= 53;
  return (exponent < 0 ? bits >> -exponent : bits << exponent).Release();
}

inline BigInt::operator double() const {
  if (IsSmall()) return static_cast<double>(any_.v_int64);
  const double magnitude = detail::NearestDouble(detail::MagnitudeOf(View()));
  TVM_FFI_CHECK(!std::isinf(magnitude), OverflowError)
      << "BigInt: operator double: expected a value in the range of double, got " << Shown();
  return View().negative() ? -magnitude : magnitude;
}

/*! \brief Writes decimal text. */
inline std::ostream& operator<<(std::ostream& stream, const BigInt& value) {
  return stream << detail::BigIntAccess::Text(value);
}
/*! \brief Reads a decimal integer; if there is none, sets failbit and leaves `value` unchanged. */
inline std::istream& operator>>(std::istream& stream, BigInt& value) {
  const std::istream::sentry sentry(stream);
  if (!sentry) return stream;
  using Traits = std::istream::traits_type;
  auto* buffer = stream.rdbuf();
  Traits::int_type next = buffer->sgetc();
  const bool negative = next == '-';
  if (negative || next == '+') next = buffer->snextc();
  std::string digits;
  for (; next >= '0' && next <= '9'; next = buffer->snextc()) {
    digits += Traits::to_char_type(next);
  }
  auto state = std::istream::goodbit;
  if (Traits::eq_int_type(next, Traits::eof())) state |= std::istream::eofbit;
  if (digits.empty()) {
    state |= std::istream::failbit;
  } else {
    value = detail::BigIntAccess::Of(detail::WordsOf(detail::MagnitudeOfText(digits), negative));
  }
  stream.setstate(state);
  return stream;
}

/*! \brief Stored in an Any as an int if it fits into int64_t; an int or a bool converts to it. */
template <>
struct TypeTraits<BigInt> : public detail::TypeTraitsBase {
  static void CopyToAnyView(const BigInt& value, TVMFFIAny* out) {
    detail::CopyWords(value.any_, out);
  }
  static void MoveToAny(BigInt value, TVMFFIAny* out) { *out = value.Release(); }
  static bool CheckAnyStrict(const TVMFFIAny* any) {
    return any->type_index == kTVMFFIInt || any->type_index == kTVMFFIBigInt;
  }
  static BigInt CopyFromAnyViewAfterCheck(const TVMFFIAny* any) {
    if (any->type_index == kTVMFFIBigInt) ObjectUnsafe::IncRef(any->v_obj);
    return BigInt(*any);
  }
  static BigInt MoveFromAnyAfterCheck(TVMFFIAny* any) { return detail::MoveFromOwned<BigInt>(any); }
  static std::optional<BigInt> TryCastFromAnyView(const TVMFFIAny* any) {
    if (CheckAnyStrict(any)) return CopyFromAnyViewAfterCheck(any);
    if (any->type_index == kTVMFFIBool) return BigInt(any->v_int64 != 0);
    return std::nullopt;
  }
  static std::string TypeStr() { return "BigInt"; }
  static std::string TypeSchema() { return detail::SchemaText("ffi.BigInt"); }
};

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

namespace std {

/*! \brief The hash of the value. */
template <>
struct hash<tvm::ffi::BigInt> {
  /*! \brief The hash. */
  size_t operator()(const tvm::ffi::BigInt& value) const { return value.hash(); }
};

}  // namespace std

#endif  // TVM_FFI_BIG_INT_H_
