// SPDX-License-Identifier: Apache-2.0
// The Python type tvm_ffi.Object, the base of all types that hold a libtvm_ffi object.
#include "objects/object.h"

#include <structmember.h>

#include <cstring>
#include <optional>
#include <vector>

namespace tvm_ffi_core {

namespace {

// tvm_ffi._core.ObjectMeta, the metaclass of all object types.
PyObject* object_meta = nullptr;

// The types created in C++, tvm_ffi.Object first.
std::vector<PyTypeObject*>& made_types() {
  static std::vector<PyTypeObject*> types;
  return types;
}

InstanceHooks hooks;

int refuse_init(PyObject* self, PyObject* args, PyObject* keywords) {
  // Types with their own constructor have already created the object.
  if (handle_of(self) != nullptr) return 0;
  bool is_done = false;
  int code = init_next_base(self, args, keywords, &is_done);
  if (is_done) return code;
  PyErr_Format(PyExc_TypeError,
               "%s cannot be made by calling its type: it has no registered constructor, so its "
               "objects come from functions",
               Py_TYPE(self)->tp_name);
  return -1;
}

// An instance without an object yet, for a subclass whose __init__ will create it.
PyObject* new_empty(PyTypeObject* type, PyObject*, PyObject*) {
  bool is_python_class = type->tp_init != refuse_init;
  for (size_t i = 1; i < made_types().size(); ++i) {
    // The code of such a type accesses the object without checking that it exists.
    if (PyType_IsSubtype(type, made_types()[i])) is_python_class = false;
  }
  if (!is_python_class) {
    PyErr_Format(PyExc_TypeError,
                 "%s cannot be made by calling its type: objects come from functions, from_dlpack "
                 "or load_module",
                 type->tp_name);
    return nullptr;
  }
  return type->tp_alloc(type, 0);
}

void dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  release_instance(reinterpret_cast<ObjectInstance*>(self));
  type->tp_free(self);
  Py_DECREF(type);
}

// The object, or the instance itself if it holds none.
const void* identity_of(PyObject* instance) {
  const TVMFFIObject* handle = handle_of(instance);
  if (handle != nullptr) return handle;
  return instance;
}

// Changes when an instance receives its object, as equality does.
Py_hash_t hash(PyObject* self) { return _Py_HashPointer(const_cast<void*>(identity_of(self))); }

PyObject* compare(PyObject* self, PyObject* other, int operation) {
  if ((operation != Py_EQ && operation != Py_NE) || !PyObject_TypeCheck(other, object_type)) {
    Py_RETURN_NOTIMPLEMENTED;
  }
  bool same = identity_of(self) == identity_of(other);
  return PyBool_FromLong(same == (operation == Py_EQ));
}

PyObject* same_as(PyObject* self, PyObject* other) {
  return PyBool_FromLong(PyObject_TypeCheck(other, object_type) &&
                         identity_of(self) == identity_of(other));
}

PyObject* chandle(PyObject* self, PyObject*) { return PyLong_FromVoidPtr(handle_of(self)); }

PyObject* id(PyObject* self, void*) { return PyLong_FromVoidPtr(handle_of(self)); }

// Both hold the object from now on, because a call of the other may be in progress.
PyObject* move_handle_from(PyObject* self, PyObject* other) {
  static PyObject* what = PyUnicode_InternFromString("__move_handle_from__");
  if (init_handle(what, self, other) != 0) return nullptr;
  Py_RETURN_NONE;
}

PyMemberDef members[] = {{"__weaklistoffset__", T_PYSSIZET,
                          offsetof(ObjectInstance, weak_references), READONLY, nullptr},
                         {nullptr, 0, 0, 0, nullptr}};

PyMethodDef methods[] = {
    {"same_as", same_as, METH_O,
     "same_as($self, other, /)\n--\n\n"
     "Return whether both hold the same object; an instance without one is the same only as "
     "itself."},
    {"is_", same_as, METH_O, "is_($self, other, /)\n--\n\nAlias of :meth:`same_as`."},
    {"__chandle__", chandle, METH_NOARGS,
     "__chandle__($self, /)\n--\n\nReturn the address of the object; 0 if there is none yet."},
    {"__move_handle_from__", move_handle_from, METH_O,
     "__move_handle_from__($self, other, /)\n--\n\n"
     "Make ``self``, which has no object yet, share that of ``other``."},
    {nullptr, nullptr, 0, nullptr}};

PyGetSetDef properties[] = {
    {"id_", id, nullptr, "Address of the object; 0 if there is none yet.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

// The metaclass's __prepare__: the initial namespace of a class body. Without the empty __slots__,
// each instance would have a dictionary, in which a misspelt field would be stored.
PyObject* prepare(PyObject*, PyObject*, PyObject*) { return Py_BuildValue("{s:()}", "__slots__"); }

PyMethodDef prepare_definition = {
    "__prepare__", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(prepare)),
    METH_VARARGS | METH_KEYWORDS, nullptr};

// The type created by make_type that implements the instances of a class; NULL if `cls` does not
// derive from tvm_ffi.Object.
PyTypeObject* native_type_of(PyObject* cls) {
  if (!PyType_Check(cls)) return nullptr;
  PyObject* bases = reinterpret_cast<PyTypeObject*>(cls)->tp_mro;
  for (Py_ssize_t i = 0; bases != nullptr && i < PyTuple_GET_SIZE(bases); ++i) {
    auto* base = reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(bases, i));
    for (PyTypeObject* made : made_types()) {
      if (base == made) return made;
    }
  }
  return nullptr;
}

// Whether one class may derive from all of `bases`; false with a Python error set. Python itself
// detects conflicting bases by their layout, but its message does not name them.
bool bases_fit(PyObject* name, PyObject* bases) {
  PyObject* chosen = nullptr;
  PyTypeObject* native = nullptr;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(bases); ++i) {
    PyObject* base = PyTuple_GET_ITEM(bases, i);
    PyTypeObject* other = native_type_of(base);
    if (other == nullptr) continue;
    if (native == nullptr || PyType_IsSubtype(other, native)) {
      chosen = base;
      native = other;
    } else if (!PyType_IsSubtype(native, other)) {
      PyErr_Format(PyExc_TypeError,
                   "%S: bases: expected classes of one kind of object, got %s and %s", name,
                   reinterpret_cast<PyTypeObject*>(chosen)->tp_name,
                   reinterpret_cast<PyTypeObject*>(base)->tp_name);
      return false;
    }
  }
  return true;
}

