// SPDX-License-Identifier: Apache-2.0
// libtvm_ffi objects that own one reference to a Python object.
#include "objects/carried_object.h"

#include <cstdlib>

namespace tvm_ffi_core {

namespace {

struct CallableFunction {
  TVMFFIObjectAllocHeader allocation;
  TVMFFIObject head;
  TVMFFIFunctionCell cell;
  PyObject* callable;
};

CallableFunction* function_at(void* head) {
  return reinterpret_cast<CallableFunction*>(static_cast<char*>(head) -
                                             offsetof(CallableFunction, head));
}

void delete_space(void* head) { std::free(function_at(head)); }

// noexcept for the same reason as take_gil.
void delete_callable_function(void* head, int flags) noexcept {
  if (flags & kTVMFFIObjectDeleterFlagBitMaskStrong) {
    drop_from_any_thread(function_at(head)->callable);
  }
  if (flags & kTVMFFIObjectDeleterFlagBitMaskWeak) delete_space(head);
}

struct CarriedObject {
  TVMFFIObjectAllocHeader allocation;
  TVMFFIObject head;
  TVMFFIOpaqueObjectCell cell;
};

CarriedObject* carried_at(void* head) {
  return reinterpret_cast<CarriedObject*>(static_cast<char*>(head) - offsetof(CarriedObject, head));
}

void delete_carried_space(void* head) { std::free(carried_at(head)); }

void delete_carried_object(void* head, int flags) noexcept {
  if (flags & kTVMFFIObjectDeleterFlagBitMaskStrong) {
    drop_from_any_thread(static_cast<PyObject*>(carried_at(head)->cell.handle));
  }
  if (flags & kTVMFFIObjectDeleterFlagBitMaskWeak) delete_carried_space(head);
}

}  // namespace

TVMFFIObject* make_carried_object(PyObject* value) {
  auto* object = static_cast<CarriedObject*>(std::malloc(sizeof(CarriedObject)));
  if (object == nullptr) {
    PyErr_NoMemory();
    return nullptr;
  }
  object->allocation.delete_space = delete_carried_space;
  object->head = {};
  object->head.combined_ref_count = kSoleReference;
  object->head.type_index = kTVMFFIOpaquePyObject;
  object->head.deleter = delete_carried_object;
  Py_INCREF(value);
  object->cell.handle = value;
  return &object->head;
}

TVMFFIObject* make_callable_function(PyObject* callable, TVMFFISafeCallType call) {
  auto* function = static_cast<CallableFunction*>(std::malloc(sizeof(CallableFunction)));
  if (function == nullptr) {
    PyErr_NoMemory();
    return nullptr;
  }
  function->allocation.delete_space = delete_space;
  function->head = {};
  function->head.combined_ref_count = kSoleReference;
  function->head.type_index = kTVMFFIFunction;
  function->head.deleter = delete_callable_function;
  function->cell = {call, nullptr};
  Py_INCREF(callable);
  function->callable = callable;
  return &function->head;
}

PyObject* callable_of(void* function) { return function_at(function)->callable; }

PyObject* carried_by(TVMFFIObject* object) {
  if (object->deleter == delete_callable_function) return callable_of(object);
  // Other objects marked as Python objects may only borrow theirs.
  if (object->deleter != delete_carried_object) return nullptr;
  return static_cast<PyObject*>(carried_at(object)->cell.handle);
}

}  // namespace tvm_ffi_core
