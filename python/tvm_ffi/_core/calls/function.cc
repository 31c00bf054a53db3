// SPDX-License-Identifier: Apache-2.0
// The Python type tvm_ffi.Function: the call path from Python, and global functions.
#include "calls/function.h"

#include <structmember.h>
#include <tvm/ffi/attributes.h>

#include <optional>
#include <string>

#include "base/error.h"
#include "base/python_error.h"
#include "calls/argument_type.h"
#include "calls/callback.h"
#include "calls/keywords.h"
#include "conversion/args.h"
#include "conversion/result.h"

namespace tvm_ffi_core {

namespace {

// Finishes a call that failed with `code`: cleans up, then sets the Python error.
PyObject* fail(CallFrame* frame, PyObject* const* args, int code) {
  if (code == -2 && PyErr_Occurred()) {
    frame->abandon();
    return nullptr;
  }
  ObjectRef error;
  TVMFFIErrorMoveFromRaised(error.out());
  const std::optional<std::string> message = name_argument_type(frame, args, error.get());
  frame->abandon();
  if (error.get() != nullptr && error.get()->type_index == kTVMFFIError) {
    set_python_error_from(error.get(), message.has_value() ? &*message : nullptr);
  } else {
    PyErr_Format(PyExc_RuntimeError, "%U: the function returned %d and raised no error",
                 frame->name(), code);
  }
  return nullptr;
}

// If the result is one of the argument tensors, consumes it and returns the object that was passed;
// otherwise returns NULL and does nothing.
inline PyObject* take_argument(const TVMFFIAny& result, const CallFrame& frame) {
  if (result.type_index != kTVMFFITensor) return nullptr;
  PyObject* source = lent_source(result.v_obj, frame.framework());
  if (source == nullptr) return nullptr;
  Py_INCREF(source);
  TVMFFIObjectDecRef(result.v_obj);
  return source;
}

// A constructor's result: an instance, whatever the object is.
PyObject* instance_of(TVMFFIAny* result, const Framework*) {
  return result->type_index >= kTVMFFIStaticObjectBegin ? make_instance(object_type, result->v_obj)
                                                        : value_to_python(result, nullptr);
}

// Releases a call's resources when its thread terminates inside the function, by pthread_exit or
// cancellation, and releases the GIL. `state` is NULL if the thread holds the GIL.
TVM_FFI_COLD void end_with_thread(PyThreadState* state, CallFrame* frame, PyObject* self,
                                  ObjectRef* shared, nb::object* name) {
  if (state != nullptr) PyEval_RestoreThread(state);
  frame->abandon();
  *shared = ObjectRef();
  *name = nb::object();
  Py_DECREF(self);
  PyEval_SaveThread();
}

// Calls the function; `to_python` receives the result and the framework of the arguments.
template <PyObject* (*to_python)(TVMFFIAny*, const Framework*)>
inline PyObject* call_by_position(PyObject* self, PyObject* const* args, Py_ssize_t num_args) {
  auto* function = reinterpret_cast<FunctionInstance*>(self);
  if (num_args > INT32_MAX) {
    PyErr_Format(PyExc_ValueError, "%U: expected fewer than 2^31 arguments, got %zd",
                 function->name, num_args);
    return nullptr;
  }
  if (function->base.handle == nullptr) {
    PyErr_Format(PyExc_ValueError,
                 "%U: expected a function, got an instance that holds none: its __init__ did not "
                 "create one",
                 function->name);
    return nullptr;
  }
  // An argument's own code, or another thread, may rename the function meanwhile.
  nb::object name = nb::borrow(function->name);
  CallFrame frame(name.ptr(), function->trusted, static_cast<int>(num_args));
  if (!frame.ok()) return nullptr;
  for (int i = 0; i < static_cast<int>(num_args); ++i) {
    if (pack_argument(&frame, i, args[i]) != 0) {
      frame.abandon();
      return nullptr;
    }
  }
  frame.enter();
  TVMFFIObject* handle = function->base.handle;
  TVMFFISafeCallType target = contents<TVMFFIFunctionCell>(handle)->safe_call;
  TVMFFIAny result;
  clear(&result);
  int code;
  // A callback may drop the last reference to this function while it runs.
  Py_INCREF(self);
  ObjectRef shared = share_callable(self);
  PyThreadState* state = nullptr;
  try {
    if (function->release_gil) {
      state = PyEval_SaveThread();
      code = target(handle, frame.arguments(), static_cast<int32_t>(num_args), &result);
      PyEval_RestoreThread(state);
    } else {
      code = target(handle, frame.arguments(), static_cast<int32_t>(num_args), &result);
    }
  } catch (...) {  // No exception escapes a C ABI function, so the thread is terminating.
    end_with_thread(state, &frame, self, &shared, &name);
    throw;
  }
  PyObject* answer = nullptr;
  if (code != 0) {
    answer = fail(&frame, args, code);
  } else if (to_python == value_to_python && (answer = take_argument(result, frame)) != nullptr) {
    if (frame.finish() != 0) Py_CLEAR(answer);
  } else if (frame.finish() != 0) {
    if (result.type_index >= kTVMFFIStaticObjectBegin) TVMFFIObjectDecRef(result.v_obj);
  } else {
    answer = to_python(&result, frame.framework());
  }
  Py_DECREF(self);
  return answer;
}

PyObject* call(PyObject* self, PyObject* const* args, size_t nargsf, PyObject* keywords) {
  Py_ssize_t num_args = PyVectorcall_NARGS(nargsf);
  if (keywords != nullptr && PyTuple_GET_SIZE(keywords) != 0) {
    return call_with_keywords(reinterpret_cast<FunctionInstance*>(self), args, num_args, keywords);
  }
  return call_by_position<value_to_python>(self, args, num_args);
}

// Initializes an instance that has no function yet. Not tp_alloc, which subtypes do not inherit.
void prepare(PyObject* self) {
  static PyObject* no_name = PyUnicode_InternFromString("tvm_ffi.Function");
  auto* function = reinterpret_cast<FunctionInstance*>(self);
  function->vectorcall = call;
  function->release_gil = 1;
  Py_INCREF(no_name);
  function->name = no_name;
}

// Copies the other attributes of `other` to `self`, which already has its function.
void share(PyObject* self, PyObject* other) {
  auto* function = reinterpret_cast<FunctionInstance*>(self);
  auto* shared = reinterpret_cast<FunctionInstance*>(other);
  function->callable = shared->callable;
  Py_INCREF(shared->name);
  Py_SETREF(function->name, shared->name);
}

void dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  auto* function = reinterpret_cast<FunctionInstance*>(self);
  PyObject_GC_UnTrack(self);
  Py_TRASHCAN_BEGIN(self, dealloc);
  Py_XDECREF(function->name);
  Py_XDECREF(function->parameters);
  Py_XDECREF(function->attributes);
  release_instance(&function->base);
  type->tp_free(self);
  Py_DECREF(type);
  Py_TRASHCAN_END;
}

// A callable is visited only if this function is its sole owner. Every other user of the object
// holds a reference, including for the duration of a call (share_callable), so the result cannot
// change while the collector, which holds the GIL, traverses it several times.
int traverse(PyObject* self, visitproc visit, void* arg) {
  auto* function = reinterpret_cast<FunctionInstance*>(self);
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(function->parameters);
  Py_VISIT(function->attributes);
  if (function->callable != nullptr && has_sole_owner(function->base.handle)) {
    Py_VISIT(function->callable);
  }
  return 0;
}

// The callable stays, like a tuple's item: a cycle always contains something mutable to clear.
int clear_attributes(PyObject* self) {
  auto* function = reinterpret_cast<FunctionInstance*>(self);
  Py_CLEAR(function->parameters);
  Py_CLEAR(function->attributes);
  return 0;
}

// The one argument of Function(callable), borrowed; NULL with a Python error set.
PyObject* parse_callable(PyObject* args, PyObject* keywords) {
  static const char* names[] = {"callable", nullptr};
  PyObject* callable;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "O:Function", const_cast<char**>(names),
                                   &callable)) {
    return nullptr;
  }
  if (PyCallable_Check(callable)) return callable;
  PyErr_Format(PyExc_TypeError, "Function: callable: expected a callable, got %s",
               Py_TYPE(callable)->tp_name);
  return nullptr;
}

