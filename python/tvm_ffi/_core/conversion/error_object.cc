// SPDX-License-Identifier: Apache-2.0
// Runtime support for tvm_ffi.core.Error, an error as a value.
#include "conversion/error_object.h"

#include "base/error.h"
#include "conversion/result.h"
#include "objects/object.h"

namespace tvm_ffi_core {

namespace {

// The error held by `instance`, a tvm_ffi.core.Error. Throws.
TVMFFIObject* error_in(nb::handle instance) {
  bool is_object = PyObject_TypeCheck(instance.ptr(), object_type);
  TVMFFIObject* handle = is_object ? handle_of(instance.ptr()) : nullptr;
  if (handle == nullptr || handle->type_index != kTVMFFIError) {
    PyErr_Format(PyExc_TypeError, "expected a tvm_ffi.core.Error, got %s%s",
                 Py_TYPE(instance.ptr())->tp_name,
                 is_object && handle == nullptr ? " that holds no object" : "");
    throw nb::python_error();
  }
  return handle;
}

TVMFFIByteArray utf8(const nb::str& text) {
  Py_ssize_t size = 0;
  const char* data = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (data == nullptr) throw nb::python_error();
  return {data, static_cast<size_t>(size)};
}

nb::object checked(PyObject* owned) {
  if (owned == nullptr) throw nb::python_error();
  return nb::steal(owned);
}

nb::object text(const char* data, size_t size) {
  return checked(PyUnicode_DecodeUTF8(data, static_cast<Py_ssize_t>(size), "replace"));
}

nb::object wrapped(void* handle) {
  if (handle == nullptr) return nb::none();
  TVMFFIAny value;
  clear(&value);
  value.v_obj = static_cast<TVMFFIObject*>(handle);
  value.type_index = value.v_obj->type_index;
  return checked(view_to_python(&value));
}

}  // namespace

void bind_error_object(nb::module_& module) {
  module.def(
      "new_error",
      [](nb::str kind, nb::str message, nb::str backtrace) {
        TVMFFIByteArray texts[] = {utf8(kind), utf8(message), utf8(backtrace)};
        TVMFFIObjectHandle handle = nullptr;
        check(TVMFFIErrorCreate(&texts[0], &texts[1], &texts[2], &handle));
        return checked(wrap_object(static_cast<TVMFFIObject*>(handle)));
      },
      nb::arg("kind"), nb::arg("message"), nb::arg("backtrace"),
      nb::sig("def new_error(kind: str, message: str, backtrace: str) -> Any"));
  module.def(
      "error_contents",
      [](nb::object error) {
        TVMFFIObject* object = error_in(error);
        const auto* cell = contents<TVMFFIErrorCell>(object);
        const std::string backtrace = whole_backtrace(object);
        return nb::make_tuple(text(cell->kind.data, cell->kind.size),
                              text(cell->message.data, cell->message.size),
                              text(backtrace.data(), backtrace.size()), wrapped(cell->cause_chain),
                              wrapped(cell->extra_context));
      },
      nb::arg("error"));
  module.def(
      "exception_of_error",
      [](nb::object error) {
        nb::object exception = exception_from(error_in(error));
        if (!exception.is_valid()) throw nb::python_error();
        return exception;
      },
      nb::arg("error"));
  module.def(
      "set_error_backtrace",
      [](nb::object error, nb::str backtrace) {
        TVMFFIObject* object = error_in(error);
        TVMFFIByteArray text = utf8(backtrace);
        contents<TVMFFIErrorCell>(object)->update_backtrace(object, &text,
                                                            kTVMFFIBacktraceUpdateModeReplace);
      },
      nb::arg("error"), nb::arg("backtrace"));
}

}  // namespace tvm_ffi_core
