// SPDX-License-Identifier: Apache-2.0
// The Python classes of element types, devices and shapes, and their values in the C ABI.
#ifndef TVM_FFI_PYTHON_CORE_VALUES_H_
#define TVM_FFI_PYTHON_CORE_VALUES_H_

#include "base/common.h"

namespace tvm_ffi_core {

// Set once by tvm_ffi.dtype, tvm_ffi.device and tvm_ffi.shape.
extern PyTypeObject* dtype_class;
extern PyTypeObject* device_class;
extern PyTypeObject* shape_class;

// A new reference to the tvm_ffi.dtype; NULL with a Python error set.
PyObject* dtype_to_python(DLDataType dtype);
// 0, or -1 with a Python error set.
int dtype_from_python(PyObject* value, DLDataType* dtype);

PyObject* device_to_python(DLDevice device);
int device_from_python(PyObject* value, DLDevice* device);

// A new tvm_ffi.Shape with `size` extents.
PyObject* shape_to_python(const int64_t* data, size_t size);
// A new ffi.Shape object from a tuple of integers; NULL with a Python error set.
TVMFFIObject* shape_from_python(PyObject* tuple);

void bind_values(nb::module_& module);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_VALUES_H_
