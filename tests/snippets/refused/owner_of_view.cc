// SPDX-License-Identifier: Apache-2.0
// Must not compile: a view owns no reference to its tensor.
#include <tvm/ffi/container/tensor.h>

namespace ffi = tvm::ffi;

// [code.begin]
ffi::Tensor keep(ffi::TensorView x) { return x; }
// [code.end]
