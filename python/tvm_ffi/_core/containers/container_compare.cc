// SPDX-License-Identifier: Apache-2.0
// Equality, hash and repr of containers.
#include "containers/container_compare.h"

#include <tvm/ffi/any_hash.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/container/seq_base.h>

#include <algorithm>
#include <vector>

#include "base/guarded.h"
#include "conversion/result.h"
#include "objects/container_instance.h"

namespace tvm_ffi_core {

namespace {

int sequences_are_equal(TVMFFIObject* a, TVMFFIObject* b) {
  const auto* x = contents<TVMFFISeqCell>(a);
  const auto* y = contents<TVMFFISeqCell>(b);
  if (x->size != y->size) return 0;
  for (int64_t i = 0; i < x->size && i < y->size; ++i) {
    // Both are held: a type's equality method may modify a List.
    const ffi::Any left = static_cast<const ffi::Any*>(x->data)[i];
    const ffi::Any right = static_cast<const ffi::Any*>(y->data)[i];
    int equal = values_are_equal(left.CopyToTVMFFIAny(), right.CopyToTVMFFIAny());
    if (equal != 1) return equal;
  }
  return 1;
}

// Keys are compared as the table does: a container key matches only itself.
int mappings_are_equal(TVMFFIObject* a, TVMFFIObject* b) {
  const auto* x = reinterpret_cast<const ffi::MapBaseObj*>(a);
  const auto* y = reinterpret_cast<const ffi::MapBaseObj*>(b);
  if (x->size() != y->size()) return 0;
  // Copied and held, as a type's equality method may modify either map.
  const std::vector<std::pair<ffi::Any, ffi::Any>> pairs(x->begin(), x->end());
  for (const auto& pair : pairs) {
    auto found = y->find(pair.first);
    if (found == y->end()) return 0;
    const ffi::Any value = found->second;
    int equal = values_are_equal(pair.second.CopyToTVMFFIAny(), value.CopyToTVMFFIAny());
    if (equal != 1) return equal;
  }
  return 1;
}

int containers_are_equal(TVMFFIObject* a, TVMFFIObject* b) {
  if (Py_EnterRecursiveCall(" while comparing containers")) return -1;
  int equal = guarded(-1, [&] {
    return is_sequence(a->type_index) ? sequences_are_equal(a, b) : mappings_are_equal(a, b);
  });
  Py_LeaveRecursiveCall();
  return equal;
}

int shapes_are_equal(TVMFFIObject* a, TVMFFIObject* b) {
  const auto* x = contents<TVMFFIShapeCell>(a);
  const auto* y = contents<TVMFFIShapeCell>(b);
  return x->size == y->size && std::equal(x->data, x->data + x->size, y->data);
}

bool is_object(const TVMFFIAny& value) { return value.type_index >= kTVMFFIStaticObjectBegin; }

// The Python object carried by an opaque object.
void* carried(const TVMFFIAny& value) {
  return contents<TVMFFIOpaqueObjectCell>(value.v_obj)->handle;
}

// The object as a Python value, if that is hashable; otherwise its address.
PyObject* hash_proxy_of_object(const TVMFFIAny& value) {
  nb::object element = nb::steal(element_to_python(value, nullptr));
  if (!element.is_valid()) return nullptr;
  if (!nb::getattr(element, "__hash__").is_none()) return element.release().ptr();
  return PyLong_FromVoidPtr(value.type_index == kTVMFFIOpaquePyObject ? carried(value)
                                                                      : value.v_obj);
}

// A Python object whose hash is the value's: equal for equal values, and the same as in a tuple,
// except for a NaN, which Python hashes by its address.
PyObject* hash_proxy(const TVMFFIAny& value) {
  switch (value.type_index) {
    case kTVMFFIFloat:
      if (value.v_float64 != value.v_float64) Py_RETURN_NONE;
      break;
    case kTVMFFIOpaquePtr:
      return PyLong_FromVoidPtr(value.v_ptr);
    case kTVMFFIStr:
    case kTVMFFIBytes:
    case kTVMFFIBigInt:
    case kTVMFFIShape:
    case kTVMFFIArray:
    case kTVMFFIList:
    case kTVMFFIMap:
    case kTVMFFIDict:
      break;
    default:
      if (is_object(value)) return hash_proxy_of_object(value);
  }
  return element_to_python(value, nullptr);
}

// Same as a tuple of the same elements, which may compare equal to it.
Py_hash_t hash_of_sequence(TVMFFIObject* sequence) {
  // Copied first, as creating a Python object may run code that modifies a List.
  const auto* list = reinterpret_cast<const ffi::SeqBaseObj*>(sequence);
  const std::vector<ffi::Any> elements(list->begin(), list->end());
  nb::object proxies = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(elements.size())));
  if (!proxies.is_valid()) return -1;
  Py_ssize_t i = 0;
  for (const ffi::Any& element : elements) {
    PyObject* proxy = hash_proxy(element.CopyToTVMFFIAny());
    if (proxy == nullptr) return -1;
    PyTuple_SET_ITEM(proxies.ptr(), i++, proxy);
  }
  return PyObject_Hash(proxies.ptr());
}

