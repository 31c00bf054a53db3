// SPDX-License-Identifier: Apache-2.0
// Lets code that is linked to no library find the functions of the C ABI.
#include "base/global_symbols.h"

#include <dlfcn.h>
#include <tvm/ffi/c_api.h>

namespace tvm_ffi_core {

void make_symbols_global() {
  // Python loads an extension, and with it libtvm_ffi, for the extension alone.
  Dl_info library;
  if (dladdr(reinterpret_cast<void*>(&TVMFFIGetVersion), &library) == 0) return;
  // The handle keeps the library, which the process needs until its end.
  dlopen(library.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
}

}  // namespace tvm_ffi_core
