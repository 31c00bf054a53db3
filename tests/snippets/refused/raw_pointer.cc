// SPDX-License-Identifier: Apache-2.0
// Must not compile: nothing describes what the pointer points to.
#include <tvm/ffi/function.h>

// [code.begin]
void scale(float* x, int64_t size, double factor);

TVM_FFI_DLL_EXPORT_TYPED_FUNC(scale, scale);
// [code.end]
