// SPDX-License-Identifier: Apache-2.0
// Rows: R7
// The functions that test_json_against_python.py calls.
#include <tvm/ffi/extra/json.h>
#include <tvm/ffi/tvm_ffi.h>

namespace ffi = tvm::ffi;

static ffi::String again(ffi::String text, ffi::Optional<int> indent) {
  return ffi::json::Stringify(ffi::json::Parse(text), indent);
}
static ffi::Any parse(ffi::String text) { return ffi::json::Parse(text); }
TVM_FFI_DLL_EXPORT_TYPED_FUNC(again, again);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(parse, parse);
