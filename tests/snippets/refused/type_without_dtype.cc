// SPDX-License-Identifier: Apache-2.0
// Must not compile: no dtype represents the type.
#include "../../../examples/kernel_library/tvm_ffi_utils.h"

// [code.begin]
void run(ffi::TensorView x) {
  dispatch<TypeList<float, const char*>>(x.dtype(), [](auto) {});
}
// [code.end]
