// SPDX-License-Identifier: Apache-2.0
// Rows: R5, R7
// extra/json.h: JSON text.
#include <stdlib.h>
#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/extra/json.h>
#include <tvm/ffi/tvm_ffi.h>
#include <unistd.h>

#include <clocale>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "expect.h"
#include "small_stack.h"

namespace ffi = tvm::ffi;
namespace json = tvm::ffi::json;

namespace {

std::string Again(const std::string& text) { return json::Stringify(json::Parse(text)); }

// Gives this thread a locale with another decimal point, created here because a machine may have
// none. The file is in the format of the GNU C library.
class LocaleWithPoint {
 public:
  explicit LocaleWithPoint(const std::string& point) {
    std::string folder = std::filesystem::temp_directory_path() / "test_json_XXXXXX";
    EXPECT(mkdtemp(folder.data()) != nullptr);
    folder_ = folder;
    std::filesystem::create_directory(folder_ / "other");
    std::ofstream file(folder_ / "other" / "LC_NUMERIC", std::ios::binary);
    // The point, no thousands separator, no grouping, both as wide characters, and the encoding.
    const std::string strings = point + std::string("\0\0\x7f\0", 4);
    const auto words = static_cast<uint32_t>((strings.size() + 3) / 4 * 4);
    constexpr uint32_t kBegin = 32;
    const auto size = static_cast<uint32_t>(point.size());
    for (const uint32_t number :
         {0x20031115U ^ uint32_t{LC_NUMERIC}, 6U, kBegin, kBegin + size + 1, kBegin + size + 2,
          kBegin + words, kBegin + words + 4, kBegin + words + 8}) {
      file.write(reinterpret_cast<const char*>(&number), 4);
    }
    file << strings << std::string(words - strings.size() + 8, '\0') << "UTF-8" << '\0';
    file.close();
    setenv("LOCPATH", folder_.c_str(), 1);
    made_ = newlocale(LC_NUMERIC_MASK, "other", nullptr);
    unsetenv("LOCPATH");
    EXPECT(made_ != nullptr);
    before_ = uselocale(made_);
  }
  ~LocaleWithPoint() {
    uselocale(before_);
    freelocale(made_);
    std::filesystem::remove_all(folder_);
  }

 private:
  std::filesystem::path folder_;
  locale_t made_{}, before_{};
};

}  // namespace

// Parsed text is written as the same text, with its keys in order.
void round_trip() {
  for (const std::string text : {"null",
                                 "true",
                                 "false",
                                 "0",
                                 "-1",
                                 "9223372036854775807",
                                 "-9223372036854775808",
                                 "1.0",
                                 "-0.0",
                                 "0.5",
                                 "1e+22",
                                 "1.7976931348623157e+308",
                                 "4.9406564584124654e-324",
                                 "NaN",
                                 "Infinity",
                                 "-Infinity",
                                 "\"\"",
                                 "\"a\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f\\u007f\"",
                                 "\"\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80\"",
                                 "[]",
                                 "{}",
                                 "[[],{}]",
                                 "{\"b\":1,\"a\":[1,2.5,\"x\",null,true,{\"k\":[]}]}",
                                 "{\"\":{\"\":0}}"}) {
    EXPECT_EQ(Again(text), text);
  }
  EXPECT_EQ(Again(" [ 1 , { \"a\" : 2 } ]\r\n\t"), "[1,{\"a\":2}]");
  EXPECT_EQ(Again("{\"a\":1,\"b\":2,\"a\":3}"), "{\"a\":3,\"b\":2}");
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_round_trip, round_trip);

// An integer of up to 64 bits stays an integer, and a double keeps its type and all its bits.
void numbers() {
  EXPECT_EQ(json::Parse("9223372036854775807").as<int64_t>().value(), INT64_MAX);
  EXPECT_EQ(json::Parse("-9223372036854775808").as<int64_t>().value(), INT64_MIN);
  EXPECT_EQ(json::Parse("9223372036854775808").as<double>().value(), 9223372036854775808.0);
  EXPECT_EQ(json::Parse("-9223372036854775809").as<double>().value(), -9223372036854775808.0);
  for (double x : {0.1, 1.0 / 3, 1e16, 12345678901234567890.0, 1e-300, 5e-324, -2.5e-8, 1e300}) {
    EXPECT_EQ(json::Parse(json::Stringify(x)).as<double>().value(), x);
  }
  struct Case {
    const char* text;
    double value;
  };
  for (const Case& c : {Case{"+1", 1}, Case{"01", 1}, Case{"1.", 1}, Case{".5", 0.5},
                        Case{"1E+2", 100}, Case{"1e-400", 0}}) {
    EXPECT_EQ(json::Parse(c.text).cast<double>(), c.value);
  }
  EXPECT(std::isnan(json::Parse("[NaN]").cast<json::Array>()[0].cast<double>()));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_numbers, numbers);