// The metaclass's __new__: checks the bases of a class before Python creates it.
PyObject* new_class(PyObject*, PyObject* args, PyObject* keywords) {
  Py_ssize_t num_args = PyTuple_GET_SIZE(args);
  if (num_args == 0) {
    PyErr_SetString(PyExc_TypeError, "ObjectMeta.__new__: expected a metaclass, got no arguments");
    return nullptr;
  }
  bool has_bases = num_args > 2 && PyTuple_Check(PyTuple_GET_ITEM(args, 2));
  if (has_bases && !bases_fit(PyTuple_GET_ITEM(args, 1), PyTuple_GET_ITEM(args, 2))) return nullptr;
  nb::object next = nb::steal(PyObject_CallFunctionObjArgs(
      reinterpret_cast<PyObject*>(&PySuper_Type), object_meta, PyTuple_GET_ITEM(args, 0), nullptr));
  if (!next.is_valid()) return nullptr;
  nb::object make = nb::steal(PyObject_GetAttrString(next.ptr(), "__new__"));
  return make.is_valid() ? PyObject_Call(make.ptr(), args, keywords) : nullptr;
}

PyMethodDef new_class_definition = {
    "__new__", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(new_class)),
    METH_VARARGS | METH_KEYWORDS, nullptr};

PyType_Slot slots[] = {
    {Py_tp_doc, const_cast<char*>("A reference-counted object of libtvm_ffi.\n\n"
                                  "Two instances are equal, and have the same hash, if they hold\n"
                                  "the same object. A weak reference refers to the instance, not\n"
                                  "to the object, which may outlive it.")},
    {Py_tp_new, reinterpret_cast<void*>(new_empty)},
    {Py_tp_init, reinterpret_cast<void*>(refuse_init)},
    {Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
    {Py_tp_hash, reinterpret_cast<void*>(hash)},
    {Py_tp_richcompare, reinterpret_cast<void*>(compare)},
    {Py_tp_members, members},
    {Py_tp_methods, methods},
    {Py_tp_getset, properties},
    {0, nullptr}};

PyType_Spec spec = {"tvm_ffi.Object", sizeof(ObjectInstance), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};

}  // namespace

void release_instance(ObjectInstance* self) {
  if (self->weak_references != nullptr) PyObject_ClearWeakRefs(reinterpret_cast<PyObject*>(self));
  if (self->handle == nullptr) return;
  // The object may hold a tensor whose producer's deleter is written in Python.
  std::optional<nb::error_scope> raised;
  if (PyErr_Occurred() != nullptr) raised.emplace();
  TVMFFIObjectDecRef(self->handle);
}

PyObject* make_instance(PyTypeObject* type, TVMFFIObject* owned) {
  PyObject* self = type->tp_alloc(type, 0);
  if (self == nullptr) {
    if (owned != nullptr) TVMFFIObjectDecRef(owned);
    return nullptr;
  }
  reinterpret_cast<ObjectInstance*>(self)->handle = owned;
  if (hooks.type != nullptr && PyType_IsSubtype(type, hooks.type)) hooks.prepare(self);
  return self;
}

void set_instance_hooks(const InstanceHooks& given) { hooks = given; }

int init_next_base(PyObject* self, PyObject* args, PyObject* keywords, bool* is_done) {
  PyObject* bases = Py_TYPE(self)->tp_mro;
  bool is_after = false;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(bases); ++i) {
    auto* base = reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(bases, i));
    if (is_after && base->tp_init != PyBaseObject_Type.tp_init) *is_done = true;
    is_after = is_after || base == object_type;
  }
  if (!*is_done) return 0;
  nb::object next = nb::steal(PyObject_CallFunctionObjArgs(
      reinterpret_cast<PyObject*>(&PySuper_Type), object_type, self, nullptr));
  if (!next.is_valid()) return -1;
  nb::object initialize = nb::steal(PyObject_GetAttrString(next.ptr(), "__init__"));
  if (!initialize.is_valid()) return -1;
  nb::object done = nb::steal(PyObject_Call(initialize.ptr(), args, keywords));
  return done.is_valid() ? 0 : -1;
}

