// SPDX-License-Identifier: Apache-2.0
// Packs Python values as arguments and as callback results.
#include "conversion/args.h"

#include "base/error.h"
#include "base/python_error.h"
#include "lending/argument_error.h"
#include "lending/bare_view.h"

namespace tvm_ffi_core {

namespace {

// Like pack_value, for a receiver that keeps the value after the call.
int pack_to_keep(const Place& place, PyObject* value) {
  if (pack_value(place, value) != 0) return -1;
  if (place.out->type_index != kTVMFFIDLTensorPtr) return 0;
  refuse_bare_view();
  return -1;
}

// Packs one value as an owned value, outside any call. `name_error` names it in a Python error.
template <typename NameError>
int pack_apart(PyObject* what, PyObject* value, TVMFFIAny* result, NameError name_error) {
  CallFrame frame(what, false, 1);
  int code = pack_to_keep({&frame, frame.arguments()}, value);
  if (code != 0) {
    name_error(frame.path());
  } else {
    // Adds a reference to the frame's object, so that a lent tensor will own its memory.
    code = TVMFFIAnyViewToOwnedAny(frame.arguments(), result);
    if (code != 0) set_python_error(code);
  }
  // If owning fails, the result holds the Python object, which also keeps the memory alive.
  frame.abandon();
  return code;
}

}  // namespace

int pack_value(const Place& place, PyObject* value) {
  if (pack_plain(value, place.out)) return 0;
  clear(place.out);
  const Packer* packer = find_packer(Py_TYPE(value));
  return packer != nullptr ? packer->kind->pack(place, value, *packer) : -1;
}

int pack_argument(CallFrame* frame, int index, PyObject* value) {
  if (pack_value({frame, frame->arguments() + index}, value) == 0) return 0;
  name_argument(frame->name(), index, Py_TYPE(value), frame->path());
  return -1;
}

int pack_field(CallFrame* frame, PyObject* value) {
  if (pack_to_keep({frame, frame->arguments()}, value) == 0) return 0;
  name_argument(frame->name(), kUnnumbered, Py_TYPE(value), frame->path());
  return -1;
}

int pack_owned(PyObject* what, PyObject* value, TVMFFIAny* result) {
  return pack_apart(what, value, result,
                    [&](PyObject* path) { name_argument(what, kResult, Py_TYPE(value), path); });
}

int pack_unnumbered(const char* what, PyObject* value, TVMFFIAny* result) {
  if (pack_plain(value, result)) return 0;
  static PyObject* no_function = PyUnicode_InternFromString("tvm_ffi");
  return pack_apart(no_function, value, result, [&](PyObject* path) {
    nb::object cause = take_exception();
    nb::object name = nb::steal(PyUnicode_FromString(what));
    if (!name.is_valid()) return;
    if (cause.is_valid()) set_exception(std::move(cause));
    name_argument(name.ptr(), kUnnumbered, Py_TYPE(value), path);
  });
}

}  // namespace tvm_ffi_core
