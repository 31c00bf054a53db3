// SPDX-License-Identifier: Apache-2.0
// A library that uses the store in one function and nothing of it in the other.
#include <tvm/ffi/extra/storage.h>
#include <tvm/ffi/tvm_ffi.h>

namespace ffi = tvm::ffi;

TVM_FFI_DLL_EXPORT_TYPED_FUNC(remember, [](int64_t x) {
  return ffi::storage::GetOrCreate<int64_t>("interop.remembered", [x] { return x; });
});

TVM_FFI_DLL_EXPORT_TYPED_FUNC(add_one, [](int64_t x) { return x + 1; });