// Fills `self`, which has no function yet, from `callable`; 0, or -1 with a Python error set.
int fill(PyObject* self, PyObject* callable) {
  static PyObject* what = PyUnicode_InternFromString("Function");
  if (PyObject_TypeCheck(callable, function_type)) return init_handle(what, self, callable);
  TVMFFIObject* handle = function_from_callable(callable);
  if (handle == nullptr) return -1;
  auto* function = reinterpret_cast<FunctionInstance*>(self);
  function->base.handle = handle;
  function->callable = callable;
  nb::object name = nb::steal(PyObject_GetAttrString(callable, "__name__"));
  if (clear_but_interrupts()) return -1;
  if (name.is_valid() && PyUnicode_Check(name.ptr())) {
    Py_SETREF(function->name, name.release().ptr());
  }
  return 0;
}

// An instance of a subclass has no function until its __init__ creates one.
PyObject* new_function(PyTypeObject* type, PyObject* args, PyObject* keywords) {
  if (type != function_type) return make_instance(type, nullptr);
  PyObject* callable = parse_callable(args, keywords);
  if (callable == nullptr) return nullptr;
  if (Py_TYPE(callable) == function_type) {
    Py_INCREF(callable);
    return callable;
  }
  nb::object self = nb::steal(make_instance(type, nullptr));
  if (!self.is_valid() || fill(self.ptr(), callable) != 0) return nullptr;
  return self.release().ptr();
}

