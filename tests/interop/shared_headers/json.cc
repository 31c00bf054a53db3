// SPDX-License-Identifier: Apache-2.0
// extra/json.h: JSON text.
#include <tvm/ffi/extra/json.h>
#include <tvm/ffi/tvm_ffi.h>

#include <limits>

#include "print.h"

namespace ffi = tvm::ffi;
namespace json = tvm::ffi::json;

static void Again(const std::string& text) {
  ffi::String error;
  const json::Value value = json::Parse(text, &error);
  // A short text may be kept in place or not.
  const bool is_text = value.as<ffi::String>().has_value();
  std::cout << (is_text ? -1 : value.type_index()) << " " << std::string(error) << " "
            << std::string(json::Stringify(value)) << "\n";
}

int main() {
  for (const char* text : {"1",
                           "-0",
                           "01",
                           "+1",
                           "1.",
                           ".5",
                           "1e5",
                           "1E+5",
                           "1e400",
                           "9223372036854775807",
                           "9223372036854775808",
                           "-9223372036854775808",
                           "-9223372036854775809",
                           "0.1",
                           "1e22",
                           "1.7976931348623157e308",
                           "0.30000000000000004",
                           "1e15",
                           "-0.0",
                           "true",
                           "false",
                           "null",
                           "tru",
                           "NaN",
                           "nan",
                           "Infinity",
                           "-Infinity",
                           "-NaN",
                           "",
                           "  ",
                           " 1 ",
                           "1 2",
                           "1x",
                           "\"a",
                           "\"\\n\\t\\\"\\\\\\/\\b\\f\\r\"",
                           "\"\\u00e9\"",
                           "\"\\ud83d\\ude00\"",
                           "\"\\ud83d\"",
                           "\"\\ude00\"",
                           "\"\\ud83d\\u0041\"",
                           "\"\\u12\"",
                           "\"\\x\"",
                           "\"a\nb\"",
                           "\"\x7f\"",
                           "\"\xff\"",
                           "\"\\u0000\"",
                           "[]",
                           "[1,]",
                           "[1,2",
                           "[,1]",
                           "[1 2]",
                           "{}",
                           "{\"a\":1,}",
                           "{\"a\" 1}",
                           "{a:1}",
                           "{\"a\":1,\"a\":2}",
                           "{\"a\":1 \"b\":2}",
                           "[1\n,\n\n  x]",
                           "{\"b\":1,\"a\":[1,2.5,\"x\",null,true,{\"k\":[]}]}",
                           "1-2",
                           "1.2.3",
                           "--1",
                           "]",
                           "{"}) {
    Again(text);
  }
  Again(std::string(1000, '[') + std::string(1000, ']'));
  Try("thrown", [] { json::Parse("[1,\n x]"); });
  json::Object object;
  object.Set(ffi::String("b"), 1);
  object.Set(ffi::String("a"), json::Array{1, "x/\x01\xc3\xa9", json::Array(), json::Object()});
  for (int indent : {-1, 0, 1, 4}) std::cout << std::string(json::Stringify(object, indent));
  for (double x : {0.1, 1.0, 1e-7, 1e22, 1.0 / 3, 5e-324, -0.0}) {
    std::cout << std::string(json::Stringify(x)) << "\n";
  }
  std::cout << std::string(json::Stringify(std::numeric_limits<double>::infinity())) << "\n";
  Try("key", [] { json::Stringify(json::Object{{1, 2}}); });
  Try("shape", [] { json::Stringify(ffi::Shape({1})); });
  std::cout << std::string(json::Stringify(ffi::List<ffi::Any>{1, 2})) << "\n";
}
