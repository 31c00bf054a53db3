// SPDX-License-Identifier: Apache-2.0
// Lets code that is not linked against any library find the C ABI functions.
#include "base/global_symbols.h"

#include <dlfcn.h>
#include <tvm/ffi/c_api.h>

namespace tvm_ffi_core {

void make_symbols_global() {
  // Python loads an extension, and libtvm_ffi with it, with local symbol visibility.
  Dl_info library;
  if (dladdr(reinterpret_cast<void*>(&TVMFFIGetVersion), &library) == 0) return;
  // The handle is leaked: the process needs the library until it exits.
  dlopen(library.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
}

}  // namespace tvm_ffi_core
