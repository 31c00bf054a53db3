// SPDX-License-Identifier: Apache-2.0
// Rows: R7
// string.h: strings, bytes and big integers, inline and on the heap.
#include <tvm/ffi/tvm_ffi.h>

#include <cstring>
#include <sstream>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "expect.h"

namespace ffi = tvm::ffi;

// Up to 7 bytes are inline, 8 on the heap; both read alike and end with a zero byte.
void small_and_heap() {
  const std::string text = "0123456789abcdef";
  for (size_t size = 0; size <= text.size(); ++size) {
    const std::string part = text.substr(0, size);
    ffi::String string(part);
    ffi::Bytes bytes(part.data(), part.size());
    EXPECT_EQ(string.IsSmall(), size <= 7) << size;
    EXPECT_EQ(bytes.IsSmall(), size <= 7) << size;
    EXPECT_EQ(string.size(), size);
    EXPECT_EQ(string.length(), bytes.size());
    EXPECT_EQ(string.empty(), size == 0);
    EXPECT_EQ(std::strlen(string.c_str()), size);
    EXPECT_EQ(bytes.data()[size], '\0');
    EXPECT(string == part && bytes == part);
    EXPECT_EQ(ffi::AnyView(string).type_index(),
              size <= 7 ? int32_t{kTVMFFISmallStr} : int32_t{kTVMFFIStr});
    EXPECT_EQ(ffi::AnyView(bytes).type_index(),
              size <= 7 ? int32_t{kTVMFFISmallBytes} : int32_t{kTVMFFIBytes});
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_small_and_heap, small_and_heap);

// A null pointer is not an empty text.
void null_texts() {
  const char* none = nullptr;
  EXPECT_THROWS("ValueError: String: text: expected a null-terminated string, got NULL",
                ffi::String{none});
  EXPECT_THROWS("ValueError: Bytes: bytes: expected a null-terminated string, got NULL",
                ffi::Bytes{none});
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_null_texts, null_texts);

// Embedded zero bytes are kept, inline and on the heap.
void embedded_zero_bytes() {
  for (const std::string& text : {std::string("a\0b", 3), std::string("\0\0", 2),
                                  std::string("0123456\0", 8), std::string("01234567\0z", 10)}) {
    const ffi::String string(text);
    EXPECT_EQ(string.size(), text.size());
    EXPECT(std::string(string) == text);
    EXPECT(ffi::Any(string).cast<std::string>() == text);
    EXPECT(ffi::Any(ffi::Bytes(text)).cast<ffi::Bytes>() == text);
    EXPECT(ffi::Function::FromTyped([](ffi::String x) { return x; })(string).cast<std::string>() ==
           text);
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_embedded_zero_bytes, embedded_zero_bytes);

// All comparisons work with any kind of text on either side, and agree with std::string.
void comparisons() {
  const std::string texts[] = {
      "", "a", "ab", "b", std::string("a\0", 2), "longer than seven", "longer than eight", "\xff"};
  for (const std::string& x : texts) {
    for (const std::string& y : texts) {
      const ffi::String a(x), b(y);
      EXPECT((a == b) == (x == y) && (a != b) == (x != y) && (a < b) == (x < y));
      EXPECT((a > b) == (x > y) && (a <= b) == (x <= y) && (a >= b) == (x >= y));
      EXPECT((a < y) == (x < y) && (x < b) == (x < y) && (ffi::Bytes(x) < b) == (x < y));
      EXPECT((a.compare(y) < 0) == (x < y) && (a.compare(b) == 0) == (x == y));
      EXPECT((std::hash<ffi::String>()(a) == std::hash<ffi::String>()(b)) == (x == y));
    }
  }
  EXPECT("a" == ffi::String("a") && "a" < ffi::String("b") && ffi::Bytes("a") >= "a");
  EXPECT(std::unordered_set<ffi::String>({"a", "b", "a"}).size() == 2);
  EXPECT_EQ(std::hash<ffi::Bytes>()(ffi::Bytes("x", 1)), std::hash<ffi::String>()("x"));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_comparisons, comparisons);

// Searching and substrings work as in std::string; a start beyond the end is rejected.
void parts() {
  const ffi::String text = "hello";
  EXPECT_EQ(text.find("l"), 2u);
  EXPECT_EQ(text.find("l", 3), 3u);
  EXPECT_EQ(text.find("z"), ffi::String::npos);
  EXPECT_EQ(text.substr(1, 3), "ell");
  EXPECT_EQ(text.substr(5), "");
  EXPECT_EQ(text.substr(), text);
  EXPECT_THROWS("IndexError: String::substr: expected a start of at most 5, got 6", text.substr(6));
  EXPECT(text.starts_with("he") && !text.starts_with("lo") && text.starts_with(""));
  EXPECT(text.ends_with("lo") && !text.ends_with("he") && !text.ends_with("a longer text"));
  ffi::String a = "a", b = "longer than seven";
  a.swap(b);
  EXPECT(a == "longer than seven" && b == "a");
  std::ostringstream stream;
  stream << text << '!';
  EXPECT_EQ(stream.str(), std::string("hello!"));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_parts, parts);

// Texts compare and concatenate by their bytes.
void operators() {
  const ffi::String a = "abc";
  EXPECT(a == "abc" && a != "abd" && a != "ab");
  EXPECT(a < "abd" && !(a < "abc") && !(a < "abb"));
  EXPECT(a == ffi::String("abc"));
  EXPECT(a + "defgh" == "abcdefgh");
  EXPECT(!(a + "defgh").IsSmall());
  EXPECT_EQ(a[1], 'b');
  EXPECT_EQ(a.at(2), 'c');
  EXPECT_THROWS("IndexError: at: expected an index below 3, got 3", a.at(3));
  EXPECT(ffi::Bytes("ab") == "ab" && ffi::Bytes("ab") != "abc");
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_operators, operators);

// Copies share a heap string; a moved-from one is empty and of its own kind.
void copies_and_moves() {
  ffi::String text = "a text on the heap";
  ffi::String copy = text;
  EXPECT_EQ(copy.data(), text.data());
  ffi::String moved = std::move(text);
  EXPECT(moved == copy);
  EXPECT(text == "");  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(ffi::AnyView(text).type_index(), int32_t{kTVMFFISmallStr});
  auto& self = moved;
  moved = self;
  EXPECT(moved == "a text on the heap");
  moved = ffi::String("b");
  EXPECT(moved == "b" && copy == "a text on the heap");
  for (const char* content : {"small", "not so small"}) {
    ffi::Bytes bytes(content);
    ffi::Bytes taken = std::move(bytes);
    EXPECT(taken == content);
    EXPECT(bytes.empty());  // NOLINT(bugprone-use-after-move)
    EXPECT_EQ(ffi::AnyView(bytes).type_index(), int32_t{kTVMFFISmallBytes});
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_copies_and_moves, copies_and_moves);

// A string that a function returns or keeps is counted, and freed by its last owner.
void ownership() {
  ffi::String text = "a text on the heap";
  auto count = [&text] {
    return reinterpret_cast<const ffi::Object*>(ffi::AnyView(text).CopyToTVMFFIAny().v_obj)
        ->use_count();
  };
  EXPECT_EQ(count(), 1);
  {
    ffi::Any owned = text;
    EXPECT_EQ(count(), 2);
    ffi::String out = owned.cast<ffi::String>();
    EXPECT_EQ(count(), 3);
    ffi::Any returned = ffi::Function::FromTyped([](ffi::String x) { return x; })(out);
    EXPECT_EQ(count(), 4);
  }
  EXPECT_EQ(count(), 1);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_ownership, ownership);

// Strings and bytes do not convert to each other.
void strings_are_not_bytes() {
  EXPECT_THROWS("TypeError: Any: expected bytes, got str", ffi::AnyView("x").cast<ffi::Bytes>());
  EXPECT_THROWS("TypeError: Any: expected str, got bytes",
                ffi::AnyView(ffi::Bytes("x")).cast<ffi::String>());
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_strings_are_not_bytes, strings_are_not_bytes);

// A big integer returns its two's-complement bytes, in whole words; a text has none.
void big_integers() {
  const unsigned char little_endian[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 0xff};
  const TVMFFIByteArray input{reinterpret_cast<const char*>(little_endian), sizeof(little_endian)};
  TVMFFIAny value{};
  EXPECT_EQ(TVMFFIBigIntFromByteArray(&input, &value), 0);
  EXPECT_EQ(value.type_index, int32_t{kTVMFFIBigInt});
  const TVMFFIByteArray content = TVMFFIBigIntGetContentByteArray(&value);
  EXPECT_EQ(content.size, 16u);
  EXPECT_EQ(std::memcmp(content.data, little_endian, sizeof(little_endian)), 0);
  EXPECT_EQ(std::string(content.data + 10, 6), std::string(6, '\xff'));
  ffi::Any owned = ffi::Any::MoveFromTVMFFIAny(value);
  EXPECT_EQ(owned.GetTypeKey(), std::string("BigInt"));
  EXPECT_THROWS("TypeError: Any: expected int, got BigInt", owned.cast<int64_t>());
  const TVMFFIAny text = ffi::AnyView("x").CopyToTVMFFIAny();
  EXPECT(TVMFFIBigIntGetContentByteArray(&text).data == nullptr);
  EXPECT(TVMFFIBigIntGetContentByteArray(nullptr).data == nullptr);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_big_integers, big_integers);

// Bytes without an address are rejected, unless the size is 0.
void null_input() {
  const TVMFFIByteArray empty{nullptr, 0}, broken{nullptr, 3};
  TVMFFIAny out{};
  EXPECT_EQ(TVMFFIStringFromByteArray(&empty, &out), 0);
  EXPECT(ffi::Any::MoveFromTVMFFIAny(out).cast<ffi::String>().empty());
  EXPECT_THROWS("ValueError: TVMFFIStringFromByteArray: input: expected 3 bytes, got NULL",
                TVM_FFI_CHECK_SAFE_CALL(TVMFFIStringFromByteArray(&broken, &out)));
  EXPECT_THROWS("ValueError: TVMFFIBytesFromByteArray: input: expected 3 bytes, got NULL",
                TVM_FFI_CHECK_SAFE_CALL(TVMFFIBytesFromByteArray(&broken, &out)));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_null_input, null_input);

// Where the C ABI passes an address and a size, these accept both.
void addresses_and_sizes() {
  const TVMFFIByteArray array{"a\0bcdefghij", 10};
  const std::string expected(array.data, array.size);
  EXPECT_EQ(std::string(ffi::String(array)), expected);
  EXPECT_EQ(std::string(ffi::Bytes(array)), expected);
  EXPECT_EQ(ffi::ToStringView(array), expected);
  const ffi::String text(array);
  EXPECT_EQ(text.compare(array), 0);
  EXPECT(text.compare(TVMFFIByteArray{"a\0c", 3}) < 0);
  EXPECT(text.compare(TVMFFIByteArray{"", 0}) > 0);
  EXPECT(text.starts_with("a\0bx", 3) && !text.starts_with("a\0bx", 4));
  EXPECT(text.starts_with("", 0) && text.ends_with("", 0));
  EXPECT(text.ends_with("xhi", 2) == false && text.ends_with("hix", 2));
  EXPECT(!text.ends_with("longer than the text", 20));
  EXPECT_EQ(text.find("bcx", 0, 2), 2u);
  EXPECT_EQ(text.find("bcx", 3, 2), ffi::String::npos);
  EXPECT_EQ(text.find("bcx", 0, 3), ffi::String::npos);
  // Bytes are compared as unsigned.
  EXPECT(ffi::Bytes::memncmp("\xff", "\x01", 1, 1) > 0);
  EXPECT(ffi::Bytes::memncmp("ab", "abc", 2, 3) < 0);
  EXPECT_EQ(ffi::Bytes::memncmp("ab", "ax", 1, 1), 0);
  EXPECT(ffi::Bytes::memequal("a\0b", "a\0bx", 3, 3) && !ffi::Bytes::memequal("ab", "ac", 2, 2));
  EXPECT(!ffi::Bytes::memequal("ab", "ab", 1, 2) && ffi::Bytes::memequal(nullptr, nullptr, 0, 0));
  const char* null = nullptr;
  EXPECT_THROWS("ValueError: String: text: expected a null-terminated string, got NULL",
                ffi::String{null});
  EXPECT_THROWS("ValueError: Bytes: bytes: expected a null-terminated string, got NULL",
                ffi::Bytes{null});
  static_assert(!std::is_constructible<ffi::String, std::nullptr_t>::value, "NULL is no text");
  static_assert(!std::is_constructible<ffi::Bytes, std::nullptr_t>::value, "NULL is no bytes");
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_addresses_and_sizes, addresses_and_sizes);

// A quoted text: as JSON, non-ASCII characters are kept; as Python, they are escaped.
void escaped() {
  EXPECT_EQ(ffi::EscapeStringJSON(""), "\"\"");
  EXPECT_EQ(ffi::EscapeStringJSON(ffi::String("a\"\\/\b\f\n\r\t\0\x1f\x7f", 12)),
            R"("a\"\\\/\b\f\n\r\t\u0000\u001f\u007f")");
  EXPECT_EQ(ffi::EscapeStringJSON("é\xff"), "\"é\xff\"");
  EXPECT_EQ(ffi::EscapedStringPy(""), "\"\"");
  EXPECT_EQ(ffi::EscapedStringPy(ffi::String("a'\"\\/\b\n\r\t\0\x7f", 11)),
            R"("a'\"\\/\x08\n\r\t\x00\x7f")");
  EXPECT_EQ(ffi::EscapedStringPy("\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf\xf0\x90\x80\x80"),
            R"("\u0080\u07ff\u0800\uffff\U00010000")");
  EXPECT_EQ(ffi::EscapedStringPy("\xf4\x8f\xbf\xbf"), R"("\U0010ffff")");
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_escaped, escaped);

// Invalid UTF-8 is written bytewise: truncated, overlong, lone surrogates, too large.
void escaped_without_utf8() {
  EXPECT_EQ(ffi::EscapedStringPy("\xe2\x82"), R"("\xe2\x82")");
  EXPECT_EQ(ffi::EscapedStringPy("\xe2\x82z\x80"), R"("\xe2\x82z\x80")");
  EXPECT_EQ(ffi::EscapedStringPy("\xc0\x80\xc1\xbf"), R"("\xc0\x80\xc1\xbf")");
  EXPECT_EQ(ffi::EscapedStringPy("\xe0\x9f\xbf"), R"("\xe0\x9f\xbf")");
  EXPECT_EQ(ffi::EscapedStringPy("\xf0\x8f\xbf\xbf"), R"("\xf0\x8f\xbf\xbf")");
  EXPECT_EQ(ffi::EscapedStringPy("\xed\xa0\x80\xed\xbf\xbf"), R"("\xed\xa0\x80\xed\xbf\xbf")");
  EXPECT_EQ(ffi::EscapedStringPy("\xf4\x90\x80\x80"), R"("\xf4\x90\x80\x80")");
  EXPECT_EQ(ffi::EscapedStringPy("\xf8\x88\x80\x80\x80"), R"("\xf8\x88\x80\x80\x80")");
  EXPECT_EQ(ffi::EscapedStringPy("\xf8\x90\x80\x80"), R"("\xf8\x90\x80\x80")");
  std::string quoted;  // of a text followed by another byte
  ffi::detail::AppendPythonString(std::string_view("\xe2\x82\xac").substr(0, 2), &quoted);
  EXPECT_EQ(quoted, R"("\xe2\x82")");
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_escaped_without_utf8, escaped_without_utf8);

// There is one more piece than separators; a container accepts them all.
void split() {
  struct Case {
    const char* text;
    std::vector<std::string_view> pieces;
  };
  const Case cases[] = {
      {"", {""}},        {"abc", {"abc"}},  {",", {"", ""}},         {"a,b", {"a", "b"}},
      {",a", {"", "a"}}, {"a,", {"a", ""}}, {"a,,b", {"a", "", "b"}}};
  for (const auto& [text, expected] : cases) {
    const ffi::String whole(text);
    const std::vector<std::string_view> pieces = whole.Split(',');
    EXPECT(pieces == expected) << text;
    const ffi::StringPieces lazy = whole.Split(',');
    EXPECT_EQ(lazy.size(), expected.size()) << text;
    EXPECT(!lazy.empty());
    EXPECT_EQ(lazy.front(), expected.front()) << text;
    EXPECT_EQ(lazy.back(), expected.back()) << text;
    for (size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(lazy[i], expected[i]) << text;
    EXPECT(std::vector<std::string_view>(lazy.begin(), lazy.end()) == expected) << text;
  }
  const ffi::String text("a,b");
  EXPECT_EQ(text.Split(',').back().data() - text.data(), 2);
  auto it = text.Split(',').begin();
  EXPECT(it == text.Split(',').begin());
  EXPECT_EQ(*it++, "a");
  EXPECT_EQ(it->size(), 1u);
  EXPECT(it != text.Split(',').begin());
  EXPECT(++it == text.Split(',').end());
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_split, split);

// Default bytes are empty, and two of them can be swapped.
void empty_bytes() {
  ffi::Bytes none, some("abc", 3);
  EXPECT_EQ(none.size(), 0u);
  none.swap(some);
  EXPECT(some.size() == 0 && none.size() == 3);
  EXPECT_EQ(std::string(none.data(), none.size()), std::string("abc"));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_empty_bytes, empty_bytes);
