// SPDX-License-Identifier: Apache-2.0
// Garbage collection support for containers.
#include "containers/container_cycles.h"

#include <tvm/ffi/container/list.h>
#include <tvm/ffi/container/map_base.h>

#include <new>

#include "objects/carried_object.h"
#include "objects/container_instance.h"

namespace tvm_ffi_core {

namespace ffi = tvm::ffi;

namespace {

// Nesting depth beyond which nothing is visited, because the stack is finite.
constexpr int kDeepest = 64;

int visit_value(const TVMFFIAny& value, int depth, visitproc visit, void* arg);

// Only objects owned solely by the instance are visited, through objects that each have one owner.
// Every other user of one of them holds a reference to it or to a container around it, including
// for the duration of a call (pack_container), so the result cannot change while the collector,
// which holds the GIL, traverses several times.
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
  // An Array or a Map is unchanged, like a tuple: a cycle through one always contains something
  // mutable to clear.
  return 0;
}

}  // namespace tvm_ffi_core
