// SPDX-License-Identifier: Apache-2.0
// Conversion between libtvm_ffi errors and Python exceptions.
#include "base/error.h"

#include <frameobject.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/python_error.h"
#include "base/runtime_function.h"

namespace tvm_ffi_core {

namespace {

const RuntimeFunction error_frames("ffi.ErrorFrames");
const RuntimeFunction error_backtrace("ffi.ErrorBacktrace");

// Maps kind to exception class, and exception class to kind; filled by tvm_ffi.error.
PyObject* class_of_kind = nullptr;
PyObject* kind_of_class = nullptr;

// Further causes are dropped.
constexpr size_t max_causes = 64;

std::string_view view(const TVMFFIByteArray& bytes) { return {bytes.data, bytes.size}; }

PyObject* decode(std::string_view text) {
  return PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
}

// Adds a frame from a non-Python file to the traceback of the current exception.
void add_frame(const std::string& file, int line, const std::string& function) {
  PyCodeObject* code;
  PyObject* globals;
  PyFrameObject* frame = nullptr;
  {
    nb::error_scope raised;
    // A symbol may contain any bytes, but the name of a code object must be UTF-8.
    nb::object name = nb::steal(PyUnicode_DecodeUTF8(
        function.data(), static_cast<Py_ssize_t>(function.size()), "backslashreplace"));
    const char* text = name.is_valid() ? PyUnicode_AsUTF8(name.ptr()) : nullptr;
    code = text != nullptr ? PyCode_NewEmpty(file.c_str(), text, line) : nullptr;
    globals = PyDict_New();
    if (code != nullptr && globals != nullptr) {
      frame = PyFrame_New(PyThreadState_Get(), code, globals, nullptr);
    }
    PyErr_Clear();
  }
  if (frame != nullptr) {
#if PY_VERSION_HEX < 0x030B0000
    frame->f_lineno = line;
#endif
    PyTraceBack_Here(frame);
  }
  Py_XDECREF(reinterpret_cast<PyObject*>(frame));
  Py_XDECREF(reinterpret_cast<PyObject*>(code));
  Py_XDECREF(globals);
}

// Adds the entries of an error's backtrace, except those covered by the first `known` bytes of its
// text.
void add_frames(TVMFFIObject* error, size_t known) {
  Answer answer;
  error_frames.call(&answer, error, static_cast<int64_t>(known));
  if (answer.is_none()) return;
  const auto* entries = contents<TVMFFISeqCell>(answer.value().v_obj);
  for (int64_t i = 0; i < entries->size; ++i) {
    const TVMFFIAny* entry = elements_of(static_cast<const TVMFFIAny*>(entries->data)[i]);
    add_frame(std::string(text_in(entry[0])), static_cast<int>(entry[1].v_int64),
              std::string(text_in(entry[2])));
  }
}

// The traceback as lines of an error's backtrace, most recent call first.
std::string backtrace_text(PyObject* traceback) {
  // CPython 3.11 stores None if it ran out of memory for an exception's traceback.
  if (traceback == nullptr || !PyTraceBack_Check(traceback)) return "";
  std::vector<std::string> lines;
  for (auto* entry = reinterpret_cast<PyTracebackObject*>(traceback); entry != nullptr;
       entry = entry->tb_next) {
    PyCodeObject* code = PyFrame_GetCode(entry->tb_frame);
    nb::object owner = nb::steal(reinterpret_cast<PyObject*>(code));
    // tb_lineno is -1 until first accessed (CPython 3.11 and newer).
    nb::object line =
        nb::steal(PyObject_GetAttrString(reinterpret_cast<PyObject*>(entry), "tb_lineno"));
    long number = line.is_valid() ? PyLong_AsLong(line.ptr()) : -1;
    const char* file = PyUnicode_AsUTF8(code->co_filename);
    if (file == nullptr) PyErr_Clear();
    const char* function = PyUnicode_AsUTF8(code->co_name);
    if (function == nullptr) PyErr_Clear();
    if (PyErr_Occurred()) PyErr_Clear();
    lines.push_back(std::string("  File \"") + (file ? file : "?") + "\", line " +
                    std::to_string(number) + ", in " + (function ? function : "?") + "\n");
  }
  std::string text;
  while (!lines.empty()) {
    text += lines.back();
    lines.pop_back();
  }
  return text;
}

// The Python exception carried by an error, or NULL.
PyObject* carried_exception(const TVMFFIErrorCell* cell) {
  auto* context = static_cast<TVMFFIObject*>(cell->extra_context);
  if (context == nullptr || context->type_index != kTVMFFIOpaquePyObject) return nullptr;
  auto* exception = static_cast<PyObject*>(contents<TVMFFIOpaqueObjectCell>(context)->handle);
  return PyExceptionInstance_Check(exception) ? exception : nullptr;
}

// A new exception of the kind's class, or a RuntimeError naming the kind if no class is registered.
// NULL if another Python exception is set.
PyObject* new_exception(const TVMFFIErrorCell* cell, std::string_view words) {
  nb::object kind = nb::steal(decode(view(cell->kind)));
  nb::object message = nb::steal(decode(words));
  if (!kind.is_valid() || !message.is_valid()) return nullptr;
  PyObject* known = class_of_kind ? PyDict_GetItemWithError(class_of_kind, kind.ptr()) : nullptr;
  if (known != nullptr) {
    PyObject* exception = PyObject_CallOneArg(known, message.ptr());
    if (exception != nullptr && PyExceptionInstance_Check(exception)) return exception;
    // A registered class that expects other arguments must not hide the error.
    Py_XDECREF(exception);
  }
  if (clear_but_interrupts()) return nullptr;
  nb::object text = nb::steal(PyUnicode_FromFormat("%U: %U", kind.ptr(), message.ptr()));
  if (!text.is_valid()) return nullptr;
  return PyObject_CallOneArg(PyExc_RuntimeError, text.ptr());
}

std::string kind_of(PyObject* exception) {
  PyObject* mro = Py_TYPE(exception)->tp_mro;
  for (Py_ssize_t i = 0; kind_of_class != nullptr && i < PyTuple_GET_SIZE(mro); ++i) {
    PyObject* kind = PyDict_GetItemWithError(kind_of_class, PyTuple_GET_ITEM(mro, i));
    const char* text = kind != nullptr ? PyUnicode_AsUTF8(kind) : nullptr;
    if (text != nullptr) return text;
    PyErr_Clear();
  }
  const char* name = std::strrchr(Py_TYPE(exception)->tp_name, '.');
  return name != nullptr ? name + 1 : Py_TYPE(exception)->tp_name;
}

// Takes the interrupt, if any, that arrived while an exception's text was being created.
void take_interrupt(nb::object* interrupt, PyObject* exception) {
  if (!clear_but_interrupts()) return;
  nb::object taken = take_exception();
  if (interrupt->is_valid() || taken.ptr() == exception) return;
  Py_INCREF(exception);
  PyException_SetContext(taken.ptr(), exception);
  *interrupt = std::move(taken);
}

std::string message_of(PyObject* exception, nb::object* interrupt) {
  nb::object text;
  if (PyErr_GivenExceptionMatches(exception, PyExc_KeyError)) {
    // str(KeyError("k")) adds quotes that the C++ side never wrote.
    nb::object arguments = nb::steal(PyObject_GetAttrString(exception, "args"));
    if (arguments.is_valid() && PyTuple_Check(arguments.ptr()) &&
        PyTuple_GET_SIZE(arguments.ptr()) == 1 &&
        PyUnicode_Check(PyTuple_GET_ITEM(arguments.ptr(), 0))) {
      text = nb::borrow(PyTuple_GET_ITEM(arguments.ptr(), 0));
    }
    take_interrupt(interrupt, exception);
  }
  if (!text.is_valid()) text = nb::steal(PyObject_Str(exception));
  take_interrupt(interrupt, exception);
  if (!text.is_valid()) return "<the message of this exception is not available>";
  nb::object bytes = nb::steal(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "replace"));
  PyErr_Clear();
  if (!bytes.is_valid()) return "";
  return std::string(PyBytes_AS_STRING(bytes.ptr()),
                     static_cast<size_t>(PyBytes_GET_SIZE(bytes.ptr())));
}

// The exception for an error, without its cause; NULL if another Python exception is set.
// `message` as for set_python_error_from.
PyObject* exception_of(TVMFFIObject* error, const std::string* message = nullptr) {
  const auto* cell = contents<TVMFFIErrorCell>(error);
  size_t known_size = 0;
  PyObject* exception = carried_exception(cell);
  if (exception != nullptr) {
    nb::object traceback = nb::steal(PyException_GetTraceback(exception));
    // The exception already has Python's own frames, possibly with callers added since:
    // only the frames added by C++ are new.
    const std::string known = backtrace_text(traceback.ptr());
    const std::string_view text = view(cell->backtrace);
    const size_t size = std::min(known.size(), text.size());
    if (text.substr(0, size) == std::string_view(known).substr(0, size)) known_size = size;
    set_exception(nb::borrow(exception));
  } else {
    exception = new_exception(cell, message != nullptr ? *message : view(cell->message));
    if (exception == nullptr) return nullptr;
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception)), exception);
    Py_DECREF(exception);
  }
  add_frames(error, known_size);
  return take_exception().release().ptr();
}

