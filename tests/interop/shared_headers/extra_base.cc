// SPDX-License-Identifier: Apache-2.0
// extra/base.h: the mark of exported functions.
#include <tvm/ffi/extra/base.h>

#include "print.h"

TVM_FFI_EXTRA_CXX_API int one();
int one() { return 1; }

int main() { std::cout << one() << "\n"; }
