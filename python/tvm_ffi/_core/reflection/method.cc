// SPDX-License-Identifier: Apache-2.0
// The descriptors of registered methods and constructors.
#include "reflection/method.h"

#include <structmember.h>

#include <vector>

#include "calls/function.h"
#include "objects/object.h"

namespace tvm_ffi_core {

namespace {

PyTypeObject* method_type = nullptr;

struct MethodInstance {
  PyObject_HEAD vectorcallfunc vectorcall;
  PyObject* function;  // owned; so are the next three
  PyObject* name;
  PyObject* full_name;  // includes the type key
  PyObject* doc;
  PyObject* keyword_mark;  // owned; NULL unless a constructor that takes keyword arguments
};

MethodInstance* method_of(PyObject* self) { return reinterpret_cast<MethodInstance*>(self); }

PyObject* call(PyObject* self, PyObject* const* args, size_t nargsf, PyObject* keywords) {
  return PyObject_Vectorcall(method_of(self)->function, args, nargsf, keywords);
}

// __init__(self, *arguments, **keywords): the function creates the object, `self` holds it.
PyObject* construct(PyObject* callable, PyObject* const* args, size_t nargsf, PyObject* keywords) {
  const MethodInstance* method = method_of(callable);
  Py_ssize_t num_args = PyVectorcall_NARGS(nargsf);
  if (num_args == 0 || !PyObject_TypeCheck(args[0], object_type)) {
    PyErr_Format(PyExc_TypeError, "%U: expected an instance to fill, got %s", method->full_name,
                 num_args == 0 ? "nothing" : Py_TYPE(args[0])->tp_name);
    return nullptr;
  }
  Py_ssize_t num_keywords = keywords == nullptr ? 0 : PyTuple_GET_SIZE(keywords);
  nb::object made;
  if (num_keywords == 0) {
    made = nb::steal(call_constructor(method->function, args + 1, num_args - 1));
  } else if (method->keyword_mark == nullptr) {
    PyErr_Format(PyExc_TypeError,
                 "%U: expected arguments by position only, as the constructor has no names for "
                 "them, got the keyword %R",
                 method->full_name, PyTuple_GET_ITEM(keywords, 0));
    return nullptr;
  } else {
    std::vector<PyObject*> all(args + 1, args + num_args);
    all.push_back(method->keyword_mark);
    for (Py_ssize_t i = 0; i < num_keywords; ++i) {
      all.push_back(PyTuple_GET_ITEM(keywords, i));
      all.push_back(args[num_args + i]);
    }
    made = nb::steal(
        call_constructor(method->function, all.data(), static_cast<Py_ssize_t>(all.size())));
  }
  if (!made.is_valid() || init_handle(method->full_name, args[0], made.ptr()) != 0) return nullptr;
  Py_RETURN_NONE;
}

PyObject* bind(PyObject* self, PyObject* instance, PyObject*) {
  if (instance == nullptr || instance == Py_None) {
    Py_INCREF(self);
    return self;
  }
  return PyMethod_New(self, instance);
}

void dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  MethodInstance* method = method_of(self);
  Py_XDECREF(method->function);
  Py_XDECREF(method->name);
  Py_XDECREF(method->full_name);
  Py_XDECREF(method->doc);
  Py_XDECREF(method->keyword_mark);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* repr(PyObject* self) {
  return PyUnicode_FromFormat("<method %U>", method_of(self)->full_name);
}

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(MethodInstance, vectorcall), READONLY, nullptr},
    {"__name__", T_OBJECT_EX, offsetof(MethodInstance, name), READONLY, nullptr},
    {"__qualname__", T_OBJECT_EX, offsetof(MethodInstance, full_name), READONLY, nullptr},
    {"__doc__", T_OBJECT, offsetof(MethodInstance, doc), READONLY, nullptr},
    {"__func__", T_OBJECT_EX, offsetof(MethodInstance, function), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};

PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
                       {Py_tp_repr, reinterpret_cast<void*>(repr)},
                       {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
                       {Py_tp_descr_get, reinterpret_cast<void*>(bind)},
                       {Py_tp_members, members},
                       {0, nullptr}};

PyType_Spec spec = {"tvm_ffi.Method", sizeof(MethodInstance), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION |
                        Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR,
                    slots};

}  // namespace

nb::object make_method(nb::str type_key, nb::str name, nb::str doc, nb::object function) {
  nb::object made = nb::steal(method_type->tp_alloc(method_type, 0));
  if (!made.is_valid()) throw nb::python_error();
  MethodInstance* method = method_of(made.ptr());
  method->vectorcall = call;
  method->full_name = PyUnicode_FromFormat("%U.%U", type_key.ptr(), name.ptr());
  if (method->full_name == nullptr) throw nb::python_error();
  // Messages name the method.
  if (PyObject_TypeCheck(function.ptr(), function_type)) {
    function.attr("__name__") = nb::handle(method->full_name);
  }
  method->function = function.release().ptr();
  method->name = name.release().ptr();
  if (PyUnicode_GET_LENGTH(doc.ptr()) != 0) method->doc = doc.release().ptr();
  return made;
}

void bind_method(nb::module_& module) {
  PyObject* type = PyType_FromSpec(&spec);
  if (type == nullptr) throw nb::python_error();
  method_type = reinterpret_cast<PyTypeObject*>(type);
  module.attr("Method") = nb::handle(type);
  module.def(
      "make_constructor",
      [](nb::str type_key, nb::str doc, nb::object function, nb::object keyword_mark) {
        nb::object made = make_method(type_key, nb::str("__init__"), doc, std::move(function));
        MethodInstance* method = method_of(made.ptr());
        method->vectorcall = construct;
        if (!keyword_mark.is_none()) method->keyword_mark = keyword_mark.release().ptr();
        return made;
      },
      nb::arg("type_key"), nb::arg("doc"), nb::arg("function"), nb::arg("keyword_mark").none());
}

}  // namespace tvm_ffi_core
