// SPDX-License-Identifier: Apache-2.0
// Must not compile: an assignment to a parameter has no effect for the caller.
#include <tvm/ffi/function.h>

// [code.begin]
void count(int64_t& result);

TVM_FFI_DLL_EXPORT_TYPED_FUNC(count, count);
// [code.end]
