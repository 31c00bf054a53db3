// SPDX-License-Identifier: Apache-2.0
// The call path's view of a tensor framework, filled in by its adapter in tvm_ffi.frameworks.
#include "lending/framework.h"

#include <tvm/ffi/dtype.h>

#include "values/values.h"

namespace tvm_ffi_core {

namespace {

bool goes_backward(const DLTensor& tensor) {
  if (tensor.strides == nullptr) return false;
  for (int i = 0; i < tensor.ndim; ++i) {
    if (tensor.strides[i] < 0) return true;
  }
  return false;
}

}  // namespace

int can_hold(const Framework* framework, const DLTensor& tensor) {
  if (framework->forward_only && goes_backward(tensor)) return 0;
  if (framework->has_dtype == nullptr) return 1;
  const DLDataType dtype = tensor.dtype;
  const unsigned slot =
      (unsigned{dtype.code} ^ (unsigned{dtype.bits} >> 3) ^ (unsigned{dtype.lanes} << 2)) & 15u;
  Framework::Held& held = framework->held[slot];
  if (held.answer != 0 && held.dtype == dtype) return held.answer > 0;
  nb::object value = nb::steal(dtype_to_python(dtype));
  if (!value.is_valid()) return -1;
  nb::object answer = nb::steal(PyObject_CallOneArg(framework->has_dtype, value.ptr()));
  int truth = answer.is_valid() ? PyObject_IsTrue(answer.ptr()) : -1;
  if (truth >= 0) held = {dtype, static_cast<int8_t>(truth > 0 ? 1 : -1)};
  return truth;
}

const DLPackExchangeAPI* exchange_api_of(PyObject* type) {
  nb::object capsule = nb::steal(PyObject_GetAttrString(type, "__dlpack_c_exchange_api__"));
  if (!capsule.is_valid()) {
    PyErr_Clear();
    return nullptr;
  }
  // Before DLPack 1.3, tables were plain integers: such a type falls back to __dlpack__.
  if (!PyCapsule_IsValid(capsule.ptr(), "dlpack_exchange_api")) return nullptr;
  auto* header = static_cast<const DLPackExchangeAPIHeader*>(
      PyCapsule_GetPointer(capsule.ptr(), "dlpack_exchange_api"));
  while (header != nullptr && header->version.major != DLPACK_MAJOR_VERSION) {
    header = header->prev_api;
  }
  return reinterpret_cast<const DLPackExchangeAPI*>(header);
}

void bind_framework(nb::module_& module) {
  nb::class_<Framework>(module, "Framework")
      .def(
          "__init__",
          [](Framework* self, nb::str name, bool wins, nb::object exchange_type,
             nb::object from_tensor, nb::object prepare, nb::object current_stream,
             nb::object allocate, nb::object has_dtype, nb::object is_negative,
             nb::object is_conjugate, bool forward_only) {
            auto keep = [](nb::object value) {
              return value.is_none() ? nullptr : value.release().ptr();
            };
            new (self) Framework();
            self->name = name.c_str();
            name.release();
            self->wins = wins;
            self->forward_only = forward_only;
            if (!exchange_type.is_none()) self->exchange = exchange_api_of(exchange_type.ptr());
            self->from_tensor = keep(std::move(from_tensor));
            self->prepare = keep(std::move(prepare));
            self->current_stream = keep(std::move(current_stream));
            self->allocate = keep(std::move(allocate));
            self->has_dtype = keep(std::move(has_dtype));
            self->is_negative = keep(std::move(is_negative));
            self->is_conjugate = keep(std::move(is_conjugate));
          },
          nb::arg("name"), nb::kw_only(), nb::arg("wins") = false,
          nb::arg("exchange_type").none() = nb::none(), nb::arg("from_tensor").none() = nb::none(),
          nb::arg("prepare").none() = nb::none(), nb::arg("current_stream").none() = nb::none(),
          nb::arg("allocate").none() = nb::none(), nb::arg("has_dtype").none() = nb::none(),
          nb::arg("is_negative").none() = nb::none(), nb::arg("is_conjugate").none() = nb::none(),
          nb::arg("forward_only") = false)
      .def_prop_ro("name", [](const Framework& self) { return nb::str(self.name); })
      .def_prop_ro("has_exchange", [](const Framework& self) { return self.exchange != nullptr; });
}

}  // namespace tvm_ffi_core
