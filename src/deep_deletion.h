// SPDX-License-Identifier: Apache-2.0
// Deletes long chains of objects iteratively where the stack runs out.
#ifndef TVM_FFI_SRC_DEEP_DELETION_H_
#define TVM_FFI_SRC_DEEP_DELETION_H_

#include <tvm/ffi/object.h>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

// Whether objects of this thread may be queued for deletion. If so, `then(value)` runs after the
// last one is deleted: they may need what it releases. If not, the caller runs it.
bool RunsAfterDeletion(void (*then)(uintptr_t), uintptr_t value);

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_SRC_DEEP_DELETION_H_
