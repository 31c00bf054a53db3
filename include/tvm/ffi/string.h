// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/string.h
 * \brief Strings and bytes with a stable layout, passed as Python `str` and `bytes`.
 */
#ifndef TVM_FFI_STRING_H_
#define TVM_FFI_STRING_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/optional_in_place.h>
#include <tvm/ffi/string_escape.h>
#include <tvm/ffi/string_pieces.h>

#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

namespace detail {

// Whether a T can be compared with a text; a std::string_view of a null pointer would crash.
template <typename T>
using IsText = std::bool_constant<std::is_convertible<const T&, std::string_view>::value &&
                                  !std::is_null_pointer<T>::value>;

// Two operands of a comparison, at least one of them ours.
template <typename Base, typename A, typename B>
using EnableIfTexts =
    std::enable_if_t<(std::is_base_of<Base, A>::value || std::is_base_of<Base, B>::value) &&
                     IsText<A>::value && IsText<B>::value>;

}  // namespace detail

/*! \brief A view of the text that `bytes` points to. */
inline std::string_view ToStringView(TVMFFIByteArray bytes) { return {bytes.data, bytes.size}; }

/*! \brief Common base of String and Bytes: up to 7 bytes inline, more in an object. */
class BytesValue {
 public:
  /*! \brief Shares the bytes. */
  BytesValue(const BytesValue& other) {
    if (!other.IsSmall()) ObjectUnsafe::IncRef(other.any_.v_obj);
    detail::CopyWords(other.any_, &any_);
  }
  /*! \brief Takes over the bytes, leaving none. */
  BytesValue(BytesValue&& other) noexcept {
    detail::CopyWords(other.any_, &any_);
    other.Forget();
  }
  ~BytesValue() { detail::DropOwned(any_); }
  /*! \brief Shares the other's bytes. */
  BytesValue& operator=(const BytesValue& other) {
    BytesValue copy(other);
    std::swap(any_, copy.any_);
    return *this;
  }
  /*! \brief Takes over the other's bytes. */
  BytesValue& operator=(BytesValue&& other) noexcept {
    std::swap(any_, other.any_);
    return *this;
  }

  /*! \brief First byte; a zero byte follows the last. */
  const char* data() const {
    return IsSmall() ? any_.v_bytes : reinterpret_cast<TVMFFIByteArray*>(any_.v_obj + 1)->data;
  }
  /*! \brief Number of bytes. */
  size_t size() const {
    return IsSmall() ? any_.small_str_len
                     : reinterpret_cast<TVMFFIByteArray*>(any_.v_obj + 1)->size;
  }
  /*! \brief Number of bytes. */
  size_t length() const { return size(); }
  /*! \brief Whether there are no bytes. */
  bool empty() const { return size() == 0; }
  /*! \brief Whether the bytes are stored inline. */
  bool IsSmall() const { return any_.type_index < kTVMFFIStaticObjectBegin; }
  /*! \brief The byte at `i`; throws an IndexError beyond the end. */
  char at(size_t i) const {
    TVM_FFI_CHECK(i < size(), IndexError)
        << "at: expected an index below " << size() << ", got " << i;
    return data()[i];
  }
  /*! \brief The byte at `i`, which must be below size(). */
  char operator[](size_t i) const { return data()[i]; }
  /*! \brief A view of the bytes, valid while this object lives. */
  operator std::string_view() const { return {data(), size()}; }
  /*! \brief A copy of the bytes. */
  operator std::string() const { return {data(), size()}; }

  /*! \brief Negative, 0 or positive if these bytes sort before, equal or sort after `other`. */
  int compare(std::string_view other) const { return std::string_view(*this).compare(other); }
  /*! \brief Negative, 0 or positive if these bytes sort before, equal or sort after `other`. */
  int compare(const TVMFFIByteArray& other) const { return compare(ToStringView(other)); }

