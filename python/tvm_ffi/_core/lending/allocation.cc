// SPDX-License-Identifier: Apache-2.0
// The environment allocator for frameworks without a DLPack table, which allocate in Python.
#include "lending/allocation.h"

#include "base/error.h"
#include "base/python_error.h"
#include "lending/lend.h"
#include "values/values.h"

namespace tvm_ffi_core {

thread_local const Framework* framework_that_allocates = nullptr;

namespace {

using SetError = void (*)(void* error_context, const char* kind, const char* message);

void report_python_error(void* error_context, SetError set_error) {
  nb::object error = take_exception();
  nb::object text = nb::steal(PyObject_Str(error.ptr()));
  const char* message = text.is_valid() ? PyUnicode_AsUTF8(text.ptr()) : nullptr;
  PyErr_Clear();
  set_error(error_context, Py_TYPE(error.ptr())->tp_name,
            message != nullptr ? message : "the framework failed to allocate");
}

// Needs the GIL; -1 with a Python error set.
int allocate_by_framework(const Framework* framework, const DLTensor& prototype,
                          DLManagedTensorVersioned** out) {
  static PyObject* what = PyUnicode_InternFromString("allocate");
  nb::object shape =
      nb::steal(shape_to_python(prototype.shape, static_cast<size_t>(prototype.ndim)));
  nb::object dtype = nb::steal(dtype_to_python(prototype.dtype));
  if (!shape.is_valid() || !dtype.is_valid()) return -1;
  nb::object made = nb::steal(PyObject_CallFunction(framework->allocate, "OOi", shape.ptr(),
                                                    dtype.ptr(), prototype.device.device_id));
  if (!made.is_valid()) return -1;
  LentTensor* lent = owned_tensor_from(what, made.ptr(), false);
  if (lent == nullptr) return -1;
  int code = TVMFFITensorToDLPackVersioned(&lent->head, out);
  TVMFFIObjectDecRef(&lent->head);  // `out` has its own reference
  if (code == 0) return 0;
  set_python_error(code);
  return -1;
}

}  // namespace

int allocate_in_environment(DLTensor* prototype, DLManagedTensorVersioned** out,
                            void* error_context, SetError set_error) {
  ObjectRef tensor;
  int code = TVMFFIEnvTensorAlloc(prototype, tensor.out());
  if (code == 0) code = TVMFFITensorToDLPackVersioned(tensor.get(), out);
  if (code == 0) return 0;
  ObjectRef error;
  TVMFFIErrorMoveFromRaised(error.out());
  if (error.get() == nullptr) {
    set_error(error_context, "RuntimeError", "the tensor cannot be allocated");
  } else {
    const auto* cell = contents<TVMFFIErrorCell>(error.get());
    set_error(error_context, cell->kind.data, cell->message.data);
  }
  return -1;
}

int allocate_in_python(DLTensor* prototype, DLManagedTensorVersioned** out, void* error_context,
                       SetError set_error) noexcept {
  if (prototype->device.device_type == kDLCPU) {
    DLPackManagedTensorAllocator own = nullptr;
    TVMFFIEnvSetDLPackManagedTensorAllocator(nullptr, 0, &own);
    int code = allocate_in_environment(prototype, out, error_context, set_error);
    TVMFFIEnvSetDLPackManagedTensorAllocator(own, 0, nullptr);
    return code;
  }
  const Framework* framework = framework_that_allocates;
  PyGILState_STATE state = take_gil();
  int code = allocate_by_framework(framework, *prototype, out);
  if (code != 0) report_python_error(error_context, set_error);
  PyGILState_Release(state);
  return code;
}

}  // namespace tvm_ffi_core
