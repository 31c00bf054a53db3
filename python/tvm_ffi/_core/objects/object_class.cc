// SPDX-License-Identifier: Apache-2.0
// Maps object types to Python classes.
#include "objects/object_class.h"

#include <vector>

#include "base/error.h"

namespace tvm_ffi_core {

namespace {

// The Python class of each type index; NULL if none is registered or created yet.
std::vector<PyTypeObject*>& classes() {
  static std::vector<PyTypeObject*> table;
  return table;
}

// tvm_ffi.object.make_class: registers a class for a type index that has none.
PyObject* make_class = nullptr;

}  // namespace

const TVMFFITypeInfo* require_info(int32_t type_index) {
  const TVMFFITypeInfo* info = TVMFFIGetTypeInfo(type_index);
  if (info == nullptr) check(-1);
  return info;
}

PyTypeObject* registered_class(int32_t type_index) {
  size_t index = static_cast<size_t>(type_index);
  return index < classes().size() ? classes()[index] : nullptr;
}

PyTypeObject* class_of(int32_t type_index) {
  if (PyTypeObject* known = registered_class(type_index)) return known;
  if (make_class == nullptr) return object_type;
  nb::object made = nb::steal(PyObject_CallFunction(make_class, "i", type_index));
  if (!made.is_valid()) return nullptr;
  PyTypeObject* known = registered_class(type_index);
  return known != nullptr ? known : object_type;
}

void register_object_class(int32_t type_index, PyTypeObject* type) {
  auto& table = classes();
  size_t index = static_cast<size_t>(type_index);
  if (index >= table.size()) table.resize(index + 1, nullptr);
  Py_INCREF(type);
  // The previously registered type may have instances, and is small: it is leaked.
  table[index] = type;
}

void bind_object_class(nb::module_& module) {
  module.def(
      "forget_class",
      [](int32_t type_index) {
        size_t index = static_cast<size_t>(type_index);
        if (index < classes().size()) classes()[index] = nullptr;
      },
      nb::arg("type_index"));
  module.def(
      "set_class_maker", [](nb::object function) { make_class = function.release().ptr(); },
      nb::arg("function"));
  module.def(
      "class_of",
      [](int32_t type_index) -> nb::object {
        require_info(type_index);
        PyTypeObject* type = class_of(type_index);
        if (type == nullptr) throw nb::python_error();
        return nb::borrow(reinterpret_cast<PyObject*>(type));
      },
      nb::arg("type_index"));
  module.def(
      "registered_class",
      [](int32_t type_index) -> nb::object {
        PyTypeObject* type = registered_class(type_index);
        if (type == nullptr) return nb::none();
        return nb::borrow(reinterpret_cast<PyObject*>(type));
      },
      nb::arg("type_index"), nb::sig("def registered_class(type_index: int) -> type | None"));
}

}  // namespace tvm_ffi_core