  /*! \brief Whether the bytes are equal. */
  template <typename A, typename B, typename = detail::EnableIfTexts<BytesValue, A, B>>
  friend bool operator==(const A& a, const B& b) {
    return std::string_view(a) == std::string_view(b);
  }
  /*! \brief Whether the bytes differ. */
  template <typename A, typename B, typename = detail::EnableIfTexts<BytesValue, A, B>>
  friend bool operator!=(const A& a, const B& b) {
    return std::string_view(a) != std::string_view(b);
  }
  /*! \brief Whether `a` is less than `b`, byte by byte. */
  template <typename A, typename B, typename = detail::EnableIfTexts<BytesValue, A, B>>
  friend bool operator<(const A& a, const B& b) {
    return std::string_view(a) < std::string_view(b);
  }
  /*! \brief Whether `a` is greater than `b`, byte by byte. */
  template <typename A, typename B, typename = detail::EnableIfTexts<BytesValue, A, B>>
  friend bool operator>(const A& a, const B& b) {
    return std::string_view(a) > std::string_view(b);
  }
  /*! \brief Whether `a` is at most `b`, byte by byte. */
  template <typename A, typename B, typename = detail::EnableIfTexts<BytesValue, A, B>>
  friend bool operator<=(const A& a, const B& b) {
    return std::string_view(a) <= std::string_view(b);
  }
  /*! \brief Whether `a` is at least `b`, byte by byte. */
  template <typename A, typename B, typename = detail::EnableIfTexts<BytesValue, A, B>>
  friend bool operator>=(const A& a, const B& b) {
    return std::string_view(a) >= std::string_view(b);
  }

  /*! \brief The value in its C ABI form, borrowed. */
  const TVMFFIAny& any() const { return any_; }
  /*! \brief Releases the value to the caller in its C ABI form. */
  TVMFFIAny MoveToAny() && {
    TVMFFIAny any = any_;
    Forget();
    return any;
  }

 protected:
  /*! \brief Takes over an owned C ABI value. */
  explicit BytesValue(const TVMFFIAny& owned) : any_(owned) {}

  /*! \brief Returns `bytes`; throws a ValueError for NULL. */
  static const char* NotNull(const char* function, const char* argument, const char* bytes) {
    TVM_FFI_CHECK(bytes != nullptr, ValueError)
        << function << ": " << argument << ": expected a null-terminated string, got NULL";
    return bytes;
  }

  /*! \brief The largest number of bytes stored inline. */
  static constexpr size_t kSmallMost = 7;

  /*! \brief A value with its bytes inline. */
  static TVMFFIAny MakeSmall(int32_t type_index, std::string_view bytes) {
    TVMFFIAny any{};
    any.type_index = type_index;
    any.small_str_len = static_cast<uint32_t>(bytes.size());
    if (!bytes.empty()) std::memcpy(any.v_bytes, bytes.data(), bytes.size());
    return any;
  }

  /*! \brief The value. */
  TVMFFIAny any_;

 private:
  // Resets to an empty value of the same kind.
  void Forget() {
    const bool is_bytes = any_.type_index == kTVMFFIBytes || any_.type_index == kTVMFFISmallBytes;
    any_ = TVMFFIAny{};
    any_.type_index = is_bytes ? kTVMFFISmallBytes : kTVMFFISmallStr;
  }
};

class String;
class Bytes;

namespace detail {

template <>
inline constexpr bool kLentAsOwned<String> = true;
template <>
inline constexpr bool kLentAsOwned<Bytes> = true;
template <>
inline constexpr bool kIsText<String> = true;
template <>
inline constexpr bool kIsText<Bytes> = true;

}  // namespace detail

/*! \brief An immutable string. */
class String : public BytesValue {
 public:
  /*! \brief Returned by find if there is no match. */
  static constexpr size_t npos = std::string_view::npos;

  /*! \brief The empty string. */
  String() : BytesValue(Make("")) {}
  /*! \brief A copy of `text`. */
  String(std::string_view text) : BytesValue(Make(text)) {}  // NOLINT(runtime/explicit)
  /*! \brief A copy of `text`. */
  String(const std::string& text) : BytesValue(Make(text)) {}  // NOLINT(runtime/explicit)
  /*! \brief A copy of zero-terminated `text`; throws a ValueError for NULL. */
  String(const char* text)  // NOLINT(runtime/explicit)
      : BytesValue(Make(NotNull("String", "text", text))) {}
  /*! \brief A copy of `size` bytes at `data`. */
  String(const char* data, size_t size) : BytesValue(Make({data, size})) {}
  /*! \brief A copy of the text that `bytes` points to. */
  explicit String(TVMFFIByteArray bytes) : String(bytes.data, bytes.size) {}
  /*! \brief A null pointer is not a string. */
  String(std::nullptr_t) = delete;

