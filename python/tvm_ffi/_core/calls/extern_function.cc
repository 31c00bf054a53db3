// SPDX-License-Identifier: Apache-2.0
// Functions created from code addresses, such as those of an in-process compiler.
#include "calls/extern_function.h"

#include <memory>

#include "base/error.h"
#include "objects/function_instance.h"

namespace tvm_ffi_core {

namespace {

constexpr char from_extern_c_doc[] =
    "__from_extern_c__(c_symbol, *, keep_alive_object=None)\n--\n\n"
    "Create a function from the address of C code.\n\n"
    "Parameters\n"
    "----------\n"
    "c_symbol\n"
    "    Address of a ``TVMFFISafeCallType``. The code must ignore its first argument.\n"
    "keep_alive_object\n"
    "    Object that the function keeps alive, for example the engine that owns the code.\n\n"
    "Raises\n"
    "------\n"
    "ValueError\n"
    "    The address is 0.\n";

constexpr char from_mlir_packed_safe_call_doc[] =
    "__from_mlir_packed_safe_call__(mlir_packed_symbol, *, keep_alive_object=None)\n--\n\n"
    "Create a function from the address of code with MLIR's packed calling convention.\n\n"
    "Parameters\n"
    "----------\n"
    "mlir_packed_symbol\n"
    "    Address of a ``void (*)(void**)``. It receives the addresses of the four arguments of a\n"
    "    ``TVMFFISafeCallType``, and of the ``int`` in which it stores the return value.\n"
    "keep_alive_object\n"
    "    Object that the function keeps alive, for example the engine that owns the code.\n\n"
    "Raises\n"
    "------\n"
    "ValueError\n"
    "    The address is 0.\n";

// The arguments from which a function is created.
struct Given {
  void* address = nullptr;
  PyObject* keep_alive = nullptr;  // lent
};

bool parse(const char* method, const char* argument, PyObject* args, PyObject* keywords,
           Given* given) {
  nb::object format = nb::steal(PyUnicode_FromFormat("O|$O:%s", method));
  if (!format.is_valid()) return false;
  const char* names[] = {argument, "keep_alive_object", nullptr};
  PyObject* number;
  given->keep_alive = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, PyUnicode_AsUTF8(format.ptr()),
                                   const_cast<char**>(names), &number, &given->keep_alive)) {
    return false;
  }
  if (!PyLong_Check(number)) {
    PyErr_Format(PyExc_TypeError, "%s: %s: expected an int, got %s", method, argument,
                 Py_TYPE(number)->tp_name);
    return false;
  }
  given->address = PyLong_AsVoidPtr(number);
  if (given->address == nullptr) {
    PyErr_Clear();
    PyErr_Format(PyExc_ValueError, "%s: %s: expected the address of a function, got %R", method,
                 argument, number);
    return false;
  }
  return true;
}

PyObject* function_of(void* self, TVMFFISafeCallType call, void (*deleter)(void*)) {
  TVMFFIObjectHandle handle = nullptr;
  int code = TVMFFIFunctionCreate(self, call, deleter, &handle);
  if (code != 0) {
    deleter(self);
    set_python_error(code);
    return nullptr;
  }
  return make_instance(function_type, static_cast<TVMFFIObject*>(handle));
}

struct MlirFunction {
  void (*call)(void** arguments);
  PyObject* keep_alive;  // owned
};

int call_mlir(void* self, const TVMFFIAny* args, int32_t num_args, TVMFFIAny* result) {
  int code = 0;
  void* no_handle = nullptr;
  void* addresses[] = {&no_handle, &args, &num_args, &result, &code};
  static_cast<MlirFunction*>(self)->call(addresses);
  return code;
}

PyObject* from_extern_c(PyObject*, PyObject* args, PyObject* keywords) {
  Given given;
  if (!parse("__from_extern_c__", "c_symbol", args, keywords, &given)) return nullptr;
  Py_INCREF(given.keep_alive);
  return function_of(given.keep_alive, reinterpret_cast<TVMFFISafeCallType>(given.address),
                     [](void* kept) { drop_from_any_thread(static_cast<PyObject*>(kept)); });
}

PyObject* from_mlir_packed_safe_call(PyObject*, PyObject* args, PyObject* keywords) {
  Given given;
  if (!parse("__from_mlir_packed_safe_call__", "mlir_packed_symbol", args, keywords, &given)) {
    return nullptr;
  }
  Py_INCREF(given.keep_alive);
  auto* function =
      new MlirFunction{reinterpret_cast<void (*)(void**)>(given.address), given.keep_alive};
  return function_of(function, call_mlir, [](void* self) {
    std::unique_ptr<MlirFunction> owned(static_cast<MlirFunction*>(self));
    drop_from_any_thread(owned->keep_alive);
  });
}

PyCFunction with_keywords(PyObject* (*function)(PyObject*, PyObject*, PyObject*)) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

PyMethodDef static_methods[] = {
    {"__from_extern_c__", with_keywords(from_extern_c), METH_VARARGS | METH_KEYWORDS,
     from_extern_c_doc},
    {"__from_mlir_packed_safe_call__", with_keywords(from_mlir_packed_safe_call),
     METH_VARARGS | METH_KEYWORDS, from_mlir_packed_safe_call_doc}};

}  // namespace

void bind_extern_function() {
  nb::handle type(reinterpret_cast<PyObject*>(function_type));
  for (PyMethodDef& each : static_methods) {
    nb::object function = nb::steal(PyCFunction_New(&each, type.ptr()));
    nb::object method =
        nb::steal(function.is_valid() ? PyStaticMethod_New(function.ptr()) : nullptr);
    if (!method.is_valid()) throw nb::python_error();
    type.attr(each.ml_name) = method;
  }
}

}  // namespace tvm_ffi_core
