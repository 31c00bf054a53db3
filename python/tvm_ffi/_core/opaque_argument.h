// SPDX-License-Identifier: Apache-2.0
// Names the Python type of an argument that C++ knows as an opaque object only.
#ifndef TVM_FFI_PYTHON_CORE_OPAQUE_ARGUMENT_H_
#define TVM_FFI_PYTHON_CORE_OPAQUE_ARGUMENT_H_

#include "frame.h"

namespace tvm_ffi_core {

// When the function of the call refused such an argument: the same error, with the type's name in
// the message; else an empty one. Needs the GIL, before the call's frame is finished.
ObjectRef name_opaque_argument(CallFrame* frame, TVMFFIObject* error);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_OPAQUE_ARGUMENT_H_