  /*! \brief The zero-terminated text. */
  const char* c_str() const { return data(); }
  /*! \brief Position of the first `text` at or after `from`; npos if there is none. */
  size_t find(std::string_view text, size_t from = 0) const {
    return std::string_view(*this).find(text, from);
  }
  /*! \brief Position of the first `count` bytes at `data`, at or after `from`; npos if none. */
  size_t find(const char* data, size_t from, size_t count) const {
    return find(std::string_view(data, count), from);
  }
  /*! \brief The substring of at most `count` bytes starting at `from`; throws an IndexError beyond
   * the end. */
  String substr(size_t from = 0, size_t count = npos) const {
    TVM_FFI_CHECK(from <= size(), IndexError)
        << "String::substr: expected a start of at most " << size() << ", got " << from;
    return String(std::string_view(*this).substr(from, count));
  }
  /*! \brief Whether the text begins with `prefix`. */
  bool starts_with(std::string_view prefix) const {
    return std::string_view(*this).substr(0, prefix.size()) == prefix;
  }
  /*! \brief Whether the text begins with the `count` bytes at `data`. */
  bool starts_with(const char* data, size_t count) const {
    return starts_with(std::string_view(data, count));
  }
  /*! \brief Whether the text ends with `suffix`. */
  bool ends_with(std::string_view suffix) const {
    return size() >= suffix.size() &&
           std::string_view(*this).substr(size() - suffix.size()) == suffix;
  }
  /*! \brief Whether the text ends with the `count` bytes at `data`. */
  bool ends_with(const char* data, size_t count) const {
    return ends_with(std::string_view(data, count));
  }
  /*! \brief The pieces between the separators, as views of this text: "a,,b" has "a", "" and "b".
   */
  StringPieces Split(char separator) const { return StringPieces(*this, separator); }
  /*! \brief Exchanges the two strings. */
  void swap(String& other) noexcept { std::swap(any_, other.any_); }

  /*! \brief The two texts joined. */
  friend String operator+(const String& a, std::string_view b) {
    std::string text(a);
    text += b;
    return String(text);
  }
  /*! \brief Writes the text to a stream, if the user has included `ostream`. */
  template <typename Traits>
  friend std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                                      const String& text) {
    return out << std::string_view(text);
  }

 private:
  explicit String(const TVMFFIAny& owned) : BytesValue(owned) {}

  static TVMFFIAny Make(std::string_view text) {
    if (text.size() <= kSmallMost) return MakeSmall(kTVMFFISmallStr, text);
    TVMFFIByteArray bytes{text.data(), text.size()};
    TVMFFIAny any{};
    TVM_FFI_CHECK_SAFE_CALL(TVMFFIStringFromByteArray(&bytes, &any));
    return any;
  }

  friend struct TypeTraits<String>;
};

/*! \brief Immutable bytes. */
class Bytes : public BytesValue {
 public:
  /*! \brief Constructs an empty value. */
  Bytes() : BytesValue(Make("")) {}
  /*! \brief A copy of `bytes`. */
  Bytes(std::string_view bytes) : BytesValue(Make(bytes)) {}  // NOLINT(runtime/explicit)
  /*! \brief A copy of `bytes`. */
  Bytes(const std::string& bytes) : BytesValue(Make(bytes)) {}  // NOLINT(runtime/explicit)
  /*! \brief A copy of `bytes` up to the first zero byte; throws a ValueError for NULL. */
  Bytes(const char* bytes)  // NOLINT(runtime/explicit)
      : BytesValue(Make(NotNull("Bytes", "bytes", bytes))) {}
  /*! \brief A copy of `size` bytes at `data`. */
  Bytes(const char* data, size_t size) : BytesValue(Make({data, size})) {}
  /*! \brief A copy of the bytes that `bytes` points to. */
  Bytes(TVMFFIByteArray bytes) : Bytes(bytes.data, bytes.size) {}  // NOLINT(runtime/explicit)
  /*! \brief A null pointer is not bytes. */
  Bytes(std::nullptr_t) = delete;

