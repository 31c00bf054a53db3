// SPDX-License-Identifier: Apache-2.0
// Structural comparison, and keys based on it, for other files of the runtime.
#ifndef SRC_STRUCTURAL_H_
#define SRC_STRUCTURAL_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/object.h>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

bool EqualByStructure(const Any& a, const Any& b, bool map_free_vars, bool skip_tensor_content);
int64_t HashByStructure(const Any& value, bool map_free_vars, bool skip_tensor_content);
// A mapping key that compares and hashes its value by structure.
ObjectRef MakeStructuralKey(const Any& key);
// Recomputes the hash if the object is such a key, after its value was replaced.
void UpdateStructuralKey(Object* object);

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // SRC_STRUCTURAL_H_
