// SPDX-License-Identifier: Apache-2.0
// string.h: texts given as an address and a size.
#include <tvm/ffi/string.h>

#include <type_traits>

#include "print.h"

namespace ffi = tvm::ffi;

static int Sign(int x) { return x < 0 ? -1 : x > 0; }

int main() {
  const TVMFFIByteArray array{"abcdefghij", 9};
  const ffi::String text(array);
  std::cout << std::string(text) << " " << std::string(ffi::Bytes(array)) << " "
            << ffi::ToStringView(array) << "\n";
  std::cout << text.compare(array) << Sign(text.compare(TVMFFIByteArray{"abd", 3}))
            << Sign(text.compare(TVMFFIByteArray{"", 0})) << "\n";
  std::cout << text.starts_with("abx", 2) << text.starts_with("abx", 3) << text.ends_with("xhi", 3)
            << text.ends_with("hix", 2) << text.ends_with("abcdefghijk", 11) << "\n";
  for (size_t from : {0, 2, 3, 9, 10}) {
    std::cout << text.find("cdx", from, 2) << " " << text.find("", from, 0) << "\n";
  }
  std::cout << Sign(ffi::Bytes::memncmp("ab", "abc", 2, 3))
            << Sign(ffi::Bytes::memncmp("b", "abc", 1, 3)) << ffi::Bytes::memncmp("", "", 0, 0)
            << ffi::Bytes::memequal("a\0b", "a\0b", 3, 3)
            << ffi::Bytes::memequal("a\0b", "a\0c", 3, 3) << ffi::Bytes::memequal("a", "ab", 1, 2)
            << "\n";
  std::cout
      << std::is_convertible_v<
             TVMFFIByteArray,
             ffi::
                 Bytes> << std::is_convertible_v<TVMFFIByteArray, ffi::String> << std::is_convertible_v<std::string, ffi::Bytes> << std::is_constructible_v<ffi::String, std::nullptr_t> << "\n";
}
