// SPDX-License-Identifier: Apache-2.0
// A Tensor object over a framework's tensor that owns nothing until it is kept.
//
// A kernel may take a `TensorView` or a `Tensor`. To support both without allocating or taking
// ownership in the common case, an argument is passed as a Tensor object from a pool, which only
// borrows the framework's memory. After the call, an object to which the callee kept a reference
// is made to own the framework's tensor; any other returns to the pool.
#ifndef TVM_FFI_PYTHON_CORE_LENT_TENSOR_H_
#define TVM_FFI_PYTHON_CORE_LENT_TENSOR_H_

#include "lending/framework.h"
#include "values/stream.h"

namespace tvm_ffi_core {

enum class Owner : int {
  kNobody,        // `owner` is a Python tensor, borrowed for the call, or NULL: see is_bare_view
  kPythonObject,  // a PyObject
  kTensorObject,  // a TVMFFIObject, the Tensor whose memory this one shares
  kManaged,       // a DLManagedTensor
  kManagedVersioned,  // a DLManagedTensorVersioned
};

struct LentTensor {
  static constexpr int kInlineDims = 8;

  TVMFFIObjectAllocHeader allocation;
  TVMFFIObject head;
  DLTensor tensor;
  // The fields below are private to this extension.
  Owner owner_kind;
  bool read_only;  // the producer forbids writing
  void* owner;
  const Framework* framework;  // of the source tensor, or NULL; calls follow its stream
  PyObject* stream_source;     // owned; queried for the stream of calls instead of the framework
  int64_t* heap_dims;          // shape and strides when inline_dims is too small
  LentTensor* next_free;       // in the pool, or the frame's next one while lent as an element
  int64_t inline_dims[2 * kInlineDims];
};

static_assert(offsetof(LentTensor, head) == sizeof(TVMFFIObjectAllocHeader));
static_assert(offsetof(LentTensor, tensor) == offsetof(LentTensor, head) + sizeof(TVMFFIObject));

// The lent tensor behind a Tensor object; NULL for one created elsewhere.
LentTensor* lent_tensor_of(TVMFFIObject* tensor);

// The unused lent tensors, linked by `next_free`. Guarded by the GIL.
struct LentTensorPool {
  static constexpr int kMostTensors = 64;
  LentTensor* first = nullptr;
  int size = 0;
};
extern LentTensorPool lent_tensor_pool;

inline bool has_sole_owner(const LentTensor* lent) { return has_sole_owner(&lent->head); }

// Allocates a tensor; NULL with a Python error set if out of memory.
LentTensor* new_lent_tensor(const Framework* framework);

// Takes a tensor from the pool; NULL with a Python error set if out of memory. Needs the GIL.
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

// Whether a tensor on a device with streams was ever lent. Guarded by the GIL.
extern bool device_tensor_was_lent;

// Like complete_lent_tensor(), for any view; the slow path.
const char* complete_any_lent_tensor(LentTensor* lent);

// Copies the shape and strides of the view in `lent->tensor`, which until then belong to the
// producer, fills in missing strides, and folds the byte offset into the data pointer.
// Returns a description of the problem with the view, or NULL.
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

// Like complete_lent_tensor(), for a view stored elsewhere.
inline const char* fill_lent_tensor(LentTensor* lent, const DLTensor& view) {
  lent->tensor = view;
  return complete_lent_tensor(lent);
}

// Space for the shape and strides of `ndim` dimensions; NULL if out of memory.
int64_t* lent_tensor_dims(LentTensor* lent, int ndim);

// Like release_lent_tensor(), for any tensor; the slow path.
int release_any_lent_tensor(LentTensor* lent);

// After the call: returns the tensor to the pool, or makes it own its memory if it was kept.
// Needs the GIL and no Python error set; returns -1 with a Python error set if owning failed.
inline int release_lent_tensor(LentTensor* lent) {
  if (lent->owner_kind != Owner::kNobody || lent->stream_source != nullptr ||
      !has_sole_owner(lent) || lent_tensor_pool.size == LentTensorPool::kMostTensors) {
    return release_any_lent_tensor(lent);
  }
  put_into_pool(lent);
  return 0;
}

// Takes a reference to a Python tensor borrowed for the call, as one in a list may be destroyed
// before the call is over.
inline void own_python_source(LentTensor* lent) {
  if (lent->owner_kind != Owner::kNobody || lent->owner == nullptr) return;
  Py_INCREF(static_cast<PyObject*>(lent->owner));
  lent->owner_kind = Owner::kPythonObject;
}

// Makes a tensor without an owner own its memory; a bare view is unchanged. 0, or -1 with a Python
// error set.
int own_lent_tensor(LentTensor* lent);

// Frees a Tensor object of which the caller is the sole owner, returning it to the pool if it came
// from there; returns false and does nothing for any other. Needs the GIL.
bool recycle_tensor(TVMFFIObject* tensor);

// Moves the DLPack tensor out of a Tensor object of which the caller is the sole owner, and frees
// the object; returns NULL and does nothing if it is shared or holds something else.
DLManagedTensorVersioned* take_managed(TVMFFIObject* tensor);

// The Python tensor that a call in progress lends as this Tensor object, if it belongs to
// `framework`; borrowed, or NULL. Needs the GIL.
inline PyObject* lent_source(TVMFFIObject* tensor, const Framework* framework) {
  const LentTensor* lent = framework != nullptr ? lent_tensor_of(tensor) : nullptr;
  return lent != nullptr && lent->framework == framework && lent->owner_kind == Owner::kNobody
             ? static_cast<PyObject*>(lent->owner)
             : nullptr;
}

// Whether the tensor is a view, lent by C code to a callback, of memory without a known owner. It
// can own that memory only if the memory belongs to an argument of a call in progress.
inline bool is_bare_view(const LentTensor* lent) {
  return lent->owner_kind == Owner::kNobody && lent->owner == nullptr;
}

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_LENT_TENSOR_H_
