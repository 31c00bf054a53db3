// SPDX-License-Identifier: Apache-2.0
// The modules embedded in a library, as bytes at its symbol `__tvm_ffi__library_bin`.
#ifndef TVM_FFI_SRC_LIBRARY_BINARY_H_
#define TVM_FFI_SRC_LIBRARY_BINARY_H_

#include <tvm/ffi/extra/module.h>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

// Loads the modules embedded in a library and builds the import tree that they form with it.
// Returns the root of the tree, which is `library` itself if there are none.
//
// All numbers are unsigned, 64-bit and little-endian. The first is the size in bytes of the rest:
// a list, preceded by its length, of where each module's children begin in the next list and where
// the last one's end; a list, in the same format, of the children of all modules; and for each
// module its kind, preceded by its size. The kind "_lib" is the library; any other kind is followed
// by bytes, preceded by their size, that `ffi.Module.load_from_bytes.<kind>` takes. The first
// module is the root.
Module WithItsModules(const Module& library, const char* binary);

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_SRC_LIBRARY_BINARY_H_