// Creates the error that carries an exception.
ObjectRef error_of(nb::object exception, TVMFFIObject* cause, nb::object* interrupt) {
  std::string kind = kind_of(exception.ptr()), message = message_of(exception.ptr(), interrupt);
  nb::object traceback = nb::steal(PyException_GetTraceback(exception.ptr()));
  std::string backtrace = backtrace_text(traceback.ptr());
  ObjectRef carrier, error;
  if (TVMFFIObjectCreateOpaque(
          exception.ptr(), kTVMFFIOpaquePyObject,
          [](void* handle) { drop_from_any_thread(static_cast<PyObject*>(handle)); },
          carrier.out()) == 0) {
    exception.release();
  }
  TVMFFIByteArray kind_bytes{kind.data(), kind.size()};
  TVMFFIByteArray message_bytes{message.data(), message.size()};
  TVMFFIByteArray backtrace_bytes{backtrace.data(), backtrace.size()};
  TVMFFIErrorCreateWithCauseAndExtraContext(&kind_bytes, &message_bytes, &backtrace_bytes, cause,
                                            carrier.get(), error.out());
  return error;
}

// Creates the error for an exception and its causes; returns any interrupt that arrived meanwhile.
ObjectRef error_with_causes(nb::object exception, nb::object* interrupt) {
  // Python allows an exception to be its own cause.
  std::vector<nb::object> chain{std::move(exception)};
  while (nb::object cause = nb::steal(PyException_GetCause(chain.back().ptr()))) {
    const bool is_known = std::any_of(chain.begin(), chain.end(),
                                      [&](const nb::object& one) { return one.is(cause); });
    if (is_known || chain.size() == max_causes) break;
    chain.push_back(std::move(cause));
  }
  ObjectRef error;
  while (!chain.empty()) {
    ObjectRef outer = error_of(std::move(chain.back()), error.get(), interrupt);
    error = std::move(outer);
    chain.pop_back();
  }
  return error;
}

