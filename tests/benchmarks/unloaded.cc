// SPDX-License-Identifier: Apache-2.0
// Loaded and unloaded by soak_trials.py: a library without types of its own, which would persist.
#include <tvm/ffi/function.h>

namespace {
void none() {}
}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(none, none);
