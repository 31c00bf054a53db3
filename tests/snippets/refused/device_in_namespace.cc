// SPDX-License-Identifier: Apache-2.0
// Must not compile: the types of DLPack are C types, outside any namespace.
#include <tvm/ffi/container/tensor.h>

namespace ffi = tvm::ffi;

// [code.begin]
ffi::DLDevice first_gpu{kDLCUDA, 0};
// [code.end]
