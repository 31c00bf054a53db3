// SPDX-License-Identifier: Apache-2.0
// The descriptors of registered methods and constructors.
#ifndef TVM_FFI_PYTHON_CORE_METHOD_H_
#define TVM_FFI_PYTHON_CORE_METHOD_H_

#include "base/common.h"

namespace tvm_ffi_core {

// Throws.
nb::object make_method(nb::str type_key, nb::str name, nb::str doc, nb::object function);

void bind_method(nb::module_& module);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_METHOD_H_
