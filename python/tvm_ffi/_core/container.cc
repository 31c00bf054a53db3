// SPDX-License-Identifier: Apache-2.0
// What the Python types tvm_ffi.Array, List, Map and Dict share.
#include "container.h"

#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/container/map.h>

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "result.h"
#include "stream.h"

namespace tvm_ffi_core {

PyTypeObject* container_type = nullptr;

namespace {

Py_ssize_t length(PyObject* self) {
  TVMFFIObject* handle = handle_of(self);
  if (is_sequence(handle->type_index)) return contents<TVMFFISeqCell>(handle)->size;
  return static_cast<Py_ssize_t>(reinterpret_cast<ffi::MapBaseObj*>(handle)->size());
}

// What `other` is compared as: its own handle, or a list, tuple or dict packed into `packed`. NULL
// if it is nothing of that kind; with a Python error if it could not be looked at.
TVMFFIObject* comparable(PyObject* self, PyObject* other, ffi::Any* packed) {
  if (PyObject_TypeCheck(other, container_type)) return handle_of(other);
  bool may_equal = is_sequence(handle_of(self)->type_index)
                       ? PyList_Check(other) || PyTuple_Check(other)
                       : PyDict_Check(other) != 0;
  if (!may_equal || PyObject_Size(other) != length(self)) return nullptr;
  if (pack_if_possible(other, packed) != 1) return nullptr;
  TVMFFIAny any = packed->CopyToTVMFFIAny();
  return any.type_index >= kTVMFFIStaticObjectBegin ? any.v_obj : nullptr;
}

PyObject* compare(PyObject* self, PyObject* other, int operation) {
  if (operation != Py_EQ && operation != Py_NE) Py_RETURN_NOTIMPLEMENTED;
  ffi::Any packed;
  TVMFFIObject* with = comparable(self, other, &packed);
  if (PyErr_Occurred()) return nullptr;
  if (with == nullptr) Py_RETURN_NOTIMPLEMENTED;
  TVMFFIAny a, b;
  clear(&a);
  clear(&b);
  a.type_index = handle_of(self)->type_index;
  a.v_obj = handle_of(self);
  b.type_index = with->type_index;
  b.v_obj = with;
  int equal = values_are_equal(a, b);
  if (equal < 0) return nullptr;
  return PyBool_FromLong((equal != 0) == (operation == Py_EQ));
}

PyType_Slot slots[] = {{Py_tp_doc, const_cast<char*>("The base of Array, List, Map and Dict.")},
                       {Py_tp_repr, reinterpret_cast<void*>(repr_of_container)},
                       {Py_tp_hash, reinterpret_cast<void*>(hash_of_container)},
                       {Py_tp_richcompare, reinterpret_cast<void*>(compare)},
                       {Py_sq_length, reinterpret_cast<void*>(length)},
                       {Py_mp_length, reinterpret_cast<void*>(length)},
                       {0, nullptr}};

PyType_Spec spec = {"tvm_ffi._core.ContainerBase", sizeof(ContainerInstance), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};

// Deletion, one level of which is a few frames of the stack. Beyond kDeepest levels the rest waits
// until the stack is free again.
constexpr int kDeepest = 128;

struct Deletion {
  void (*deleter)(void*, int);
  void* object;
  int flags;
};

thread_local int deletion_depth = 0;
thread_local std::vector<Deletion>* waiting_deletions = nullptr;

void delete_flat(void (*deleter)(void*, int), void* object, int flags) {
  if (deletion_depth == kDeepest) {
    if (waiting_deletions == nullptr) waiting_deletions = new std::vector<Deletion>();
    waiting_deletions->push_back({deleter, object, flags});
    return;
  }
  ++deletion_depth;
  deleter(object, flags);
  --deletion_depth;
  if (deletion_depth != 0 || waiting_deletions == nullptr) return;
  std::vector<Deletion>* waiting = waiting_deletions;
  while (!waiting->empty()) {
    Deletion next = waiting->back();
    waiting->pop_back();
    ++deletion_depth;
    next.deleter(next.object, next.flags);
    --deletion_depth;
  }
  delete std::exchange(waiting_deletions, nullptr);
}

// The deleter of each of the four types as the headers made it.
void (*plain_deleters[4])(void*, int);

template <int kSlot>
void delete_container(void* object, int flags) {
  delete_flat(plain_deleters[kSlot], object, flags);
}

const LentTensor* as_device_tensor(TVMFFIObject* object) {
  const LentTensor* lent = object->type_index == kTVMFFITensor ? lent_tensor_of(object) : nullptr;
  return lent != nullptr && has_streams(lent->tensor.device.device_type) ? lent : nullptr;
}

// The elements that are objects, the values of a mapping, in their order.
template <typename Visit>
void for_each_object(TVMFFIObject* container, Visit visit) {
  if (is_sequence(container->type_index)) {
    const auto* cell = contents<TVMFFISeqCell>(container);
    const auto* elements = static_cast<const TVMFFIAny*>(cell->data);
    for (int64_t i = 0; i < cell->size; ++i) {
      if (elements[i].type_index < kTVMFFIStaticObjectBegin) continue;
      if (!visit(elements[i].v_obj)) return;
    }
  } else {
    for (const auto& pair : *reinterpret_cast<ffi::MapBaseObj*>(container)) {
      TVMFFIAny value = pair.second.CopyToTVMFFIAny();
      if (value.type_index >= kTVMFFIStaticObjectBegin && !visit(value.v_obj)) return;
    }
  }
}

// Looks into each container once: many may hold the same one, and a List may hold itself.
const LentTensor* device_tensor_in(TVMFFIObject* container) {
  std::unordered_set<TVMFFIObject*> seen;
  std::vector<TVMFFIObject*> waiting = {container};
  while (!waiting.empty()) {
    TVMFFIObject* next = waiting.back();
    waiting.pop_back();
    if (const LentTensor* found = as_device_tensor(next)) return found;
    if (next->type_index == kTVMFFITensor || !seen.insert(next).second) continue;
    const size_t before = waiting.size();
    for_each_object(next, [&](TVMFFIObject* object) {
      int32_t type = object->type_index;
      if (type != kTVMFFITensor && !is_sequence(type) && !is_mapping(type)) return true;
      waiting.push_back(object);
      // What follows the first device tensor does not matter.
      return as_device_tensor(object) == nullptr;
    });
    std::reverse(waiting.begin() + static_cast<std::ptrdiff_t>(before), waiting.end());
  }
  return nullptr;
}

}  // namespace

const LentTensor* first_device_tensor(TVMFFIObject* container) {
  // A program without such tensors need not look at each element.
  return device_tensor_was_lent ? device_tensor_in(container) : nullptr;
}

void flatten_deletion(TVMFFIObject* container) {
  static constexpr void (*kFlat[])(void*, int) = {delete_container<0>, delete_container<1>,
                                                  delete_container<2>, delete_container<3>};
  int slot = container->type_index == kTVMFFIArray  ? 0
             : container->type_index == kTVMFFIList ? 1
             : container->type_index == kTVMFFIMap  ? 2
                                                    : 3;
  plain_deleters[slot] = container->deleter;
  container->deleter = kFlat[slot];
}

bool reads_objects_of(PyTypeObject* type, int32_t type_index) {
  const std::pair<PyTypeObject*, int32_t> classes[] = {{array_type, kTVMFFIArray},
                                                       {list_type, kTVMFFIList},
                                                       {map_type, kTVMFFIMap},
                                                       {dict_type, kTVMFFIDict}};
  for (const auto& each : classes) {
    if (PyType_IsSubtype(type, each.first)) return type_index == each.second;
  }
  return true;
}

PyObject* wrap_container(TVMFFIObject* owned, const Framework* framework) {
  PyObject* instance = wrap_object(owned);
  if (instance != nullptr && PyObject_TypeCheck(instance, container_type)) {
    reinterpret_cast<ContainerInstance*>(instance)->framework = framework;
  }
  return instance;
}

PyObject* element_to_python(const TVMFFIAny& element, const Framework* framework) {
  TVMFFIAny owned = element;
  if (owned.type_index >= kTVMFFIStaticObjectBegin) TVMFFIObjectIncRef(owned.v_obj);
  return value_to_python(&owned, framework);
}

void bind_container(nb::module_& module) {
  container_type = make_type(module, &spec, object_type);
  bind_sequence(module);
  bind_mapping(module);
}

}  // namespace tvm_ffi_core
