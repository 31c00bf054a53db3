// SPDX-License-Identifier: Apache-2.0
// Converts Python values to what a function would receive.
#include "calls/convert.h"

#include "calls/pack_object.h"
#include "conversion/args.h"
#include "conversion/pack_tensor.h"
#include "conversion/result.h"
#include "lending/packer.h"
#include "objects/container_instance.h"
#include "objects/function_instance.h"
#include "tensors/tensor.h"

namespace tvm_ffi_core {

namespace {

PyObject* convert(PyObject*, PyObject* value) {
  const Packer* packer = find_packer(Py_TYPE(value));
  if (packer == nullptr) return nullptr;
  if (packer->kind->pack == pack_callable) {
    // A Function created this way knows its callable, for its signature and for garbage collection.
    return PyObject_CallOneArg(reinterpret_cast<PyObject*>(function_type), value);
  }
  if (packer->kind->pack == pack_own_tensor) {
    Py_INCREF(value);
    return value;
  }
  TVMFFIAny packed;
  clear(&packed);
  if (pack_unnumbered("convert", value, &packed) != 0) return nullptr;
  return value_to_python(&packed, nullptr);
}

// A tvm_ffi.Tensor becomes a framework tensor, a container one whose elements are read so; other
// values are unchanged.
PyObject* read_as(const Framework* framework, PyObject* value) {
  if (PyObject_TypeCheck(value, tensor_type)) {
    // The framework's tensor may outlive a callback.
    if (!has_tensor(value) || own_before_export(handle_of(value)) != 0) return nullptr;
  } else if (!PyObject_TypeCheck(value, container_type)) {
    Py_INCREF(value);
    return value;
  }
  TVMFFIAny owned;
  clear(&owned);
  owned.v_obj = handle_of(value);
  owned.type_index = owned.v_obj->type_index;
  TVMFFIObjectIncRef(owned.v_obj);
  return value_to_python(&owned, framework);
}

PyMethodDef functions[] = {{"convert", convert, METH_O, nullptr}, {nullptr, nullptr, 0, nullptr}};

}  // namespace

void bind_convert(nb::module_& module) {
  if (PyModule_AddFunctions(module.ptr(), functions) != 0) throw nb::python_error();
  module.def(
      "framework_of",
      [](nb::type_object type) -> nb::object {
        const Packer* packer = find_packer(reinterpret_cast<PyTypeObject*>(type.ptr()));
        if (packer == nullptr) throw nb::python_error();
        if (!is_foreign_tensor(*packer)) return nb::none();
        return nb::cast(packer->framework, nb::rv_policy::reference);
      },
      nb::arg("type"), nb::sig("def framework_of(type: type) -> Framework | None"));
  module.def(
      "read_as",
      [](const Framework* framework, nb::object value) {
        nb::object read = nb::steal(read_as(framework, value.ptr()));
        if (!read.is_valid()) throw nb::python_error();
        return read;
      },
      nb::arg("framework"), nb::arg("value"));
}

}  // namespace tvm_ffi_core
