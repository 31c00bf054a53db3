// SPDX-License-Identifier: Apache-2.0
// Rows: R5
// extra/base.h: the macro that marks an exported C++ function.
#include <dlfcn.h>
#include <tvm/ffi/extra/base.h>
#include <tvm/ffi/function.h>

#include "expect.h"

TVM_FFI_EXTRA_CXX_API int test_extra_base_exported(int x);
int test_extra_base_exported(int x) { return x + 1; }

// The function can be found in its library although others are hidden.
void exported() {
  Dl_info info{};
  EXPECT(dladdr(reinterpret_cast<void*>(&test_extra_base_exported), &info) != 0);
  EXPECT(info.dli_sname != nullptr);
  EXPECT_EQ(std::string(info.dli_sname), "_Z24test_extra_base_exportedi");
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_exported, exported);
