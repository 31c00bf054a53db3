// SPDX-License-Identifier: Apache-2.0
// endian.h: the order of bytes.
#include <tvm/ffi/endian.h>

#include "print.h"

int main() {
  std::cout << TVM_FFI_LITTLE_ENDIAN << TVM_FFI_IO_USE_LITTLE_ENDIAN << TVM_FFI_IO_NO_ENDIAN_SWAP
            << "\n";
  for (size_t size : {1, 2, 3, 4, 8}) {
    char bytes[] = "123456789";
    tvm::ffi::ByteSwap(bytes, size, 8 / size);
    std::cout << bytes << "\n";
  }
}
