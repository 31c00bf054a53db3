// SPDX-License-Identifier: Apache-2.0
// The method of tvm_ffi.Object with which an `__init__` creates the object.
#include "reflection/constructor.h"

#include "calls/function.h"
#include "objects/object.h"

namespace tvm_ffi_core {

namespace {

// __init_handle_by_constructor__(constructor, *arguments)
PyObject* init_handle_by_constructor(PyObject* self, PyObject* const* args, Py_ssize_t num_args) {
  static PyObject* what = PyUnicode_InternFromString("__init_handle_by_constructor__");
  if (num_args == 0) {
    PyErr_Format(PyExc_TypeError, "%U: expected a constructor, got no argument", what);
    return nullptr;
  }
  nb::object made = nb::steal(call_constructor(args[0], args + 1, num_args - 1));
  if (!made.is_valid() || init_handle(what, self, made.ptr()) != 0) return nullptr;
  Py_RETURN_NONE;
}

PyMethodDef definition = {
    "__init_handle_by_constructor__",
    reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(init_handle_by_constructor)),
    METH_FASTCALL,
    "__init_handle_by_constructor__($self, constructor, /, *arguments)\n--\n\n"
    "Make ``self`` hold the object that the constructor returns; call this in ``__init__``."};

}  // namespace

void bind_constructor() {
  nb::object method = nb::steal(PyDescr_NewMethod(object_type, &definition));
  if (!method.is_valid()) throw nb::python_error();
  nb::handle(reinterpret_cast<PyObject*>(object_type)).attr(definition.ml_name) = method;
}

}  // namespace tvm_ffi_core
