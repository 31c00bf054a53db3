// SPDX-License-Identifier: Apache-2.0
// Rows: R7
// TVMFFIBigIntFromByteArray and TVMFFIBigIntGetContentByteArray of c_api.h.
#include <tvm/ffi/tvm_ffi.h>

#include <cstring>
#include <string>

#include "expect.h"

namespace ffi = tvm::ffi;

// A big integer is an int if it fits into 64 bits, and otherwise the fewest 8-byte words.
void big_integers() {
  struct Case {
    std::string bytes;
    size_t size;  // Bytes of content; 8 for an int.
    int64_t low;
  };
  const std::string zeros(8, '\0'), ones(8, '\xff');
  for (const Case& c : {
           Case{"", 8, 0},
           Case{std::string(1, '\0'), 8, 0},
           Case{"\x01", 8, 1},
           Case{"\xff", 8, -1},
           Case{std::string("\xff\x00", 2), 8, 255},
           Case{zeros + zeros + zeros, 8, 0},
           Case{ones + ones + ones, 8, -1},
           Case{"\x05" + std::string(23, '\0'), 8, 5},
           Case{std::string(7, '\xff') + '\x7f', 8, INT64_MAX},
           Case{std::string(7, '\0') + '\x80', 8, INT64_MIN},
           Case{std::string(7, '\0') + '\x80' + '\0', 16, INT64_MIN},      // 2^63
           Case{zeros + '\x01', 16, 0},                                    // 2^64
           Case{zeros + '\x01' + std::string(30, '\0'), 16, 0},            // 2^64
           Case{std::string(7, '\xff') + '\x7f' + '\xff', 16, INT64_MAX},  // -2^63 - 1
           Case{std::string(25, '\0') + '\xff', 32, 0},                    // -2^200
           Case{std::string(25, '\0') + '\xff' + ones + ones, 32, 0},      // -2^200
           Case{zeros + std::string(7, '\0') + '\x80' + '\0', 24, 0},      // 2^127
       }) {
    const TVMFFIByteArray input{c.bytes.data(), c.bytes.size()};
    TVMFFIAny value{};
    EXPECT_EQ(TVMFFIBigIntFromByteArray(&input, &value), 0);
    const TVMFFIByteArray content = TVMFFIBigIntGetContentByteArray(&value);
    EXPECT_EQ(content.size, c.size) << c.bytes.size();
    EXPECT_EQ(value.type_index, c.size == 8 ? int32_t{kTVMFFIInt} : int32_t{kTVMFFIBigInt});
    EXPECT_EQ(value.zero_padding, 0u);
    int64_t low = 0;
    std::memcpy(&low, content.data, 8);
    EXPECT_EQ(low, c.low);
    // Beyond the input, the sign is extended.
    const char sign = !c.bytes.empty() && (c.bytes.back() & 0x80) != 0 ? '\xff' : '\0';
    for (size_t i = 0; i < content.size; ++i) {
      EXPECT_EQ(content.data[i], i < c.bytes.size() ? c.bytes[i] : sign);
    }
    ffi::Any::MoveFromTVMFFIAny(value);
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_big_integers, big_integers);

// Libraries built with the published headers read and write the object themselves: the number of
// words follows the header, and the words follow it.
void big_integer_in_memory() {
  const int64_t words[] = {1, -2, 3};
  const TVMFFIByteArray input{reinterpret_cast<const char*>(words), sizeof(words)};
  TVMFFIAny value{};
  EXPECT_EQ(TVMFFIBigIntFromByteArray(&input, &value), 0);
  int64_t seen[4];
  std::memcpy(seen, value.v_obj + 1, sizeof(seen));
  EXPECT_EQ(seen[0], 3);
  EXPECT_EQ(std::memcmp(seen + 1, words, sizeof(words)), 0);
  EXPECT(TVMFFIBigIntGetContentByteArray(&value).data ==
         reinterpret_cast<const char*>(value.v_obj + 1) + sizeof(int64_t));
  ffi::Any::MoveFromTVMFFIAny(value);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_big_integer_in_memory, big_integer_in_memory);
