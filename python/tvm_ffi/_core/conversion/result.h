// SPDX-License-Identifier: Apache-2.0
// Converts libtvm_ffi values to Python objects.
#ifndef TVM_FFI_PYTHON_CORE_RESULT_H_
#define TVM_FFI_PYTHON_CORE_RESULT_H_

#include "lending/framework.h"

namespace tvm_ffi_core {

// Takes ownership of the value. A tensor becomes one of `framework`, or a tvm_ffi.Tensor if that is
// NULL; so do tensors in a container when they are read.
PyObject* value_to_python(TVMFFIAny* owned, const Framework* framework);

// Borrows the value. Tensors become tvm_ffi.Tensor.
PyObject* view_to_python(const TVMFFIAny* view);

// Reads an element, leaving it in its container; a new reference, or NULL with a Python error set.
PyObject* element_to_python(const TVMFFIAny& element, const Framework* framework);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_RESULT_H_
