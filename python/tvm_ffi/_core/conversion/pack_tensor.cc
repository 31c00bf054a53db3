// SPDX-License-Identifier: Apache-2.0
// Packs tensors, and containers that may hold tensors, as arguments whose streams the call follows.
#include "conversion/pack_tensor.h"

#include "conversion/container_device.h"
#include "lending/bare_view.h"
#include "lending/exchange_producer.h"
#include "lending/lend.h"
#include "objects/container_instance.h"
#include "tensors/tensor.h"
#include "values/stream.h"

namespace tvm_ffi_core {

namespace {

// Sets the device's stream to the result of `ask`, called with the tensor.
int follow_asked_stream(CallFrame* frame, PyObject* ask, PyObject* value, DLDevice device) {
  if (!has_streams(device.device_type) || frame->has_stream(device)) return 0;
  nb::object number = nb::steal(PyObject_CallOneArg(ask, value));
  if (!number.is_valid()) return -1;
  void* stream = PyLong_AsVoidPtr(number.ptr());
  if (stream == nullptr && PyErr_Occurred()) return -1;
  return frame->set_stream(device, stream, nullptr);
}

// Sets the device's stream to the framework's current one.
int follow_stream(CallFrame* frame, const Framework* framework, DLDevice device) {
  if (!has_streams(device.device_type) || frame->has_stream(device)) return 0;
  if (framework == nullptr) return 0;
  void* stream = nullptr;
  if (framework->exchange != nullptr) {
    if (framework->exchange->current_work_stream(device.device_type, device.device_id, &stream)) {
      return -1;
    }
  } else if (framework->current_stream != nullptr) {
    nb::object id = nb::steal(PyLong_FromLong(device.device_id));
    nb::object address = nb::steal(PyObject_CallOneArg(framework->current_stream, id.ptr()));
    if (!address.is_valid()) return -1;
    stream = PyLong_AsVoidPtr(address.ptr());
    if (stream == nullptr && PyErr_Occurred()) return -1;
  } else {
    return 0;
  }
  return frame->set_stream(device, stream, framework);
}

// Sets the device's stream to that of `value`, obtained from it or from its framework.
int follow_stream_of(CallFrame* frame, const Packer& packer, PyObject* value, DLDevice device) {
  return packer.helper != nullptr ? follow_asked_stream(frame, packer.helper, value, device)
                                  : follow_stream(frame, packer.framework, device);
}

// Follows the stream of the tensor's source, obtained from the source or from its framework.
int follow_stream_of_source(CallFrame* frame, const LentTensor* lent) {
  if (lent->stream_source == nullptr) {
    return follow_stream(frame, lent->framework, lent->tensor.device);
  }
  nb::object source = nb::borrow(lent->stream_source);
  const Packer* packer = find_packer(Py_TYPE(source.ptr()));
  if (packer == nullptr) return -1;
  return follow_asked_stream(frame, packer->helper, source.ptr(), lent->tensor.device);
}

// Follows the stream of the first tensor in a container that is on a device with streams.
int follow_stream_in(CallFrame* frame, TVMFFIObject* container) {
  const LentTensor* lent = first_device_tensor(container);
  return lent == nullptr ? 0 : follow_stream_of_source(frame, lent);
}

// Packs a tensor that `fill` lends.
template <typename FillWith>
inline int pack_lent(FillWith fill, const Place& place, PyObject* value, const Packer& packer) {
  CallFrame* frame = place.frame;
  Lending how;
  how.trusted = frame->trusted();
  how.frame = frame;
  LentTensor* lent = lend_by(fill, packer.framework, value, how);
  if (lent == nullptr) return -1;
  if (has_streams(lent->tensor.device.device_type) &&
      follow_stream_of(frame, packer, value, lent->tensor.device) != 0) {
    discard(lent);
    return -1;
  }
  frame->saw_tensor_of(packer.framework);
  place.out->type_index = kTVMFFITensor;
  place.out->v_obj = &lent->head;
  if (place.owns) {
    own_python_source(lent);
    if (packer.helper != nullptr) {  // a later call with the container queries it again
      Py_INCREF(value);
      lent->stream_source = value;
    }
    frame->keep_element(lent);
    TVMFFIObjectIncRef(&lent->head);
  } else {
    frame->keep(lent);
  }
  return 0;
}

}  // namespace

int pack_exchange_tensor(const Place& place, PyObject* value, const Packer& packer) {
  auto fill = [](LentTensor* lent, PyObject* tensor, Lending how) {
    return fill_from_exchange(lent, tensor, how);
  };
  return pack_lent(fill, place, value, packer);
}

int pack_tensor(const Place& place, PyObject* value, const Packer& packer) {
  return pack_lent(packer.kind->fill, place, value, packer);
}

int pack_own_tensor(const Place& place, PyObject* value, const Packer&) {
  if (!has_tensor(value)) return -1;
  TVMFFIObject* handle = handle_of(value);
  LentTensor* lent = lent_tensor_of(handle);
  if (lent != nullptr && follow_stream_of_source(place.frame, lent) != 0) return -1;
  place.frame->saw_tensor_of(nullptr);
  if (lent == nullptr || find_owner(lent)) {
    place.borrow(handle);
    return 0;
  }
  if (place.owns) {
    refuse_bare_view();
    return -1;
  }
  // If passed a Tensor, the function could make another one, which would outlive the memory.
  place.out->type_index = kTVMFFIDLTensorPtr;
  place.out->v_ptr = &lent->tensor;
  return 0;
}

int pack_container(const Place& place, PyObject* value, const Packer&) {
  TVMFFIObject* handle = handle_of(value);
  if (follow_stream_in(place.frame, handle) != 0) return -1;
  const Framework* framework = framework_of_container(value);
  if (framework != nullptr) place.frame->saw_tensor_of(framework);
  place.borrow(handle);
  if (!place.owns) {
    // A separate reference while non-Python code uses it: the garbage collector relies on this.
    TVMFFIObjectIncRef(handle);
    place.frame->keep(handle);
  }
  return 0;
}

}  // namespace tvm_ffi_core
