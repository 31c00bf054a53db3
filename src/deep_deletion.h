// SPDX-License-Identifier: Apache-2.0
// Deletes long chains of objects one after the other where the stack runs out.
#ifndef TVM_FFI_SRC_DEEP_DELETION_H_
#define TVM_FFI_SRC_DEEP_DELETION_H_

#include <tvm/ffi/object.h>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

// Whether objects of this thread may wait for their deletion. If so, `then(value)` runs after the
// last of them is gone: they may need what it takes away. The caller runs it itself if not.
bool RunsAfterDeletion(void (*then)(uintptr_t), uintptr_t value);

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_SRC_DEEP_DELETION_H_
