// SPDX-License-Identifier: Apache-2.0
// Detects faults of a library file that the loader would misreport or crash on.
#ifndef TVM_FFI_SRC_ELF_FILE_H_
#define TVM_FFI_SRC_ELF_FILE_H_

#include <tvm/ffi/object.h>

#include <string>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

// Why the library at `path` cannot be loaded: it is for another architecture, which the loader
// reports as a missing file, or its segments are not within the file, which crashes the process.
// Empty in all other cases, including a file that is not a library.
std::string WhyNotLoadable(const std::string& path);

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_SRC_ELF_FILE_H_