// Independent of the order.
Py_hash_t hash_of_mapping(TVMFFIObject* mapping) {
  const auto* map = reinterpret_cast<const ffi::MapBaseObj*>(mapping);
  const std::vector<std::pair<ffi::Any, ffi::Any>> pairs(map->begin(), map->end());
  Py_uhash_t sum = 0x345678;
  for (const auto& pair : pairs) {
    nb::object key = nb::steal(hash_proxy(pair.first.CopyToTVMFFIAny()));
    nb::object value = nb::steal(hash_proxy(pair.second.CopyToTVMFFIAny()));
    if (!key.is_valid() || !value.is_valid()) return -1;
    nb::object both = nb::steal(PyTuple_Pack(2, key.ptr(), value.ptr()));
    Py_hash_t hash = both.is_valid() ? PyObject_Hash(both.ptr()) : -1;
    if (hash == -1) return -1;
    sum += static_cast<Py_uhash_t>(hash);
  }
  auto hash = static_cast<Py_hash_t>(sum);
  return hash == -1 ? -2 : hash;
}

// Handles of the containers whose repr is in progress: each read of an element wraps it anew.
thread_local std::vector<TVMFFIObject*>* shown = nullptr;

}  // namespace

int values_are_equal(const TVMFFIAny& a, const TVMFFIAny& b) {
  if (is_object(a) && is_object(b)) {
    if (a.v_obj == b.v_obj) return 1;
    if ((is_sequence(a.type_index) && is_sequence(b.type_index)) ||
        (is_mapping(a.type_index) && is_mapping(b.type_index))) {
      return containers_are_equal(a.v_obj, b.v_obj);
    }
    if (a.type_index == b.type_index) {
      if (a.type_index == kTVMFFIShape) return shapes_are_equal(a.v_obj, b.v_obj);
      if (a.type_index == kTVMFFIOpaquePyObject) return carried(a) == carried(b);
    }
  }
  if (a.type_index == kTVMFFIFloat && b.type_index == kTVMFFIFloat) {
    // NaNs are equal, so that a container equals its copy.
    return a.v_float64 == b.v_float64 || (a.v_float64 != a.v_float64 && b.v_float64 != b.v_float64);
  }
  return guarded(-1, [&] { return static_cast<int>(ffi::detail::AreEqual(a, b)); });
}

Py_hash_t hash_of_container(PyObject* container) {
  if (Py_EnterRecursiveCall(" while hashing a container")) return -1;
  TVMFFIObject* handle = handle_of(container);
  const auto hash = guarded(Py_hash_t{-1}, [handle] {
    return is_sequence(handle->type_index) ? hash_of_sequence(handle) : hash_of_mapping(handle);
  });
  Py_LeaveRecursiveCall();
  return hash;
}

PyObject* repr_of_container(PyObject* container) {
  TVMFFIObject* handle = handle_of(container);
  // Reserve first, so that the entry added below is always removed.
  const int has_room = guarded(-1, [] {
    if (shown == nullptr) shown = new std::vector<TVMFFIObject*>();
    shown->reserve(shown->size() + 1);
    return 0;
  });
  if (has_room != 0) return nullptr;
  if (std::find(shown->begin(), shown->end(), handle) != shown->end()) {
    return PyUnicode_FromString(handle->type_index == kTVMFFIArray  ? "(...)"
                                : handle->type_index == kTVMFFIList ? "[...]"
                                                                    : "{...}");
  }
  if (Py_EnterRecursiveCall(" while getting the repr of a container")) return nullptr;
  shown->push_back(handle);
  PyObject* text = PyObject_CallMethod(container, "_as_literal", nullptr);
  shown->pop_back();
  if (shown->empty()) delete std::exchange(shown, nullptr);
  Py_LeaveRecursiveCall();
  return text;
}

}  // namespace tvm_ffi_core
