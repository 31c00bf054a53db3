// SPDX-License-Identifier: Apache-2.0
// A Tensor object over a framework's tensor that owns nothing until somebody keeps it.
//
// A kernel may take a `TensorView` or a `Tensor`. So that both work, and that the usual call costs
// no allocation and no ownership, an argument is passed as a Tensor object from a pool which only
// borrows the framework's memory. After the call, an object that the callee kept a reference to is
// made to own the framework's tensor; any other goes back to the pool.
#ifndef TVM_FFI_PYTHON_CORE_LENT_TENSOR_H_
#define TVM_FFI_PYTHON_CORE_LENT_TENSOR_H_

#include "lending/framework.h"
#include "values/stream.h"

namespace tvm_ffi_core {

enum class Owner : int {
  kNobody,        // `owner` is a Python tensor, borrowed for the call, or NULL: see is_bare_view
  kPythonObject,  // a PyObject
  kTensorObject,  // a TVMFFIObject, the Tensor whose memory this one shows
  kManaged,       // a DLManagedTensor
  kManagedVersioned,  // a DLManagedTensorVersioned
};

struct LentTensor {
  static constexpr int kInlineDims = 8;

  TVMFFIObjectAllocHeader allocation;
  TVMFFIObject head;
  DLTensor tensor;
  // What follows is known to this extension alone.
  Owner owner_kind;
  bool read_only;  // the producer forbids writing
  void* owner;
  const Framework* framework;  // whose tensor it is, or NULL; calls follow its stream
  PyObject* stream_source;     // owned; asked for the stream of calls, in place of the framework
  int64_t* heap_dims;          // shape and strides when inline_dims is too small
  LentTensor* next_free;       // in the pool; while it is lent as an element, the frame's next one
  int64_t inline_dims[2 * kInlineDims];
};

static_assert(offsetof(LentTensor, head) == sizeof(TVMFFIObjectAllocHeader));
static_assert(offsetof(LentTensor, tensor) == offsetof(LentTensor, head) + sizeof(TVMFFIObject));

// The lent tensor behind a Tensor object; NULL for one that was made elsewhere.
LentTensor* lent_tensor_of(TVMFFIObject* tensor);

// The lent tensors that are not in use, by `next_free`. Guarded by the GIL.
struct LentTensorPool {
  static constexpr int kMostTensors = 64;
  LentTensor* first = nullptr;
  int size = 0;
};
extern LentTensorPool lent_tensor_pool;

inline bool has_sole_owner(const LentTensor* lent) { return has_sole_owner(&lent->head); }

// Allocates a tensor; NULL with a Python error when out of memory.
LentTensor* new_lent_tensor(const Framework* framework);

// Takes a tensor from the pool; NULL with a Python error when out of memory. Needs the GIL.
inline LentTensor* acquire_lent_tensor(const Framework* framework) {
  LentTensor* lent = lent_tensor_pool.first;
  if (lent == nullptr) return new_lent_tensor(framework);
  lent_tensor_pool.first = lent->next_free;
  --lent_tensor_pool.size;
  lent->framework = framework;
  lent->read_only = false;
  return lent;
}

inline void put_into_pool(LentTensor* lent) {
  lent->owner = nullptr;
  lent->next_free = lent_tensor_pool.first;
  lent_tensor_pool.first = lent;
  ++lent_tensor_pool.size;
}

// Whether there ever was a lent tensor on a device with streams. Guarded by the GIL.
extern bool device_tensor_was_lent;

// As complete_lent_tensor(), for every view.
const char* complete_any_lent_tensor(LentTensor* lent);

// Copies the shape and the strides of the view in `lent->tensor`, which stay the producer's until
// then, fills in strides that are left out, and folds the byte offset into the data pointer.
// Returns what is wrong with the view, or NULL.
inline const char* complete_lent_tensor(LentTensor* lent) {
  DLTensor* view = &lent->tensor;
  const int ndim = view->ndim;
  if (ndim < 0 || ndim > LentTensor::kInlineDims || view->data == nullptr ||
      view->shape == nullptr || view->strides == nullptr || view->byte_offset != 0 ||
      has_streams(view->device.device_type)) {
    return complete_any_lent_tensor(lent);
  }
  int64_t* shape = lent->inline_dims;
  int64_t* strides = shape + ndim;
  int64_t numel = 1;
  for (int i = ndim; i-- > 0;) {
    const int64_t extent = view->shape[i];
    shape[i] = extent;
    strides[i] = view->strides[i];
    if (extent < 0 || __builtin_mul_overflow(numel, extent, &numel)) {
      return complete_any_lent_tensor(lent);
    }
  }
  view->shape = shape;
  view->strides = strides;
  return nullptr;
}

// As complete_lent_tensor(), of a view that lies elsewhere.
inline const char* fill_lent_tensor(LentTensor* lent, const DLTensor& view) {
  lent->tensor = view;
  return complete_lent_tensor(lent);
}

// Room for the shape and the strides of `ndim` dimensions; NULL when out of memory.
int64_t* lent_tensor_dims(LentTensor* lent, int ndim);

// As release_lent_tensor(), for every tensor.
int release_any_lent_tensor(LentTensor* lent);

// Ends the call: gives the tensor back to the pool, or makes it own its memory if it was kept.
// Needs the GIL and no Python error; returns -1 with a Python error when owning failed.
inline int release_lent_tensor(LentTensor* lent) {
  if (lent->owner_kind != Owner::kNobody || lent->stream_source != nullptr ||
      !has_sole_owner(lent) || lent_tensor_pool.size == LentTensorPool::kMostTensors) {
    return release_any_lent_tensor(lent);
  }
  put_into_pool(lent);
  return 0;
}

// Takes a reference to a Python tensor that is borrowed for the call, as one in a list may go
// before the call ends.
inline void own_python_source(LentTensor* lent) {
  if (lent->owner_kind != Owner::kNobody || lent->owner == nullptr) return;
  Py_INCREF(static_cast<PyObject*>(lent->owner));
  lent->owner_kind = Owner::kPythonObject;
}

// Makes a tensor without an owner own its memory; a bare view stays one. 0, or -1 with a Python
// error.
int own_lent_tensor(LentTensor* lent);

// Frees a Tensor object that the caller alone holds, by way of the pool if it came from there;
// false, and nothing is done, for any other. Needs the GIL.
bool recycle_tensor(TVMFFIObject* tensor);

// Takes the DLPack tensor out of a Tensor object that the caller alone holds, and gives the object
// back; NULL, and nothing is done, if others hold it or it shows something else.
DLManagedTensorVersioned* take_managed(TVMFFIObject* tensor);

// The Python tensor that a call in progress lends as this Tensor object, if it is one of
// `framework`; borrowed, or NULL. Needs the GIL.
inline PyObject* lent_source(TVMFFIObject* tensor, const Framework* framework) {
  const LentTensor* lent = framework != nullptr ? lent_tensor_of(tensor) : nullptr;
  return lent != nullptr && lent->framework == framework && lent->owner_kind == Owner::kNobody
             ? static_cast<PyObject*>(lent->owner)
             : nullptr;
}

// Whether the tensor is a view that C code lends to a callback, of memory without a known owner. It
// can own that memory only if it belongs to an argument of a call in progress.
inline bool is_bare_view(const LentTensor* lent) {
  return lent->owner_kind == Owner::kNobody && lent->owner == nullptr;
}

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_LENT_TENSOR_H_
