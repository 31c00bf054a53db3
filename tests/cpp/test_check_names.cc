// SPDX-License-Identifier: Apache-2.0
// Rows: R6
// The names in the messages of the utility header's checks are those of the C++ source.
#include "../../examples/kernel_library/tvm_ffi_utils.h"
#include "expect.h"

namespace {

ffi::TensorView new_view() {
  static int64_t one = 1;
  static DLTensor tensor{nullptr, {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, &one, &one, 0};
  return ffi::TensorView(&tensor);
}

void rows_of(ffi::TensorView x) {
  const ffi::TensorView rows = x;
  CHECK_DIM(2, rows);
}

}  // namespace

// A local variable appears under its own name, and the function under its C++ name.
void names_of_the_source() {
  EXPECT_THROWS("ValueError: rows_of: rows must be 2-dimensional, got 1", rows_of(new_view()));
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_names_of_the_source, names_of_the_source);
