// SPDX-License-Identifier: Apache-2.0
// Comparison by structure and the keys that it makes, for other files of the runtime.
#ifndef SRC_STRUCTURAL_H_
#define SRC_STRUCTURAL_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/object.h>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

bool EqualByStructure(const Any& a, const Any& b, bool map_free_vars, bool skip_tensor_content);
int64_t HashByStructure(const Any& value, bool map_free_vars, bool skip_tensor_content);
// A key of a mapping that compares and hashes its value by structure.
ObjectRef MakeStructuralKey(const Any& key);
// Computes the hash again if the object is such a key, after its value was replaced.
void UpdateStructuralKey(Object* object);

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // SRC_STRUCTURAL_H_
