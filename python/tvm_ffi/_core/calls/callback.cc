// SPDX-License-Identifier: Apache-2.0
// Python callables as libtvm_ffi functions.
#include "calls/callback.h"

#include <new>
#include <vector>

#include "base/error.h"
#include "base/python_error.h"
#include "calls/stack_room.h"
#include "conversion/args.h"
#include "conversion/result.h"
#include "lending/bare_view.h"
#include "lending/lent_tensor.h"
#include "objects/carried_object.h"
#include "objects/object.h"
#include "tensors/tensor.h"

namespace tvm_ffi_core {

namespace {

// A tvm_ffi.Tensor over a view that the caller lends until the callback returns.
PyObject* tensor_over_view(const DLTensor* view) {
  LentTensor* lent = acquire_lent_tensor(nullptr);
  if (lent == nullptr) return nullptr;
  lent->owner = nullptr;
  lent->owner_kind = Owner::kNobody;
  const char* problem = fill_lent_tensor(lent, *view);
  if (problem != nullptr) {
    release_lent_tensor(lent);
    PyErr_SetString(PyExc_ValueError, problem);
    return nullptr;
  }
  return make_instance(tensor_type, &lent->head);
}

// Ends the loan. A tensor that the callback kept owns its memory from now on; if that is
// impossible, its elements are removed so that it cannot dangle, and the result is false.
bool end_loan(PyObject* tensor) {
  TVMFFIObject* handle = handle_of(tensor);
  bool sole = Py_REFCNT(tensor) == 1 && (handle->combined_ref_count & 0xffffffffu) == 1;
  if (sole) return true;
  nb::error_scope raised;
  if (own_bare_view(lent_tensor_of(handle)) == 0) return true;
  PyErr_Clear();
  auto* view = contents<DLTensor>(handle);
  view->data = nullptr;
  if (view->ndim == 0) {  // a scalar has one element
    view->ndim = 1;
    view->strides = view->shape + 1;
    view->strides[0] = 1;
  }
  for (int i = 0; i < view->ndim; ++i) view->shape[i] = 0;
  return false;
}

// The Python values of a callback's arguments; on the stack unless there are many.
class Values {
 public:
  explicit Values(int32_t capacity) {
    // One extra slot in front, for PY_VECTORCALL_ARGUMENTS_OFFSET.
    if (capacity >= kInline) heap_.resize(static_cast<size_t>(capacity) + 1);
    first_ = (heap_.empty() ? inline_ : heap_.data()) + 1;
  }
  Values(const Values&) = delete;
  Values& operator=(const Values&) = delete;
  ~Values() {
    for (size_t i = 0; i < size_; ++i) Py_DECREF(first_[i]);
  }
  void push_back(PyObject* owned) { first_[size_++] = owned; }
  PyObject* operator[](int32_t i) const { return first_[i]; }
  PyObject* call(PyObject* callable) const {
    return PyObject_Vectorcall(callable, first_, size_ | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr);
  }

 private:
  static constexpr int32_t kInline = 9;
  PyObject* inline_[kInline];
  std::vector<PyObject*> heap_;
  PyObject** first_;
  size_t size_ = 0;
};

// A callback's name in messages; empty with a Python error set after an interrupt.
nb::object name_of(PyObject* callable) {
  static PyObject* attribute = PyUnicode_InternFromString("__name__");
  static PyObject* nameless = PyUnicode_InternFromString("callback");
  nb::object name = nb::steal(PyObject_GetAttr(callable, attribute));
  if (name.is_valid() && PyUnicode_Check(name.ptr())) return name;
  if (clear_but_interrupts()) return nb::object();
  name = nb::steal(PyUnicode_FromString(Py_TYPE(callable)->tp_name));
  if (name.is_valid()) return name;
  PyErr_Clear();
  return nb::borrow(nameless);
}

int pack_result(PyObject* callable, PyObject* answer, TVMFFIAny* result) {
  if (pack_plain(answer, result)) return 0;
  nb::object name = name_of(callable);
  return name.is_valid() ? pack_owned(name.ptr(), answer, result) : -1;
}

// Describes an argument lent as NULL: a tensor, an object, text or bytes. NULL for any other.
const char* lent_as_null(const TVMFFIAny& value) {
  if (value.type_index < kTVMFFIDLTensorPtr || value.type_index > kTVMFFIObjectRValueRef) {
    return nullptr;
  }
  if (value.v_ptr != nullptr) return nullptr;
  if (value.type_index == kTVMFFIDLTensorPtr) return "a tensor";
  if (value.type_index == kTVMFFIObjectRValueRef) return "an object";
  return value.type_index == kTVMFFIRawStr ? "a str" : "bytes";
}

// Calls `callable`; -1 with a Python error set.
int invoke(PyObject* callable, const TVMFFIAny* args, int32_t num_args, TVMFFIAny* result) {
  Values values(num_args);
  bool is_lent = false;  // whether an argument is a view
  for (int32_t i = 0; i < num_args; ++i) {
    if (const char* expected = lent_as_null(args[i])) {
      nb::object name = name_of(callable);
      if (name.is_valid()) {
        PyErr_Format(PyExc_ValueError, "%U: argument %d: expected %s, got NULL", name.ptr(), i,
                     expected);
      }
      return -1;
    }
    bool is_view = args[i].type_index == kTVMFFIDLTensorPtr;
    PyObject* value = is_view ? tensor_over_view(static_cast<const DLTensor*>(args[i].v_ptr))
                              : view_to_python(&args[i]);
    if (value == nullptr) return -1;
    values.push_back(value);
    is_lent = is_lent || is_view;
  }
  nb::object answer = nb::steal(values.call(callable));
  int code = answer.is_valid() ? pack_result(callable, answer.ptr(), result) : -1;
  if (!is_lent) return code;
  answer.reset();
  for (int32_t i = 0; i < num_args; ++i) {
    if (args[i].type_index != kTVMFFIDLTensorPtr || end_loan(values[i])) continue;
    if (code != 0) continue;  // the error's traceback may refer to it
    if (nb::object name = name_of(callable)) {
      PyErr_Format(PyExc_ValueError,
                   "%U: argument %d: expected a borrowed tensor to be released by the end of the "
                   "call, got one that is kept; keep a copy, such as numpy.array(x)",
                   name.ptr(), i);
    }
    code = -1;
    if (result->type_index >= kTVMFFIStaticObjectBegin) TVMFFIObjectDecRef(result->v_obj);
    clear(result);
  }
  return code;
}

// noexcept for the same reason as take_gil.
int safe_call(void* function, const TVMFFIAny* args, int32_t num_args, TVMFFIAny* result) noexcept {
  if (interpreter_is_gone()) {
    TVMFFIErrorSetRaisedFromCStr("RuntimeError", "a Python callback was called after Python ended");
    return -1;
  }
  if (is_stack_scarce()) {
    // Python's recursion limit does not account for the stack used by C++ calls in between.
    TVMFFIErrorSetRaisedFromCStr("RecursionError",
                                 "the stack of the thread has no room for another Python callback");
    return -1;
  }
  PyGILState_STATE state = take_gil();
  int code = -1;
  try {
    code = invoke(callable_of(function), args, num_args, result);
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  }
  if (code != 0) raise_current_python_error();
  PyGILState_Release(state);
  return code;
}

}  // namespace

TVMFFIObject* function_from_callable(PyObject* callable) {
  return make_callable_function(callable, safe_call);
}

}  // namespace tvm_ffi_core
