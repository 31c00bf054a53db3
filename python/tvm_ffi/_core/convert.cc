// SPDX-License-Identifier: Apache-2.0
// Python values as what a function gets of them.
#include "convert.h"

#include "args.h"
#include "result.h"

namespace tvm_ffi_core {

namespace {

PyObject* convert(PyObject*, PyObject* value) {
  static PyObject* name = PyUnicode_InternFromString("convert");
  TVMFFIAny packed;
  clear(&packed);
  if (pack_unnumbered(name, value, &packed) != 0) return nullptr;
  return value_to_python(&packed, nullptr);
}

PyMethodDef functions[] = {{"convert", convert, METH_O, nullptr}, {nullptr, nullptr, 0, nullptr}};

}  // namespace

void bind_convert(nb::module_& module) {
  if (PyModule_AddFunctions(module.ptr(), functions) != 0) throw nb::python_error();
}

}  // namespace tvm_ffi_core
