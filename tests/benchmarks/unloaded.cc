// SPDX-License-Identifier: Apache-2.0
// What soak_trials.py loads and unloads: a library without types of its own, which would stay.
#include <tvm/ffi/function.h>

namespace {
void none() {}
}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(none, none);