// Function.__init__(self, callable); without an argument the instance is unchanged.
int init(PyObject* self, PyObject* args, PyObject* keywords) {
  if (Py_TYPE(self) == function_type) return 0;  // made by new_function
  bool is_done = false;
  int code = init_next_base(self, args, keywords, &is_done);
  if (is_done || (PyTuple_GET_SIZE(args) == 0 && keywords == nullptr)) return code;
  PyObject* callable = parse_callable(args, keywords);
  return callable == nullptr ? -1 : fill(self, callable);
}

PyObject* repr(PyObject* self) {
  return PyUnicode_FromFormat("<tvm_ffi.Function %U>",
                              reinterpret_cast<FunctionInstance*>(self)->name);
}

PyObject* get_name(PyObject* self, void*) {
  PyObject* name = reinterpret_cast<FunctionInstance*>(self)->name;
  Py_INCREF(name);
  return name;
}

int set_name(PyObject* self, PyObject* name, void*) {
  if (name == nullptr || !PyUnicode_Check(name)) {
    PyErr_Format(PyExc_TypeError, "Function.__name__: expected a str, got %s",
                 name == nullptr ? "its deletion" : Py_TYPE(name)->tp_name);
    return -1;
  }
  Py_INCREF(name);
  Py_SETREF(reinterpret_cast<FunctionInstance*>(self)->name, name);
  return 0;
}

PyObject* get_callable(PyObject* self, void*) {
  PyObject* callable = reinterpret_cast<FunctionInstance*>(self)->callable;
  if (callable == nullptr) Py_RETURN_NONE;
  Py_INCREF(callable);
  return callable;
}

PyMemberDef members[] = {
    {"__dictoffset__", T_PYSSIZET, offsetof(FunctionInstance, attributes), READONLY, nullptr},
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(FunctionInstance, vectorcall), READONLY, nullptr},
    {"release_gil", T_BOOL, offsetof(FunctionInstance, release_gil), 0,
     "Whether a call releases the GIL, so that other Python threads run; ``True`` by default.\n\n"
     "Releasing and reacquiring the GIL takes a few dozen nanoseconds. Set this to ``False`` only\n"
     "for a function that returns quickly and never waits for another thread."},
    {"trusted", T_BOOL, offsetof(FunctionInstance, trusted), 0,
     "Whether to skip the check for negated and conjugated views; ``False`` by default.\n\n"
     "The check is cheap, except for instances of subclasses of ``torch.Tensor``, which are\n"
     "queried one by one. Without it, a function reads such a view as it is stored and computes\n"
     "wrong results: set this to ``True`` only if no caller can pass one."},
    {nullptr, 0, 0, 0, nullptr}};