// The Python exceptions for an error and its causes; empty if another one is set.
nb::object exceptions_of(TVMFFIObject* error, const std::string* message) {
  nb::object exception = nb::steal(exception_of(error, message));
  if (!exception.is_valid()) return exception;
  nb::object outer = exception;
  // A loop, because a chain may be long. A Python exception already has its own causes.
  for (auto* cell = contents<TVMFFIErrorCell>(error);
       cell->cause_chain != nullptr && carried_exception(cell) == nullptr;) {
    auto* cause = static_cast<TVMFFIObject*>(cell->cause_chain);
    nb::object inner = nb::steal(exception_of(cause));
    if (clear_but_interrupts()) return nb::object();
    // A registered class may return the same exception again.
    if (!inner.is_valid() || inner.is(outer)) break;
    PyException_SetCause(outer.ptr(), inner.inc_ref().ptr());
    outer = std::move(inner);
    cell = contents<TVMFFIErrorCell>(cause);
  }
  return exception;
}

}  // namespace

std::string whole_backtrace(TVMFFIObject* error) {
  Answer answer;
  error_backtrace.call(&answer, error);
  if (answer.is_none()) return std::string(view(contents<TVMFFIErrorCell>(error)->backtrace));
  return std::string(text_in(answer.value()));
}

TVMFFIObject* error_from_exception(PyObject* exception) {
  ObjectRef error;
  nb::object interrupt;
  try {
    error = error_with_causes(nb::borrow(exception), &interrupt);
  } catch (const std::bad_alloc&) {
  }
  if (interrupt.is_valid()) {
    set_exception(std::move(interrupt));
    return nullptr;
  }
  if (error.get() == nullptr) PyErr_NoMemory();
  return error.release();
}

nb::object exception_from(TVMFFIObject* error, const std::string* message) {
  try {
    return exceptions_of(error, message);
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
    return nb::object();
  }
}

void set_python_error_from(TVMFFIObject* error, const std::string* message) {
  nb::object exception = exception_from(error, message);
  if (exception.is_valid()) set_exception(std::move(exception));
}

void set_python_error(int code) {
  if (code == -2 && PyErr_Occurred()) return;
  ObjectRef error;
  TVMFFIErrorMoveFromRaised(error.out());
  if (error.get() == nullptr || error.get()->type_index != kTVMFFIError) {
    PyErr_Format(PyExc_RuntimeError, "a function returned %d and raised no error", code);
    return;
  }
  set_python_error_from(error.get());
}

void raise_current_python_error() {
  nb::object exception = take_exception();
  if (!exception.is_valid()) {
    TVMFFIErrorSetRaisedFromCStr("InternalError", "no Python exception is set");
    return;
  }
  ObjectRef error;
  nb::object interrupt, second;
  try {
    error = error_with_causes(std::move(exception), &interrupt);
    if (interrupt.is_valid()) error = error_with_causes(std::move(interrupt), &second);
  } catch (const std::bad_alloc&) {
  }
  if (error.get() == nullptr) {
    TVMFFIErrorSetRaisedFromCStr("MemoryError",
                                 "out of memory for the error of a Python exception");
    return;
  }
  TVMFFIErrorSetRaised(error.get());
}

void bind_error(nb::module_& module) {
  module.def(
      "set_error_classes",
      [](nb::dict classes, nb::dict kinds) {
        class_of_kind = classes.release().ptr();
        kind_of_class = kinds.release().ptr();
      },
      nb::arg("class_of_kind"), nb::arg("kind_of_class"));
}

}  // namespace tvm_ffi_core