// Escapes become UTF-8, including surrogate pairs, and invalid UTF-8 bytes are kept.
void strings() {
  EXPECT_EQ(json::Parse("\"\\u0041\\u00e9\\u4E2D\\ud83d\\uDE00\"").cast<std::string>(),
            "A\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80");
  EXPECT_EQ(json::Parse("\"\\u007f\\u0080\\u07ff\\u0800\\uffff\"").cast<std::string>(),
            "\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf");
  EXPECT_EQ(json::Parse("\"\xff\"").cast<std::string>(), "\xff");
  EXPECT_EQ(json::Parse("\"a\\u0000b\"").cast<ffi::String>().size(), 3u);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_strings, strings);

// An error names its position: in the error string if the caller passes one, otherwise thrown.
void mistakes() {
  struct Case {
    std::string text, message;
  };
  for (const Case& c : {
           Case{"", "Expecting value: line 1 column 1 (char 0)"},
           Case{"  ", "Expecting value: line 1 column 3 (char 2)"},
           Case{"1 2", "Extra data: line 1 column 3 (char 2)"},
           Case{"[1\n,\n\n  x]", "Expecting value: line 4 column 3 (char 8)"},
           Case{"tru", "Expecting value: line 1 column 1 (char 0)"},
           Case{"1e400", "Expecting value: line 1 column 1 (char 0)"},
           Case{"1-2", "Expecting value: line 1 column 1 (char 0)"},
           Case{"[-]", "Expecting value: line 1 column 2 (char 1)"},
           Case{"[1,]", "Expecting value: line 1 column 4 (char 3)"},
           Case{"[1 2]", "Expecting ',' delimiter: line 1 column 4 (char 3)"},
           Case{"[1", "Expecting ',' delimiter: line 1 column 3 (char 2)"},
           Case{"{\"a\" 1}", "Expecting ':' delimiter: line 1 column 6 (char 5)"},
           Case{"{\"a\":1 \"b\":2}", "Expecting ',' delimiter: line 1 column 8 (char 7)"},
           Case{"{1:2}",
                "Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"},
           Case{"{\"a\":1,}",
                "Expecting property name enclosed in double quotes: line 1 column 8 (char 7)"},
           Case{"\"a", "Unterminated string starting at: line 1 column 1 (char 0)"},
           Case{"\"a\nb\"", "Invalid control character at: line 1 column 3 (char 2)"},
           Case{"\"\\x\"", "Invalid \\escape: line 1 column 3 (char 2)"},
           Case{"\"\\", "Invalid \\escape: line 1 column 3 (char 2)"},
           Case{"\"\\u12xy\"", "Invalid \\uXXXX escape: line 1 column 3 (char 2)"},
           Case{"\"\\u12\"", "Invalid \\uXXXX escape: line 1 column 3 (char 2)"},
           Case{"\"\\ud83d\"",
                "Invalid surrogate pair of \\uXXXX escapes: line 1 column 3 (char 2)"},
           Case{"\"\\ude00\"",
                "Invalid surrogate pair of \\uXXXX escapes: line 1 column 3 (char 2)"},
           Case{"\"\\ud83d\\u0041\"",
                "Invalid surrogate pair of \\uXXXX escapes: line 1 column 10 (char 9)"},
       }) {
    EXPECT_THROWS("ValueError: " + c.message, json::Parse(c.text));
    ffi::String message = "old";
    EXPECT(json::Parse(c.text, &message) == nullptr);
    EXPECT_EQ(std::string(message), c.message);
  }
  ffi::String message = "old";
  EXPECT_EQ(json::Parse("[1]", &message).cast<json::Array>().size(), 1u);
  EXPECT_EQ(std::string(message), "");
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_mistakes, mistakes);

