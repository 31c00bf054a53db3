// SPDX-License-Identifier: Apache-2.0
// The modules that come with a library, as bytes behind its symbol `__tvm_ffi__library_bin`.
#ifndef TVM_FFI_SRC_LIBRARY_BINARY_H_
#define TVM_FFI_SRC_LIBRARY_BINARY_H_

#include <tvm/ffi/extra/module.h>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

// Loads the modules that come with a library, and builds the tree of imports that they form with
// it. The root of the tree, which is `library` itself if nothing comes with it.
//
// Numbers are unsigned, of 64 bits, the least byte first. After the number of all bytes that follow
// come: for each module where its children begin in the next list, and where the last one's end,
// with the number of these numbers before them; the children of all modules, in the same way; and
// of each module its kind, with its size before it. "_lib" is the library; of any other kind, bytes
// follow, with their size before them, which `ffi.Module.load_from_bytes.<kind>` takes. The first
// module is the root.
Module WithItsModules(const Module& library, const char* binary);

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_SRC_LIBRARY_BINARY_H_
