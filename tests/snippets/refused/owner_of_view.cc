// SPDX-License-Identifier: Apache-2.0
// Must not compile: a view has no share of its tensor to give.
#include <tvm/ffi/container/tensor.h>

namespace ffi = tvm::ffi;

// [code.begin]
ffi::Tensor keep(ffi::TensorView x) { return x; }
// [code.end]