// Depth has a limit; exceeding it is an error, not a crash.
void depth() {
  const auto nested = [](size_t n) { return std::string(n, '[') + std::string(n, ']'); };
  EXPECT_EQ(Again(nested(10'000)), nested(10'000));
  EXPECT_THROWS("ValueError: Nested more than 10000 deep: line 1 column 10001 (char 10000)",
                json::Parse(nested(10'001)));
  EXPECT_THROWS("ValueError: Nested more than 10000 deep: line 1 column 10001 (char 10000)",
                json::Parse(std::string(1'000'000, '[')));
  ffi::List<ffi::Any> own;
  own.push_back(own);
  EXPECT_THROWS("ValueError: json::Stringify: expected at most 10000 levels of nesting, got more",
                json::Stringify(own));
  own.clear();
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_depth, depth);

// The deepest value needs little stack to be parsed, written and freed.
void depth_with_a_small_stack() {
  OnStack(size_t{64} << 10, [] {
    const std::string arrays = std::string(10'000, '[') + std::string(10'000, ']');
    EXPECT_EQ(Again(arrays), arrays);
    std::string objects = "1";
    for (int i = 0; i < 10'000; ++i) objects = "{\"a\":" + objects + "}";
    EXPECT_EQ(Again(objects), objects);
  });
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_depth_with_a_small_stack, depth_with_a_small_stack);

// Lines are broken at every depth.
void indent_of_nested_values() {
  EXPECT_EQ(json::Stringify(json::Parse("[[],{\"a\":{\"b\":[1,2]},\"c\":{}}]"), 1),
            "[\n [\n ],\n {\n  \"a\": {\n   \"b\": [\n    1,\n    2\n   ]\n  },\n  \"c\": {\n  }\n"
            " }\n]");
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_indent_of_nested_values, indent_of_nested_values);

// Numbers use a point in every locale, even one with a comma or a two-byte decimal point.
void locales() {
  for (const char* point : {",", "\xd9\xab"}) {
    const LocaleWithPoint locale(point);
    char seen[32];
    std::snprintf(seen, sizeof(seen), "%.1f", 0.5);
    EXPECT_EQ(std::string(seen), "0" + std::string(point) + "5");
    EXPECT_EQ(json::Stringify(-1.7976931348623157e+308), "-1.7976931348623157e+308");
    EXPECT_EQ(json::Stringify(3.0), "3.0");
    EXPECT_EQ(json::Parse("[2.5, 1e3, -0.125e-2]").cast<ffi::Array<double>>()[0], 2.5);
    EXPECT_EQ(json::Parse("-0.125e-2").cast<double>(), -0.00125);
    EXPECT_THROWS("ValueError: Expecting value: line 1 column 1 (char 0)", json::Parse("1.2.3"));
    EXPECT_THROWS("ValueError: Extra data: line 1 column 2 (char 1)", json::Parse("1,5"));
    EXPECT_THROWS("ValueError: got 1.5", TVM_FFI_THROW(ValueError) << "got " << 1.5);
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_locales, locales);

// With an indent, each value has its own line.
void indents() {
  json::Object object;
  object.Set(ffi::String("b"), 1);
  object.Set(ffi::String("a"), json::Array{1, json::Array(), json::Object()});
  EXPECT_EQ(std::string(json::Stringify(object)), "{\"b\":1,\"a\":[1,[],{}]}");
  EXPECT_EQ(std::string(json::Stringify(object, 0)), "{\"b\":1,\"a\":[1,[],{}]}");
  EXPECT_EQ(std::string(json::Stringify(object, 2)),
            "{\n  \"b\": 1,\n  \"a\": [\n    1,\n    [\n    ],\n    {\n    }\n  ]\n}");
  EXPECT_EQ(std::string(json::Stringify(json::Array{1, 2}, -1)), "[\n1,\n2\n]");
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_indents, indents);

// Sequences and maps of any element type are written; other values are rejected.
void values() {
  EXPECT_EQ(std::string(json::Stringify(ffi::Array<int>{1, 2})), "[1,2]");
  EXPECT_EQ(std::string(json::Stringify(ffi::List<ffi::Any>{1, "x"})), "[1,\"x\"]");
  EXPECT_EQ(std::string(json::Stringify(ffi::Map<ffi::String, int>{{"x", 1}})), "{\"x\":1}");
  const std::string expected =
      "ValueError: json::Stringify: expected None, a bool, a number, str, Array, List or Map, got ";
  EXPECT_THROWS(expected + "Shape", json::Stringify(ffi::Shape{1}));
  EXPECT_THROWS(expected + "bytes", json::Stringify(json::Array{ffi::Bytes("ab", 2)}));
  EXPECT_THROWS(expected + "Dict", json::Stringify(ffi::Dict<ffi::String, int>()));
  json::Object object;
  object.Set(1, 2);
  EXPECT_THROWS("ValueError: json::Stringify: expected keys of type str, got int",
                json::Stringify(object));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_values, values);

// The symbol that libraries built with the headers of release 0.1.12 and older import.
ffi::String
StringifyOfOldLibraries(const ffi::Any& value, const std::optional<int>& indent) __asm__(
    "_ZN3tvm3ffi4json9StringifyERKNS0_3AnyENS0_8OptionalIivEE");

// It writes the same text, with and without an indent.
void symbol_of_old_libraries() {
  const ffi::Any value = json::Parse("[1, null]");
  EXPECT_EQ(std::string(StringifyOfOldLibraries(value, std::nullopt)), "[1,null]");
  EXPECT_EQ(std::string(StringifyOfOldLibraries(value, 2)), "[\n  1,\n  null\n]");
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_symbol_of_old_libraries, symbol_of_old_libraries);
