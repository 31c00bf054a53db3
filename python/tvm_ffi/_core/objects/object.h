// SPDX-License-Identifier: Apache-2.0
// The Python type tvm_ffi.Object, the base of all types that hold an object of libtvm_ffi.
#ifndef TVM_FFI_PYTHON_CORE_OBJECT_H_
#define TVM_FFI_PYTHON_CORE_OBJECT_H_

#include "objects/object_class.h"

namespace tvm_ffi_core {

struct ObjectInstance {
  PyObject_HEAD TVMFFIObject* handle;  // owned; NULL only while an instance is being made
  PyObject* weak_references;
};

inline TVMFFIObject* handle_of(PyObject* instance) {
  return reinterpret_cast<ObjectInstance*>(instance)->handle;
}

// Makes an instance of `type`, which must be object_type or a subtype; takes the reference, which
// may be NULL for a type whose code expects that.
PyObject* make_instance(PyTypeObject* type, TVMFFIObject* owned);

// Makes an instance of the Python type that is registered for the object's type, or for the
// nearest of its ancestors; takes the reference.
PyObject* wrap_object(TVMFFIObject* owned);

// Makes a heap type and stores it in the module under its name without the package.
PyTypeObject* make_type(nb::module_& module, PyType_Spec* spec, PyTypeObject* base);

// Gives `self`, an instance without an object, the object of `made`; 0, or -1 with a Python error
// that starts with `what`.
int init_handle(PyObject* what, PyObject* self, PyObject* made);

// What a type of make_type does to each new instance of it or of a subtype, and to one that has got
// the object of another one.
struct InstanceHooks {
  PyTypeObject* type = nullptr;
  void (*prepare)(PyObject* self) = nullptr;
  void (*share)(PyObject* self, PyObject* other) = nullptr;
};

// For the one type that needs them.
void set_instance_hooks(const InstanceHooks& hooks);

// Calls the __init__ of the class that follows tvm_ffi.Object among the bases of `self`, if one has
// it: a class may derive from an object type and from a class of Python. 0, or -1 with a Python
// error.
int init_next_base(PyObject* self, PyObject* args, PyObject* keywords, bool* is_done);

// Gives the types of make_type their metaclass; once all of them are made.
void set_metaclass(nb::module_& module);

// What instances must do before they go.
void release_instance(ObjectInstance* self);

void bind_object(nb::module_& module);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_OBJECT_H_
