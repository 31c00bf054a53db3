// SPDX-License-Identifier: Apache-2.0
// Python values as what a function gets of them.
#include "convert.h"

#include "args.h"
#include "converter.h"
#include "function.h"
#include "result.h"

namespace tvm_ffi_core {

namespace {

PyObject* convert(PyObject*, PyObject* value) {
  Converter converter;
  if (find_converter(Py_TYPE(value), &converter) != 0) return nullptr;
  if (converter.kind == Kind::kCallable) {
    // Made here, the function knows its callable: its signature, and its part in cycles.
    return PyObject_CallOneArg(reinterpret_cast<PyObject*>(function_type), value);
  }
  TVMFFIAny packed;
  clear(&packed);
  if (pack_unnumbered("convert", value, &packed) != 0) return nullptr;
  return value_to_python(&packed, nullptr);
}

PyMethodDef functions[] = {{"convert", convert, METH_O, nullptr}, {nullptr, nullptr, 0, nullptr}};

}  // namespace

void bind_convert(nb::module_& module) {
  if (PyModule_AddFunctions(module.ptr(), functions) != 0) throw nb::python_error();
}

}  // namespace tvm_ffi_core
