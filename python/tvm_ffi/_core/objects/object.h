// SPDX-License-Identifier: Apache-2.0
// The Python type tvm_ffi.Object, the base of all types that hold a libtvm_ffi object.
#ifndef TVM_FFI_PYTHON_CORE_OBJECT_H_
#define TVM_FFI_PYTHON_CORE_OBJECT_H_

#include "objects/object_class.h"

namespace tvm_ffi_core {

struct ObjectInstance {
  PyObject_HEAD TVMFFIObject* handle;  // owned; NULL only while an instance is being created
  PyObject* weak_references;
};

inline TVMFFIObject* handle_of(PyObject* instance) {
  return reinterpret_cast<ObjectInstance*>(instance)->handle;
}

// Creates an instance of `type`, which must be object_type or a subtype; takes the reference, which
// may be NULL for a type whose code expects that.
PyObject* make_instance(PyTypeObject* type, TVMFFIObject* owned);

// Creates an instance of the Python type registered for the object's type, or for its nearest
// registered ancestor; takes the reference.
PyObject* wrap_object(TVMFFIObject* owned);

// Creates a heap type and stores it in the module under its unqualified name.
PyTypeObject* make_type(nb::module_& module, PyType_Spec* spec, PyTypeObject* base);

// Makes `self`, an instance without an object, hold the object of `made`; 0, or -1 with a Python
// error that starts with `what`.
int init_handle(PyObject* what, PyObject* self, PyObject* made);

// Hooks of a type created by make_type: for each new instance of it or of a subtype, and for an
// instance that received the object of another.
struct InstanceHooks {
  PyTypeObject* type = nullptr;
  void (*prepare)(PyObject* self) = nullptr;
  void (*share)(PyObject* self, PyObject* other) = nullptr;
};

// For the one type that needs them.
void set_instance_hooks(const InstanceHooks& hooks);

// Calls the __init__ of the next class after tvm_ffi.Object among the bases of `self` that has one,
// if any: a class may derive from an object type and from a Python class. 0, or -1 with a Python
// error set.
int init_next_base(PyObject* self, PyObject* args, PyObject* keywords, bool* is_done);

// Sets the metaclass of the types created by make_type; call after creating all of them.
void set_metaclass(nb::module_& module);

// Must be called before an instance is freed.
void release_instance(ObjectInstance* self);

void bind_object(nb::module_& module);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_OBJECT_H_
