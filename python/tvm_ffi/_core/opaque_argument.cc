// SPDX-License-Identifier: Apache-2.0
// Names the Python type of an argument that C++ knows as an opaque object only.
#include "opaque_argument.h"

#include <cstdlib>
#include <string>
#include <string_view>

namespace tvm_ffi_core {

ObjectRef name_opaque_argument(CallFrame* frame, TVMFFIObject* error) {
  constexpr std::string_view kArgument = "argument ", kGot = "got OpaquePyObject";
  if (error == nullptr || error->type_index != kTVMFFIError) return ObjectRef();
  const auto* cell = contents<TVMFFIErrorCell>(error);
  const std::string_view message(cell->message.data, cell->message.size);
  const size_t got = message.rfind(kGot), argument = message.find(kArgument);
  const char* name = PyUnicode_AsUTF8(frame->name());
  if (name == nullptr) PyErr_Clear();
  // An error of another function, which this one called, has another argument in mind.
  if (got == message.npos || got + kGot.size() != message.size() || argument > got ||
      name == nullptr || message.substr(0, std::char_traits<char>::length(name)) != name) {
    return ObjectRef();
  }
  const long index = std::atol(message.data() + argument + kArgument.size());
  if (index < 0 || index >= frame->num_args()) return ObjectRef();
  const TVMFFIAny& value = frame->arguments()[index];
  if (value.type_index != kTVMFFIOpaquePyObject) return ObjectRef();
  auto* object = static_cast<PyObject*>(contents<TVMFFIOpaqueObjectCell>(value.v_obj)->handle);
  const std::string text = std::string(message.substr(0, got)) + "got " + Py_TYPE(object)->tp_name;
  const TVMFFIByteArray bytes{text.data(), text.size()};
  ObjectRef named;
  if (TVMFFIErrorCreate(&cell->kind, &bytes, &cell->backtrace, named.out()) != 0) {
    return ObjectRef();
  }
  return named;
}

}  // namespace tvm_ffi_core
