// SPDX-License-Identifier: Apache-2.0
// Must not compile: a result must own what it refers to.
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/function.h>

namespace ffi = tvm::ffi;

// [code.begin]
ffi::TensorView same(ffi::TensorView x) { return x; }

TVM_FFI_DLL_EXPORT_TYPED_FUNC(same, same);
// [code.end]
