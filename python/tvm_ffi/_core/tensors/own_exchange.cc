// SPDX-License-Identifier: Apache-2.0
// The DLPack table with which other libraries read and create tvm_ffi.Tensor without Python calls.
#include "tensors/own_exchange.h"

#include "base/error.h"
#include "lending/allocation.h"
#include "tensors/tensor.h"

namespace tvm_ffi_core {

namespace {

bool is_tensor(PyObject* object) {
  if (PyObject_TypeCheck(object, tensor_type)) return has_tensor(object);
  PyErr_Format(PyExc_TypeError, "expected a tvm_ffi.Tensor, got %s", Py_TYPE(object)->tp_name);
  return false;
}

// This and the next are noexcept for the same reason as take_gil.
int to_managed(void* python_object, DLManagedTensorVersioned** out) noexcept {
  auto* self = static_cast<PyObject*>(python_object);
  if (!is_tensor(self) || own_before_export(handle_of(self)) != 0) return -1;
  int code = TVMFFITensorToDLPackVersioned(handle_of(self), out);
  if (code == 0) return 0;
  set_python_error(code);
  return -1;
}

int from_managed(DLManagedTensorVersioned* managed, void** out) noexcept {
  LentTensor* lent = acquire_lent_tensor(nullptr);
  if (lent == nullptr) return -1;
  const char* problem = fill_lent_tensor(lent, managed->dl_tensor);
  if (problem != nullptr) {
    release_lent_tensor(lent);
    PyErr_SetString(PyExc_ValueError, problem);
    return -1;
  }
  lent->read_only = (managed->flags & DLPACK_FLAG_BITMASK_READ_ONLY) != 0;
  lent->owner = managed;
  lent->owner_kind = Owner::kManagedVersioned;
  *out = make_instance(tensor_type, &lent->head);
  return *out == nullptr ? -1 : 0;
}

int to_view(void* python_object, DLTensor* out) {
  auto* self = static_cast<PyObject*>(python_object);
  if (!is_tensor(self)) return -1;
  *out = *contents<DLTensor>(handle_of(self));
  return 0;
}

int current_stream(DLDeviceType device_type, int32_t device_id, void** out) {
  *out = TVMFFIEnvGetStream(device_type, device_id);
  return 0;
}

}  // namespace

void bind_own_exchange() {
  static const DLPackExchangeAPI table = {
      {{DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION}, nullptr},
      allocate_in_environment,
      to_managed,
      from_managed,
      to_view,
      current_stream,
  };
  nb::object capsule = nb::steal(
      PyCapsule_New(const_cast<DLPackExchangeAPI*>(&table), "dlpack_exchange_api", nullptr));
  if (!capsule.is_valid()) throw nb::python_error();
  nb::handle(reinterpret_cast<PyObject*>(tensor_type)).attr("__dlpack_c_exchange_api__") = capsule;
}

}  // namespace tvm_ffi_core
