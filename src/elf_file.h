// SPDX-License-Identifier: Apache-2.0
// What is wrong with a file that the loader would not say, or not survive.
#ifndef TVM_FFI_SRC_ELF_FILE_H_
#define TVM_FFI_SRC_ELF_FILE_H_

#include <tvm/ffi/object.h>

#include <string>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

// Why the library at `path` cannot be loaded here: it is for another architecture, for which the
// loader says that there is no such file, or its segments do not lie in the file, on which the
// loader ends the process. Empty if neither is so, or the file is no library at all.
std::string WhyNotLoadable(const std::string& path);

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_SRC_ELF_FILE_H_
