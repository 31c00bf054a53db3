// SPDX-License-Identifier: Apache-2.0
// Names the Python type of an argument where C++ knows only the packed type.
#ifndef TVM_FFI_PYTHON_CORE_ARGUMENT_TYPE_H_
#define TVM_FFI_PYTHON_CORE_ARGUMENT_TYPE_H_

#include <optional>
#include <string>

#include "lending/frame.h"

namespace tvm_ffi_core {

// If the called function rejected an opaque Python object, or a list, tuple or dict that it
// received as an Array or a Map: the message of `error` with the Python type's name in it.
// `args` are the call's arguments. Needs the GIL, before the frame is finished.
std::optional<std::string> name_argument_type(CallFrame* frame, PyObject* const* args,
                                              TVMFFIObject* error);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_ARGUMENT_TYPE_H_
