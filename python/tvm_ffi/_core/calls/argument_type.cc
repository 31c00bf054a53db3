// SPDX-License-Identifier: Apache-2.0
// Names the Python type of an argument where C++ knows only what it was packed as.
#include "calls/argument_type.h"

#include <cstdlib>
#include <string>
#include <string_view>

namespace tvm_ffi_core {

namespace {

// What C++ calls the value that it got of the object, where the caller would not know that name.
std::string_view packed_name(PyObject* object, const TVMFFIAny& value) {
  if (value.type_index == kTVMFFIOpaquePyObject) return "OpaquePyObject";
  if (PyList_Check(object) || PyTuple_Check(object)) return "Array";
  return PyDict_Check(object) ? "Map" : "";
}

}  // namespace

ObjectRef name_argument_type(CallFrame* frame, PyObject* const* args, TVMFFIObject* error) {
  constexpr std::string_view kArgument = "argument ", kGot = "got ";
  if (error == nullptr || error->type_index != kTVMFFIError) return ObjectRef();
  const auto* cell = contents<TVMFFIErrorCell>(error);
  const std::string_view message(cell->message.data, cell->message.size);
  const size_t got = message.rfind(kGot), argument = message.find(kArgument);
  const char* name = PyUnicode_AsUTF8(frame->name());
  if (name == nullptr) PyErr_Clear();
  // An error of another function, which this one called, has another argument in mind.
  if (got == message.npos || argument > got || name == nullptr ||
      message.substr(0, std::char_traits<char>::length(name)) != name) {
    return ObjectRef();
  }
  const long index = std::atol(message.data() + argument + kArgument.size());
  if (index < 0 || index >= frame->num_args()) return ObjectRef();
  const std::string_view packed = packed_name(args[index], frame->arguments()[index]);
  if (packed.empty() || message.substr(got + kGot.size()) != packed) return ObjectRef();
  const std::string text =
      std::string(message.substr(0, got)) + "got " + Py_TYPE(args[index])->tp_name;
  const TVMFFIByteArray bytes{text.data(), text.size()};
  ObjectRef named;
  if (TVMFFIErrorCreate(&cell->kind, &bytes, &cell->backtrace, named.out()) != 0) {
    return ObjectRef();
  }
  return named;
}

}  // namespace tvm_ffi_core
