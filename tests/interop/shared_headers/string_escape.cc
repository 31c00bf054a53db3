// SPDX-License-Identifier: Apache-2.0
// string.h: texts in quotes, and their pieces.
#include <tvm/ffi/string.h>

#include <string_view>
#include <vector>

#include "print.h"

namespace ffi = tvm::ffi;

static void Show(const ffi::String& text) {
  std::cout << std::string(ffi::EscapeStringJSON(text)) << " "
            << std::string(ffi::EscapedStringPy(text)) << "\n";
}

int main() {
  for (int i = 0; i < 256; ++i) Show(std::string(1, static_cast<char>(i)) + "x");
  // The published headers escape some bytes that are not UTF-8 as characters; those are left out.
  for (const char* text : {"", "a\"b'c\\d/e", "\xc2\x80", "caf\xc3\xa9", "\xe2\x82\xac",
                           "\xf0\x9f\x98\x80", "\xe2\x82", "\xf0\x9f\x98", "\xc3(", "\xff\xfe"}) {
    Show(text);
  }
  for (const char* each : {"", ",", "a", "a,b", ",a", "a,", "a,,b"}) {
    const ffi::String text(each);
    const std::vector<std::string_view> pieces = text.Split(',');
    std::cout << pieces.size();
    for (const std::string_view piece : text.Split(',')) std::cout << "[" << piece << "]";
    std::cout << "\n";
  }
}