  /*! \brief Exchanges the two values. */
  void swap(Bytes& other) noexcept { std::swap(any_, other.any_); }
  /*! \brief Negative, 0 or positive if the bytes at `a` are less than, equal to or greater than
   * those at `b`. */
  static int memncmp(const char* a, const char* b, size_t a_size, size_t b_size) {
    return std::string_view(a, a_size).compare(std::string_view(b, b_size));
  }
  /*! \brief Whether the bytes at `a` equal those at `b`. */
  static bool memequal(const void* a, const void* b, size_t a_size, size_t b_size) {
    return a_size == b_size && (a_size == 0 || std::memcmp(a, b, a_size) == 0);
  }

 private:
  explicit Bytes(const TVMFFIAny& owned) : BytesValue(owned) {}

  static TVMFFIAny Make(std::string_view content) {
    if (content.size() <= kSmallMost) return MakeSmall(kTVMFFISmallBytes, content);
    TVMFFIByteArray bytes{content.data(), content.size()};
    TVMFFIAny any{};
    TVM_FFI_CHECK_SAFE_CALL(TVMFFIBytesFromByteArray(&bytes, &any));
    return any;
  }

  friend struct TypeTraits<Bytes>;
};

template <>
struct TypeTraits<String> : public detail::TypeTraitsBase {
  static void CopyToAnyView(const String& value, TVMFFIAny* out) { *out = value.any(); }
  static void MoveToAny(String value, TVMFFIAny* out) { *out = std::move(value).MoveToAny(); }
  static bool CheckAnyStrict(const TVMFFIAny* any) {
    return any->type_index == kTVMFFISmallStr || any->type_index == kTVMFFIStr;
  }
  static String CopyFromAnyViewAfterCheck(const TVMFFIAny* any) {
    TVMFFIAny owned = *any;
    if (owned.type_index >= kTVMFFIStaticObjectBegin) ObjectUnsafe::IncRef(owned.v_obj);
    return String(owned);
  }
  static String MoveFromAnyAfterCheck(TVMFFIAny* any) { return detail::MoveFromOwned<String>(any); }
  static std::optional<String> TryCastFromAnyView(const TVMFFIAny* any) {
    if (CheckAnyStrict(any)) return CopyFromAnyViewAfterCheck(any);
    if (any->type_index == kTVMFFIRawStr && any->v_c_str != nullptr) return String(any->v_c_str);
    return std::nullopt;
  }
  static std::string TypeStr() { return "str"; }
  static std::string TypeSchema() { return detail::SchemaText("ffi.String"); }
};

template <>
struct TypeTraits<Bytes> : public detail::TypeTraitsBase {
  static void CopyToAnyView(const Bytes& value, TVMFFIAny* out) { *out = value.any(); }
  static void MoveToAny(Bytes value, TVMFFIAny* out) { *out = std::move(value).MoveToAny(); }
  static bool CheckAnyStrict(const TVMFFIAny* any) {
    return any->type_index == kTVMFFISmallBytes || any->type_index == kTVMFFIBytes;
  }
  static Bytes CopyFromAnyViewAfterCheck(const TVMFFIAny* any) {
    TVMFFIAny owned = *any;
    if (owned.type_index >= kTVMFFIStaticObjectBegin) ObjectUnsafe::IncRef(owned.v_obj);
    return Bytes(owned);
  }
  static Bytes MoveFromAnyAfterCheck(TVMFFIAny* any) { return detail::MoveFromOwned<Bytes>(any); }
  static std::optional<Bytes> TryCastFromAnyView(const TVMFFIAny* any) {
    if (CheckAnyStrict(any)) return CopyFromAnyViewAfterCheck(any);
    if (any->type_index == kTVMFFIByteArrayPtr && !detail::LendsNull(any)) {
      const auto* bytes = static_cast<const TVMFFIByteArray*>(any->v_ptr);
      return Bytes(bytes->data, bytes->size);
    }
    return std::nullopt;
  }
  static std::string TypeStr() { return "bytes"; }
  static std::string TypeSchema() { return detail::SchemaText("ffi.Bytes"); }
};

