// SPDX-License-Identifier: Apache-2.0
// Must not compile: what is assigned to a parameter goes nowhere.
#include <tvm/ffi/function.h>

// [code.begin]
void count(int64_t& result);

TVM_FFI_DLL_EXPORT_TYPED_FUNC(count, count);
// [code.end]
