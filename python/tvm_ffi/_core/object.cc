// SPDX-License-Identifier: Apache-2.0
// The Python type tvm_ffi.Object, and which Python type stands for which object type.
#include "object.h"

#include <structmember.h>

#include <cstring>
#include <vector>

#include "error.h"

namespace tvm_ffi_core {

PyTypeObject* object_type = nullptr;

namespace {

// Python type of each type index; NULL where none is registered or looked up yet.
std::vector<PyTypeObject*>& classes() {
  static std::vector<PyTypeObject*> table;
  return table;
}

PyTypeObject* class_of(int32_t type_index) {
  auto& table = classes();
  size_t index = static_cast<size_t>(type_index);
  if (index < table.size() && table[index] != nullptr) return table[index];
  PyTypeObject* found = object_type;
  const TVMFFITypeInfo* info = TVMFFIGetTypeInfo(type_index);
  if (info != nullptr) {
    for (int32_t depth = info->type_depth; depth-- > 0;) {
      size_t ancestor = static_cast<size_t>(info->type_ancestors[depth]->type_index);
      if (ancestor < table.size() && table[ancestor] != nullptr) {
        found = table[ancestor];
        break;
      }
    }
  } else {
    ObjectRef unknown_type_error;
    TVMFFIErrorMoveFromRaised(unknown_type_error.out());
  }
  return found;
}

PyObject* refuse_new(PyTypeObject* type, PyObject*, PyObject*) {
  PyErr_Format(PyExc_TypeError,
               "%s cannot be made by calling its type: objects come from functions, from_dlpack "
               "or load_module",
               type->tp_name);
  return nullptr;
}

void dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  release_instance(reinterpret_cast<ObjectInstance*>(self));
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* repr(PyObject* self) {
  const TVMFFITypeInfo* info = TVMFFIGetTypeInfo(handle_of(self)->type_index);
  if (info == nullptr)
    return PyUnicode_FromFormat("<%s at %p>", Py_TYPE(self)->tp_name, handle_of(self));
  return PyUnicode_FromFormat("<%s object at %p>", info->type_key.data, handle_of(self));
}

Py_hash_t hash(PyObject* self) { return _Py_HashPointer(handle_of(self)); }

PyObject* compare(PyObject* self, PyObject* other, int operation) {
  if ((operation != Py_EQ && operation != Py_NE) || !PyObject_TypeCheck(other, object_type)) {
    Py_RETURN_NOTIMPLEMENTED;
  }
  bool same = handle_of(self) == handle_of(other);
  return PyBool_FromLong(same == (operation == Py_EQ));
}

PyObject* same_as(PyObject* self, PyObject* other) {
  return PyBool_FromLong(PyObject_TypeCheck(other, object_type) &&
                         handle_of(self) == handle_of(other));
}

PyMemberDef members[] = {{"__weaklistoffset__", T_PYSSIZET,
                          offsetof(ObjectInstance, weak_references), READONLY, nullptr},
                         {nullptr, 0, 0, 0, nullptr}};

PyMethodDef methods[] = {
    {"same_as", same_as, METH_O,
     "same_as($self, other, /)\n--\n\nTell whether both hold the same object."},
    {nullptr, nullptr, 0, nullptr}};

PyType_Slot slots[] = {
    {Py_tp_doc, const_cast<char*>("An object of libtvm_ffi, counted by reference.\n\n"
                                  "Equality, and the hash, are those of identity.")},
    {Py_tp_new, reinterpret_cast<void*>(refuse_new)},
    {Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
    {Py_tp_repr, reinterpret_cast<void*>(repr)},
    {Py_tp_hash, reinterpret_cast<void*>(hash)},
    {Py_tp_richcompare, reinterpret_cast<void*>(compare)},
    {Py_tp_members, members},
    {Py_tp_methods, methods},
    {0, nullptr}};

PyType_Spec spec = {"tvm_ffi.Object", sizeof(ObjectInstance), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};

}  // namespace

void release_instance(ObjectInstance* self) {
  if (self->weak_references != nullptr) PyObject_ClearWeakRefs(reinterpret_cast<PyObject*>(self));
  if (self->handle != nullptr) TVMFFIObjectDecRef(self->handle);
}

PyObject* make_instance(PyTypeObject* type, TVMFFIObject* owned) {
  PyObject* self = type->tp_alloc(type, 0);
  if (self == nullptr) {
    TVMFFIObjectDecRef(owned);
    return nullptr;
  }
  reinterpret_cast<ObjectInstance*>(self)->handle = owned;
  return self;
}

PyObject* wrap_object(TVMFFIObject* owned) {
  return make_instance(class_of(owned->type_index), owned);
}

void register_object_class(int32_t type_index, PyTypeObject* type) {
  auto& table = classes();
  size_t index = static_cast<size_t>(type_index);
  if (index >= table.size()) table.resize(index + 1, nullptr);
  Py_INCREF(type);
  // The type that was registered before may have instances, and costs little: it is never dropped.
  table[index] = type;
}

PyTypeObject* make_type(nb::module_& module, PyType_Spec* spec, PyTypeObject* base) {
  nb::object bases;
  if (base != nullptr) bases = nb::make_tuple(nb::handle(reinterpret_cast<PyObject*>(base)));
  PyObject* type = PyType_FromSpecWithBases(spec, bases.ptr());
  if (type == nullptr) throw nb::python_error();
  module.attr(std::strrchr(spec->name, '.') + 1) = nb::handle(type);
  return reinterpret_cast<PyTypeObject*>(type);
}

void bind_object(nb::module_& module) {
  object_type = make_type(module, &spec, nullptr);
  register_object_class(kTVMFFIObject, object_type);
  module.def(
      "register_object_class",
      [](nb::str type_key, nb::type_object type) {
        TVMFFIByteArray key = byte_array(type_key.c_str());
        int32_t type_index = 0;
        if (TVMFFITypeKeyToIndex(&key, &type_index) != 0) {
          set_python_error(-1);
          throw nb::python_error();
        }
        PyTypeObject* python_type = reinterpret_cast<PyTypeObject*>(type.ptr());
        if (!PyType_IsSubtype(python_type, object_type)) {
          PyErr_Format(PyExc_TypeError,
                       "register_object_class: type: expected a class derived from tvm_ffi.Object, "
                       "got %s",
                       python_type->tp_name);
          throw nb::python_error();
        }
        register_object_class(type_index, python_type);
      },
      nb::arg("type_key"), nb::arg("type"));
}

}  // namespace tvm_ffi_core
