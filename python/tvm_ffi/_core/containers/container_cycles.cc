// SPDX-License-Identifier: Apache-2.0
// The part of containers in Python's garbage collection.
#include "containers/container_cycles.h"

#include <tvm/ffi/container/list.h>
#include <tvm/ffi/container/map_base.h>

#include <new>

#include "objects/carried_object.h"
#include "objects/container_instance.h"

namespace tvm_ffi_core {

namespace ffi = tvm::ffi;

namespace {

// Containers in each other, deeper than which nothing is visited: the stack is finite.
constexpr int kDeepest = 64;

int visit_value(const TVMFFIAny& value, int depth, visitproc visit, void* arg);

// What is visited must be owned by the instance alone, by way of objects that each have one owner.
// Whoever else may use one of them holds a count of it or of one around it, also for the time of a
// call (pack_container): so the answer cannot change while the collector, which holds the GIL, asks
// several times.
int visit_object(TVMFFIObject* object, int depth, visitproc visit, void* arg) {
  if (!has_sole_owner(object)) return 0;
  if (PyObject* carried = carried_by(object)) {
    Py_VISIT(carried);
    return 0;
  }
  if (depth == kDeepest) return 0;
  if (is_sequence(object->type_index)) {
    const auto* cell = contents<TVMFFISeqCell>(object);
    for (int64_t i = 0; i < cell->size; ++i) {
      int code = visit_value(static_cast<const TVMFFIAny*>(cell->data)[i], depth + 1, visit, arg);
      if (code != 0) return code;
    }
  } else if (is_mapping(object->type_index)) {
    for (const auto& pair : *reinterpret_cast<const ffi::MapBaseObj*>(object)) {
      int code = visit_value(pair.first.CopyToTVMFFIAny(), depth + 1, visit, arg);
      if (code == 0) code = visit_value(pair.second.CopyToTVMFFIAny(), depth + 1, visit, arg);
      if (code != 0) return code;
    }
  }
  return 0;
}

int visit_value(const TVMFFIAny& value, int depth, visitproc visit, void* arg) {
  if (value.type_index < kTVMFFIStaticObjectBegin) return 0;
  return visit_object(value.v_obj, depth, visit, arg);
}

}  // namespace

int visit_elements(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  TVMFFIObject* handle = handle_of(self);
  return handle == nullptr ? 0 : visit_object(handle, 0, visit, arg);
}

int clear_elements(PyObject* self) {
  TVMFFIObject* handle = handle_of(self);
  if (handle == nullptr || !has_sole_owner(handle)) return 0;
  try {
    if (handle->type_index == kTVMFFIList) {
      ffi::GetRef<ffi::List<ffi::Any>>(reinterpret_cast<ffi::ListObj*>(handle)).clear();
    } else if (handle->type_index == kTVMFFIDict) {
      reinterpret_cast<ffi::MapBaseObj*>(handle)->clear();
    }
  } catch (const std::bad_alloc&) {  // the cycle stays until a later collection
  }
  // An Array and a Map stay as they are, as a tuple does: what was needed to make a cycle through
  // one can be changed.
  return 0;
}

}  // namespace tvm_ffi_core
