// SPDX-License-Identifier: Apache-2.0
// extra/base64.h: bytes as text and back.
#include <tvm/ffi/extra/base64.h>

#include "print.h"

namespace ffi = tvm::ffi;

int main() {
  std::string bytes;
  for (int i = 0; i < 256; ++i) {
    const std::string text = ffi::Base64Encode(ffi::Bytes(bytes));
    const ffi::Bytes back = ffi::Base64Decode(ffi::String(text));
    std::cout << text << (std::string(back) == bytes) << "\n";
    bytes += static_cast<char>(i * 37);
  }
  TVMFFIByteArray array{"any carnal pleas", 16};
  std::cout << std::string(ffi::Base64Encode(array)) << "\n";
  array = TVMFFIByteArray{"YW55IGNhcm5hbCBwbGVhcw==", 24};
  std::cout << std::string(ffi::Base64Decode(array)) << "\n";
}
