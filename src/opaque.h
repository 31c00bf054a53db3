// SPDX-License-Identifier: Apache-2.0
// Objects created by TVMFFIObjectCreateOpaque, whatever their type index.
#ifndef TVM_FFI_SRC_OPAQUE_H_
#define TVM_FFI_SRC_OPAQUE_H_

#include <tvm/ffi/attributes.h>
#include <tvm/ffi/c_api.h>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

// Whether an object has nothing of its type but the index.
bool IsOpaque(const TVMFFIObject* object);

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_SRC_OPAQUE_H_
