// SPDX-License-Identifier: Apache-2.0
// Rows: R5, R7
// extra/base64.h: bytes to text and back; invalid base64 text is rejected.
#include <tvm/ffi/extra/base64.h>
#include <tvm/ffi/function.h>

#include <string>

#include "expect.h"

namespace ffi = tvm::ffi;

// The examples of RFC 4648, section 10.
void examples() {
  const char* expected[] = {"", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"};
  const std::string bytes = "foobar";
  for (size_t size = 0; size <= bytes.size(); ++size) {
    const ffi::String text = ffi::Base64Encode(ffi::Bytes(bytes.data(), size));
    EXPECT_EQ(text, expected[size]);
    EXPECT_EQ(ffi::Base64Decode(text), bytes.substr(0, size));
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_examples, examples);

// Every byte round-trips, zero included, at each position of a group.
void every_byte() {
  for (size_t first = 0; first < 3; ++first) {
    std::string bytes(first, 'x');
    for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
    EXPECT_EQ(ffi::Base64Decode(ffi::Base64Encode(ffi::Bytes(bytes))), bytes);
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_every_byte, every_byte);

// The last two digits are those of section 4, not the URL-safe ones.
void last_digits() {
  EXPECT_EQ(ffi::Base64Encode(ffi::Bytes("\xfb\xff")), "+/8=");
  EXPECT_EQ(ffi::Base64Decode("+/8="), "\xfb\xff");
  EXPECT_THROWS("ValueError: Base64Decode: expected a base64 digit at 0, got the byte 45",
                ffi::Base64Decode("-_8="));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_last_digits, last_digits);

void refused() {
  for (size_t size : {1U, 2U, 3U, 5U}) {
    const std::string text(size, 'A');
    EXPECT_THROWS("ValueError: Base64Decode: expected a multiple of 4 characters, got " +
                      std::to_string(size),
                  ffi::Base64Decode(text));
  }
  EXPECT_THROWS("ValueError: Base64Decode: expected a base64 digit at 1, got the byte 61",
                ffi::Base64Decode("A==="));
  EXPECT_THROWS("ValueError: Base64Decode: expected a base64 digit at 2, got the byte 61",
                ffi::Base64Decode("QQ==QQ=="));
  EXPECT_THROWS("ValueError: Base64Decode: expected a base64 digit at 3, got the byte 200",
                ffi::Base64Decode("AAA\xc8"));
  EXPECT_THROWS("ValueError: Base64Decode: expected a base64 digit at 1, got the byte 0",
                ffi::Base64Decode(ffi::String("A\0AA", 4)));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_refused, refused);
