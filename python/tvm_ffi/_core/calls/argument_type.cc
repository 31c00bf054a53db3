// SPDX-License-Identifier: Apache-2.0
// Names the Python type of an argument where C++ knows only the packed type.
#include "calls/argument_type.h"

#include <string>
#include <string_view>

#include "base/runtime_function.h"

namespace tvm_ffi_core {

namespace {

const RuntimeFunction error_argument("ffi.ErrorArgument");

// Whether C++ and the caller know the type by different names.
bool has_another_name(PyObject* object, const TVMFFIAny& value) {
  return value.type_index == kTVMFFIOpaquePyObject || PyList_Check(object) ||
         PyTuple_Check(object) || PyDict_Check(object) || value.type_index == kTVMFFIBigInt;
}

// The caller's name for the type; for an integer, also why no fixed-width parameter accepts it.
std::string name_of_type(PyObject* object, const TVMFFIAny& value) {
  std::string name = Py_TYPE(object)->tp_name;
  if (value.type_index != kTVMFFIBigInt) return name;
  return name + " beyond the limits of a number, -2**63 and 2**63 - 1";
}

}  // namespace

std::optional<std::string> name_argument_type(CallFrame* frame, PyObject* const* args,
                                              TVMFFIObject* error) {
  if (error == nullptr || error->type_index != kTVMFFIError) return std::nullopt;
  const auto* cell = contents<TVMFFIErrorCell>(error);
  if (std::string_view(cell->kind.data, cell->kind.size) != "TypeError") return std::nullopt;
  Answer answer;
  error_argument.call(&answer, error, static_cast<void*>(frame->arguments()),
                      int64_t{frame->num_args()});
  if (answer.is_none()) return std::nullopt;
  const TVMFFIAny* parts = elements_of(answer.value());
  const int64_t index = parts[0].v_int64, got_at = parts[4].v_int64;
  const bool is_type = parts[3].v_int64 != 0;
  if (!is_type || !has_another_name(args[index], frame->arguments()[index])) return std::nullopt;
  std::string message(cell->message.data, cell->message.size);
  message.replace(static_cast<size_t>(got_at), text_in(parts[2]).size(),
                  name_of_type(args[index], frame->arguments()[index]));
  return message;
}

}  // namespace tvm_ffi_core
