// SPDX-License-Identifier: Apache-2.0
// Fills a lent tensor through DLPack's Python protocol: `__dlpack_device__` and `__dlpack__`.
#include "lending/dlpack_producer.h"

#include "base/int_pair.h"
#include "lending/frame.h"

namespace tvm_ffi_core {

namespace {

struct Names {
  PyObject* dlpack = PyUnicode_InternFromString("__dlpack__");
  PyObject* dlpack_device = PyUnicode_InternFromString("__dlpack_device__");
  PyObject* max_version = PyUnicode_InternFromString("max_version");
  PyObject* stream = PyUnicode_InternFromString("stream");
  PyObject* newest = Py_BuildValue("(ii)", DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION);
  PyObject* with_version = PyTuple_Pack(1, max_version);
  PyObject* with_version_and_stream = PyTuple_Pack(2, max_version, stream);
  PyObject* with_stream = PyTuple_Pack(1, stream);
};

const Names& names() {
  static const Names* made = new Names();
  return *made;
}

// The stream before which the producer must order its work, in array API form: None for a device
// without streams, 1 for CUDA's default stream.
nb::object stream_for(DLDevice device) {
  void* stream = TVMFFIEnvGetStream(device.device_type, device.device_id);
  switch (device.device_type) {
    case kDLCUDA:
    case kDLCUDAManaged:
      return nb::int_(stream == nullptr ? uintptr_t{1} : reinterpret_cast<uintptr_t>(stream));
    case kDLROCM:
      return nb::int_(reinterpret_cast<uintptr_t>(stream));
    default:
      return nb::none();
  }
}

int device_of(PyObject* tensor, DLDevice* device) {
  nb::object pair = nb::steal(PyObject_CallMethodNoArgs(tensor, names().dlpack_device));
  if (!pair.is_valid()) return -1;
  IntPair numbers;
  if (read_int_pair(pair.ptr(), "__dlpack_device__ must give two integers", &numbers) != 0) {
    return -1;
  }
  device->device_type = static_cast<DLDeviceType>(numbers.first);
  device->device_id = numbers.second;
  return 0;
}

// Calls `__dlpack__`; a producer that predates DLPack 1.0 does not accept `max_version`.
nb::object call_dlpack(PyObject* tensor, nb::object stream) {
  const Names& n = names();
  bool has_stream = !stream.is_none();
  PyObject* arguments[] = {tensor, n.newest, stream.ptr()};
  PyObject* capsule = PyObject_VectorcallMethod(
      n.dlpack, arguments, 1, has_stream ? n.with_version_and_stream : n.with_version);
  if (capsule == nullptr && PyErr_ExceptionMatches(PyExc_TypeError)) {
    PyErr_Clear();
    PyObject* old_arguments[] = {tensor, stream.ptr()};
    capsule =
        PyObject_VectorcallMethod(n.dlpack, old_arguments, 1, has_stream ? n.with_stream : nullptr);
  }
  return nb::steal(capsule);
}

}  // namespace

int fill_from_dlpack(LentTensor* lent, PyObject* tensor, Lending how) {
  const Framework* framework = lent->framework;
  nb::object prepared;
  if (framework != nullptr && framework->prepare != nullptr) {
    prepared = nb::steal(PyObject_CallOneArg(framework->prepare, tensor));
    if (!prepared.is_valid()) return -1;
    tensor = prepared.ptr();
  }
  DLDevice device;
  if (device_of(tensor, &device) != 0) return -1;
  // Nothing to wait for if the call runs on the framework's own stream.
  const bool same_stream = framework != nullptr && framework->current_stream != nullptr &&
                           device.device_type != kDLCPU &&
                           (how.frame == nullptr || how.frame->follows(framework, device));
  nb::object capsule = call_dlpack(tensor, same_stream ? nb::int_(-1) : stream_for(device));
  if (!capsule.is_valid()) return -1;
  const int code = fill_from_capsule(lent, capsule.ptr());
  if (code != 0) {
    nb::error_scope raised;  // a producer's deleter may be written in Python
    capsule.reset();
  }
  return code;
}

int fill_from_capsule(LentTensor* lent, PyObject* capsule) {
  const DLTensor* source = nullptr;
  if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
    auto* managed =
        static_cast<DLManagedTensorVersioned*>(PyCapsule_GetPointer(capsule, "dltensor_versioned"));
    if (managed->version.major != DLPACK_MAJOR_VERSION) {
      // Not consumed: the capsule's destructor frees the tensor.
      PyErr_Format(PyExc_BufferError, "its DLPack version is %u.%u, expected %d.x",
                   managed->version.major, managed->version.minor, DLPACK_MAJOR_VERSION);
      return -1;
    }
    PyCapsule_SetName(capsule, "used_dltensor_versioned");
    lent->owner = managed;
    lent->owner_kind = Owner::kManagedVersioned;
    lent->read_only = (managed->flags & DLPACK_FLAG_BITMASK_READ_ONLY) != 0;
    source = &managed->dl_tensor;
  } else if (PyCapsule_IsValid(capsule, "dltensor")) {
    auto* managed = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule, "dltensor"));
    PyCapsule_SetName(capsule, "used_dltensor");
    lent->owner = managed;
    lent->owner_kind = Owner::kManaged;
    source = &managed->dl_tensor;
  } else {
    PyErr_Format(PyExc_TypeError, "__dlpack__ must give a DLPack capsule that is not used, got %R",
                 capsule);
    return -1;
  }
  const char* problem = fill_lent_tensor(lent, *source);
  if (problem != nullptr) {
    PyErr_SetString(PyExc_ValueError, problem);
    return -1;
  }
  return 0;
}

}  // namespace tvm_ffi_core