PyObject* wrap_object(TVMFFIObject* owned) {
  PyTypeObject* type = class_of(owned->type_index);
  if (type == nullptr) {
    TVMFFIObjectDecRef(owned);
    return nullptr;
  }
  return make_instance(type, owned);
}

namespace {

// Whether instances of `type` may hold objects of the class `got`; false with a Python error set.
// The code of a type created by make_type knows the layout of its objects and how to pass them.
bool fits(PyObject* what, PyTypeObject* type, PyTypeObject* got) {
  for (size_t i = 1; i < made_types().size(); ++i) {
    PyTypeObject* expected = made_types()[i];
    if (!PyType_IsSubtype(type, expected) || PyType_IsSubtype(got, expected)) continue;
    PyErr_Format(PyExc_TypeError, "%U: expected a %s, got a %s", what, expected->tp_name,
                 got->tp_name);
    return false;
  }
  for (size_t i = 1; i < made_types().size(); ++i) {
    PyTypeObject* needed = made_types()[i];
    if (!PyType_IsSubtype(got, needed) || PyType_IsSubtype(type, needed)) continue;
    PyErr_Format(PyExc_TypeError, "%U: expected an instance of a subclass of %s, got a %s", what,
                 needed->tp_name, type->tp_name);
    return false;
  }
  return true;
}

}  // namespace

int init_handle(PyObject* what, PyObject* self, PyObject* made) {
  const bool is_instance = PyObject_TypeCheck(made, object_type);
  if (!is_instance || handle_of(made) == nullptr) {
    PyErr_Format(PyExc_TypeError, "%U: expected a tvm_ffi.Object, got %s%s", what,
                 Py_TYPE(made)->tp_name, is_instance ? " that holds no object" : "");
    return -1;
  }
  PyTypeObject* got = class_of(handle_of(made)->type_index);
  if (got == nullptr) return -1;
  if (!fits(what, Py_TYPE(self), got)) return -1;
  auto* instance = reinterpret_cast<ObjectInstance*>(self);
  if (instance->handle != nullptr) {
    // The existing object, which a second one would replace, may be in use.
    PyErr_Format(
        PyExc_TypeError,
        "%U: expected an instance that holds no object yet, got one that already holds one", what);
    return -1;
  }
  TVMFFIObjectIncRef(handle_of(made));
  instance->handle = handle_of(made);
  if (PyObject_TypeCheck(self, hooks.type) && PyObject_TypeCheck(made, hooks.type)) {
    hooks.share(self, made);
  }
  return 0;
}

PyTypeObject* make_type(nb::module_& module, PyType_Spec* spec, PyTypeObject* base) {
  nb::object bases;
  if (base != nullptr) bases = nb::make_tuple(nb::handle(reinterpret_cast<PyObject*>(base)));
  PyObject* type = PyType_FromSpecWithBases(spec, bases.ptr());
  if (type == nullptr) throw nb::python_error();
  module.attr(std::strrchr(spec->name, '.') + 1) = nb::handle(type);
  made_types().push_back(reinterpret_cast<PyTypeObject*>(type));
  return made_types().back();
}

void set_metaclass(nb::module_& module) {
  nb::handle type(reinterpret_cast<PyObject*>(&PyType_Type));
  nb::dict body;
  body["__module__"] = "tvm_ffi._core";
  body["__slots__"] = nb::tuple();
  body["__prepare__"] = nb::steal(PyCFunction_New(&prepare_definition, nullptr));
  body["__new__"] = nb::steal(PyCFunction_New(&new_class_definition, nullptr));
  // ABCMeta's versions run Python code.
  body["__instancecheck__"] = type.attr("__instancecheck__");
  body["__subclasscheck__"] = type.attr("__subclasscheck__");
  // Derived from ABCMeta so that a class can derive from Object and collections.abc.Sequence.
  nb::object bases = nb::make_tuple(nb::module_::import_("abc").attr("ABCMeta"));
  nb::object metaclass = type("ObjectMeta", bases, body);
  module.attr("ObjectMeta") = metaclass;
  // The module may drop its reference; its classes never do.
  object_meta = nb::object(metaclass).release().ptr();
  for (PyTypeObject* each : made_types()) {
    // Python has no C API to create a type with such a metaclass.
    Py_INCREF(metaclass.ptr());
    Py_SET_TYPE(reinterpret_cast<PyObject*>(each),
                reinterpret_cast<PyTypeObject*>(metaclass.ptr()));
    PyType_Modified(each);
  }
}

void bind_object(nb::module_& module) {
  object_type = make_type(module, &spec, nullptr);
  register_object_class(kTVMFFIObject, object_type);
}

}  // namespace tvm_ffi_core
