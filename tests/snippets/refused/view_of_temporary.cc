// SPDX-License-Identifier: Apache-2.0
// Must not compile: the tensor would be destroyed before the view is used.
#include <tvm/ffi/container/tensor.h>

namespace ffi = tvm::ffi;

// [code.begin]
ffi::Tensor make();

void use() { ffi::TensorView view = make(); }
// [code.end]
