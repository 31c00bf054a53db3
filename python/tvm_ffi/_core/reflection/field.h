// SPDX-License-Identifier: Apache-2.0
// The descriptor of a registered field.
#ifndef TVM_FFI_PYTHON_CORE_FIELD_H_
#define TVM_FFI_PYTHON_CORE_FIELD_H_

#include "base/common.h"

namespace tvm_ffi_core {

// Throws.
nb::object make_field(const TVMFFITypeInfo* owner, const TVMFFIFieldInfo& field);

void bind_field(nb::module_& module);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_FIELD_H_