/*! \brief std::string, passed as a String. */
template <>
struct TypeTraits<std::string> : public detail::TypeTraitsBase {
  static void CopyToAnyView(const std::string& value, TVMFFIAny* out) {
    // To the receiver, a borrowed text ends at the first zero byte.
    TVM_FFI_CHECK(value.find('\0') == std::string::npos, ValueError)
        << "std::string: expected a string without zero bytes, got one at " << value.find('\0')
        << "; pass a tvm::ffi::String";
    Set(out, kTVMFFIRawStr);
    out->v_c_str = value.c_str();
  }
  static void MoveToAny(const std::string& value, TVMFFIAny* out) {
    TypeTraits<String>::MoveToAny(String(value), out);
  }
  static bool CheckAnyStrict(const TVMFFIAny* any) {
    return TypeTraits<String>::CheckAnyStrict(any);
  }
  static std::string CopyFromAnyViewAfterCheck(const TVMFFIAny* any) {
    return TypeTraits<String>::CopyFromAnyViewAfterCheck(any);
  }
  static std::string MoveFromAnyAfterCheck(TVMFFIAny* any) {
    return detail::MoveFromOwned<std::string>(any);
  }
  static std::optional<std::string> TryCastFromAnyView(const TVMFFIAny* any) {
    std::optional<String> value = TypeTraits<String>::TryCastFromAnyView(any);
    if (!value.has_value()) return std::nullopt;
    return std::string(*value);
  }
  static std::string TypeStr() { return "str"; }
  static std::string TypeSchema() { return detail::SchemaText("std::string"); }
};

/*! \brief Zero-terminated strings, lent as arguments; NULL is None. */
template <>
struct TypeTraits<const char*> : public detail::TypeTraitsBase {
  static void CopyToAnyView(const char* value, TVMFFIAny* out) {
    Set(out, value == nullptr ? kTVMFFINone : kTVMFFIRawStr);
    out->v_c_str = value;
  }
  static void MoveToAny(const char* value, TVMFFIAny* out) {
    Set(out, kTVMFFINone);
    if (value != nullptr) TypeTraits<String>::MoveToAny(String(value), out);
  }
  static std::string TypeStr() { return "str"; }
  static std::string TypeSchema() { return detail::SchemaText("const char*"); }
};

/*! \brief String literals. */
template <size_t N>
struct TypeTraits<char[N]> : public TypeTraits<const char*> {};

/*! \brief The text as a quoted JSON string; non-ASCII characters are unchanged. */
inline String EscapeStringJSON(const String& value) {
  std::string quoted;
  detail::AppendJsonString(value, &quoted);
  return String(quoted);
}
/*! \brief The published headers' older name for EscapeStringJSON. */
[[deprecated("use EscapeStringJSON")]] inline String EscapeString(const String& value) {
  return EscapeStringJSON(value);
}
/*!
 * \brief The text as an ASCII Python string literal in double quotes.
 *
 * Bytes that are not UTF-8 are escaped one by one, as `\\xff`.
 */
inline String EscapedStringPy(const String& value) {
  std::string quoted;
  detail::AppendPythonString(value, &quoted);
  return String(quoted);
}

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

namespace std {

/*! \brief The hash of the text, equal to that of a std::string_view. */
template <>
struct hash<tvm::ffi::String> {
  /*! \brief The hash. */
  size_t operator()(const tvm::ffi::String& text) const noexcept {
    return hash<std::string_view>()(text);
  }
};
/*! \brief The hash of the bytes, equal to that of a std::string_view. */
template <>
struct hash<tvm::ffi::Bytes> {
  /*! \brief The hash. */
  size_t operator()(const tvm::ffi::Bytes& bytes) const noexcept {
    return hash<std::string_view>()(bytes);
  }
};

}  // namespace std

#endif  // TVM_FFI_STRING_H_
