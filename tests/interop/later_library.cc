// SPDX-License-Identifier: Apache-2.0
// A library that calls a function that no runtime of today has.
#include <tvm/ffi/function.h>

extern "C" int TVMFFIOfALaterVersion();

TVM_FFI_DLL_EXPORT_TYPED_FUNC(later, [] { return TVMFFIOfALaterVersion(); });

TVM_FFI_DLL_EXPORT_TYPED_FUNC(one, [] { return 1; });