PyGetSetDef properties[] = {
    {"__name__", get_name, set_name, "Name of the function, as shown in error messages.", nullptr},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict,
     "Attributes set on the function.", nullptr},
    {"_callable", get_callable, nullptr,
     "The Python callable that the function wraps, or ``None``.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyType_Slot slots[] = {
    {Py_tp_doc,
     const_cast<char*>(
         "Function(callable)\n--\n\n"
         "A function that every language can call.\n\n"
         "A :class:`tvm_ffi.Module` provides the functions of a library; calling this class wraps\n"
         "a Python callable. Arguments are passed by position, or by keyword if the function\n"
         "provides the names of its parameters. ``inspect.signature`` and ``__doc__`` show "
         "them.\n\n"
         "Tensors of any framework are passed without a copy. A tensor that the function returns\n"
         "is converted to the framework of the tensor arguments; if they belong to several\n"
         "frameworks, it is converted to PyTorch if that is one of them, and otherwise stays a\n"
         ":class:`tvm_ffi.Tensor`. If the framework is PyTorch or NumPy and the function returns\n"
         "an argument of that framework, the caller gets the very object that it passed, with all\n"
         "changes made to it during the call.\n\n"
         "``ValueError`` and ``TypeError`` name the function and the invalid argument. A call\n"
         "releases the GIL by default, so other Python threads run meanwhile: see\n"
         ":attr:`tvm_ffi.Function.release_gil`.")},
    {Py_tp_new, reinterpret_cast<void*>(new_function)},
    {Py_tp_init, reinterpret_cast<void*>(init)},
    {Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
    {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
    {Py_tp_repr, reinterpret_cast<void*>(repr)},
    {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(clear_attributes)},
    {Py_tp_members, members},
    {Py_tp_getset, properties},
    {0, nullptr}};

PyType_Spec spec = {
    "tvm_ffi.Function", sizeof(FunctionInstance), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_HAVE_GC,
    slots};

TVMFFIByteArray utf8(const nb::str& text) {
  Py_ssize_t size = 0;
  const char* data = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (data == nullptr) throw nb::python_error();
  return {data, static_cast<size_t>(size)};
}

}  // namespace

PyObject* call_constructor(PyObject* constructor, PyObject* const* args, Py_ssize_t num_args) {
  if (Py_TYPE(constructor) != function_type) {
    return PyObject_Vectorcall(constructor, args, static_cast<size_t>(num_args), nullptr);
  }
  return call_by_position<instance_of>(constructor, args, num_args);
}

void bind_function(nb::module_& module) {
  function_type = make_type(module, &spec, object_type);
  set_instance_hooks({function_type, prepare, share});
  register_object_class(kTVMFFIFunction, function_type);
  module.def(
      "get_global_func",
      [](nb::str name) -> nb::object {
        TVMFFIByteArray bytes = utf8(name);
        TVMFFIObjectHandle handle = nullptr;
        check(TVMFFIFunctionGetGlobal(&bytes, &handle));
        if (handle == nullptr) return nb::none();
        nb::object function =
            nb::steal(make_instance(function_type, static_cast<TVMFFIObject*>(handle)));
        if (!function.is_valid() || set_name(function.ptr(), name.ptr(), nullptr) != 0) {
          throw nb::python_error();
        }
        return function;
      },
      nb::arg("name"), nb::sig("def get_global_func(name: str) -> Function | None"));
  module.def(
      "set_global_func",
      [](nb::str name, nb::object function, bool override) {
        if (!PyObject_TypeCheck(function.ptr(), function_type)) {
          PyErr_Format(PyExc_TypeError,
                       "set_global_func: function: expected a tvm_ffi.Function, got %s",
                       Py_TYPE(function.ptr())->tp_name);
          throw nb::python_error();
        }
        TVMFFIByteArray bytes = utf8(name);
        check(TVMFFIFunctionSetGlobal(&bytes, handle_of(function.ptr()), override));
      },
      nb::arg("name"), nb::arg("function"), nb::arg("override"));
}

}  // namespace tvm_ffi_core
