// SPDX-License-Identifier: Apache-2.0
// A Tensor object over a framework's tensor that owns nothing until it is kept.
#include "lending/lent_tensor.h"

#include <tvm/ffi/device.h>

#include <cstdlib>
#include <new>

#include "values/stream.h"

namespace tvm_ffi_core {

namespace {

void drop_owner(LentTensor* lent) {
  if (PyObject* source = std::exchange(lent->stream_source, nullptr)) drop_from_any_thread(source);
  void* owner = std::exchange(lent->owner, nullptr);
  if (owner == nullptr) return;
  switch (std::exchange(lent->owner_kind, Owner::kNobody)) {
    case Owner::kNobody:
      break;
    case Owner::kPythonObject:
      drop_from_any_thread(static_cast<PyObject*>(owner));
      break;
    case Owner::kTensorObject:
      TVMFFIObjectDecRef(owner);
      break;
    case Owner::kManaged: {
      auto* managed = static_cast<DLManagedTensor*>(owner);
      if (managed->deleter != nullptr) managed->deleter(managed);
      break;
    }
    case Owner::kManagedVersioned: {
      auto* managed = static_cast<DLManagedTensorVersioned*>(owner);
      if (managed->deleter != nullptr) managed->deleter(managed);
      break;
    }
  }
}

LentTensor* from_head(void* head) {
  return reinterpret_cast<LentTensor*>(static_cast<char*>(head) - offsetof(LentTensor, head));
}

// May run in any thread without the GIL, so the memory is not returned to the pool.
void delete_lent_tensor(void* head, int flags) {
  LentTensor* lent = from_head(head);
  if (flags & kTVMFFIObjectDeleterFlagBitMaskStrong) drop_owner(lent);
  if (flags & kTVMFFIObjectDeleterFlagBitMaskWeak) {
    std::free(lent->heap_dims);
    std::free(lent);
  }
}

void delete_space(void* head) { std::free(from_head(head)); }

}  // namespace

LentTensorPool lent_tensor_pool;

LentTensor* lent_tensor_of(TVMFFIObject* tensor) {
  return tensor->deleter == delete_lent_tensor ? from_head(tensor) : nullptr;
}

LentTensor* new_lent_tensor(const Framework* framework) {
  auto* lent = static_cast<LentTensor*>(std::calloc(1, sizeof(LentTensor)));
  if (lent == nullptr) {
    PyErr_NoMemory();
    return nullptr;
  }
  lent->allocation.delete_space = delete_space;
  lent->head.combined_ref_count = kSoleReference;
  lent->head.type_index = kTVMFFITensor;
  lent->head.deleter = delete_lent_tensor;
  lent->framework = framework;
  return lent;
}

int64_t* lent_tensor_dims(LentTensor* lent, int ndim) {
  if (ndim <= LentTensor::kInlineDims) return lent->inline_dims;
  std::free(lent->heap_dims);
  lent->heap_dims =
      static_cast<int64_t*>(std::malloc(sizeof(int64_t) * 2 * static_cast<size_t>(ndim)));
  return lent->heap_dims;
}

bool device_tensor_was_lent = false;

const char* complete_any_lent_tensor(LentTensor* lent) {
  const DLTensor view = lent->tensor;
  if (has_streams(view.device.device_type)) device_tensor_was_lent = true;
  int ndim = view.ndim;
  if (ndim < 0) return "its DLPack view has a negative number of dimensions";
  if (ndim > 0 && view.shape == nullptr) return "its DLPack view has no shape";
  int64_t* shape = lent_tensor_dims(lent, ndim);
  if (shape == nullptr) return "out of memory";
  int64_t* strides = shape + ndim;
  lent->tensor.shape = shape;
  lent->tensor.strides = strides;
  int64_t numel = 1;
  for (int i = ndim; i-- > 0;) {
    int64_t extent = view.shape[i];
    if (extent < 0) return "its DLPack view has a negative extent";
    shape[i] = extent;
    strides[i] = view.strides != nullptr ? view.strides[i] : numel;
    if (__builtin_mul_overflow(numel, extent, &numel)) return "it has more than 2^63 elements";
  }
  if (view.data == nullptr && numel != 0) {
    return "it has elements but no memory (a fake, meta or lazily allocated tensor)";
  }
  if (view.byte_offset != 0 && view.data != nullptr && tvm::ffi::HasPlainAddresses(view.device)) {
    lent->tensor.data = static_cast<char*>(view.data) + view.byte_offset;
    lent->tensor.byte_offset = 0;
  }
  return nullptr;
}

int own_lent_tensor(LentTensor* lent) {
  if (lent->owner_kind != Owner::kNobody || is_bare_view(lent)) return 0;
  auto* source = static_cast<PyObject*>(lent->owner);
  const DLPackExchangeAPI* exchange =
      lent->framework != nullptr ? lent->framework->exchange : nullptr;
  if (exchange != nullptr) {
    DLManagedTensorVersioned* managed = nullptr;
    if (exchange->managed_tensor_from_py_object_no_sync(source, &managed) != 0) {
      // The callee already has a reference, so the memory must outlive the framework's failure.
      Py_INCREF(source);
      lent->owner_kind = Owner::kPythonObject;
      return -1;
    }
    lent->owner = managed;
    lent->owner_kind = Owner::kManagedVersioned;
  } else {
    Py_INCREF(source);
    lent->owner_kind = Owner::kPythonObject;
  }
  return 0;
}

bool recycle_tensor(TVMFFIObject* tensor) {
  LentTensor* lent = lent_tensor_of(tensor);
  if (lent == nullptr || !has_sole_owner(lent)) return false;
  release_lent_tensor(lent);
  return true;
}

DLManagedTensorVersioned* take_managed(TVMFFIObject* tensor) {
  LentTensor* lent = lent_tensor_of(tensor);
  if (lent == nullptr || lent->owner_kind != Owner::kManagedVersioned || !has_sole_owner(lent)) {
    return nullptr;
  }
  auto* managed = static_cast<DLManagedTensorVersioned*>(lent->owner);
  // Not every consumer handles byte offsets and NULL strides.
  if (managed->dl_tensor.byte_offset != 0 || managed->dl_tensor.strides == nullptr) return nullptr;
  lent->owner = nullptr;
  lent->owner_kind = Owner::kNobody;
  release_lent_tensor(lent);
  return managed;
}

int release_any_lent_tensor(LentTensor* lent) {
  if (has_sole_owner(lent)) {
    if (lent->owner_kind == Owner::kPythonObject) {
      // The GIL is already held.
      lent->owner_kind = Owner::kNobody;
      Py_XDECREF(static_cast<PyObject*>(std::exchange(lent->owner, nullptr)));
    }
    drop_owner(lent);
    if (lent_tensor_pool.size == LentTensorPool::kMostTensors) {
      std::free(lent->heap_dims);
      std::free(lent);
    } else {
      put_into_pool(lent);
    }
    return 0;
  }
  int code = own_lent_tensor(lent);
  TVMFFIObjectDecRef(&lent->head);
  return code;
}

}  // namespace tvm_ffi_core
