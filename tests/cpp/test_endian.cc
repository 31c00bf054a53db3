// SPDX-License-Identifier: Apache-2.0
// Rows: R5, R7
// endian.h: byte order.
#include <tvm/ffi/endian.h>
#include <tvm/ffi/function.h>

#include <cstring>
#include <string>

#include "expect.h"

namespace ffi = tvm::ffi;

// Each element is reversed separately, whatever its size; a single byte is unchanged.
void byte_swap() {
  struct Case {
    size_t elem_bytes, num_elems;
    const char* expected;
  };
  for (const Case& c : {Case{4, 2, "43218765"}, Case{2, 3, "21436578"}, Case{3, 2, "32165478"},
                        Case{8, 1, "87654321"}, Case{1, 8, "12345678"}, Case{4, 0, "12345678"}}) {
    char bytes[] = "12345678";
    ffi::ByteSwap(bytes, c.elem_bytes, c.num_elems);
    EXPECT_EQ(std::string(bytes), c.expected);
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_byte_swap, byte_swap);

// The macro agrees with memory.
void this_machine() {
  const uint16_t one = 1;
  unsigned char first = 0;
  std::memcpy(&first, &one, 1);
  EXPECT_EQ(first, static_cast<unsigned char>(TVM_FFI_LITTLE_ENDIAN));
  EXPECT_EQ(TVM_FFI_IO_NO_ENDIAN_SWAP, TVM_FFI_LITTLE_ENDIAN == TVM_FFI_IO_USE_LITTLE_ENDIAN);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_this_machine, this_machine);
