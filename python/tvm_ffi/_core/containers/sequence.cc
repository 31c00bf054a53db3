// SPDX-License-Identifier: Apache-2.0
// The Python sequence types, the bases of tvm_ffi.Array and tvm_ffi.List, and their iterator.
#include "containers/sequence.h"

#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/list.h>

#include "base/guarded.h"
#include "containers/container_compare.h"
#include "containers/container_deletion.h"
#include "containers/container_pack.h"
#include "conversion/result.h"
#include "objects/container_instance.h"
#include "objects/own_layout.h"

namespace tvm_ffi_core {

namespace {

PyTypeObject* iterator_type = nullptr;

const TVMFFISeqCell* cell_of(PyObject* self) { return contents<TVMFFISeqCell>(handle_of(self)); }

PyObject* read(PyObject* self, int64_t i) {
  return element_to_python(static_cast<const TVMFFIAny*>(cell_of(self)->data)[i],
                           framework_of_container(self));
}

ffi::List<ffi::Any> list_of(PyObject* self) {
  return ffi::GetRef<ffi::List<ffi::Any>>(reinterpret_cast<ffi::ListObj*>(handle_of(self)));
}

PyObject* bad_index(PyObject* self, const char* method, Py_ssize_t index) {
  Py_ssize_t size = cell_of(self)->size;
  if (size == 0) {
    PyErr_Format(PyExc_IndexError, "%s%s: expected an element, got index %zd of an empty one",
                 Py_TYPE(self)->tp_name, method, index);
  } else {
    PyErr_Format(PyExc_IndexError, "%s%s: expected an index from %zd to %zd, got %zd",
                 Py_TYPE(self)->tp_name, method, -size, size - 1, index);
  }
  return nullptr;
}

// The index that `key` refers to, or -1 with a Python error set.
Py_ssize_t find_index(PyObject* self, const char* method, PyObject* key) {
  if (!PyIndex_Check(key)) {
    PyErr_Format(PyExc_TypeError, "%s%s: index: expected an integer or a slice, got %s",
                 Py_TYPE(self)->tp_name, method, Py_TYPE(key)->tp_name);
    return -1;
  }
  Py_ssize_t index = PyNumber_AsSsize_t(key, PyExc_IndexError);
  if (index == -1 && PyErr_Occurred()) return -1;
  Py_ssize_t size = cell_of(self)->size;
  Py_ssize_t place = index < 0 ? index + size : index;
  if (place < 0 || place >= size) {
    bad_index(self, method, index);
    return -1;
  }
  return place;
}

struct Slice {
  Py_ssize_t start, stop, step, count;
};

int unpack_slice(PyObject* key, Slice* slice) {
  return PySlice_Unpack(key, &slice->start, &slice->stop, &slice->step);
}

// Clips the slice to the sequence's current size.
void adjust(PyObject* self, Slice* slice) {
  slice->count =
      PySlice_AdjustIndices(cell_of(self)->size, &slice->start, &slice->stop, slice->step);
  if (slice->step > 0 && slice->stop < slice->start) slice->stop = slice->start;
}

PyObject* read_slice(PyObject* self, PyObject* key) {
  Slice slice;
  if (unpack_slice(key, &slice) != 0) return nullptr;
  adjust(self, &slice);
  nb::object result = nb::steal(PyList_New(0));
  if (!result.is_valid()) return nullptr;
  for (Py_ssize_t i = 0; i < slice.count; ++i) {
    Py_ssize_t at = slice.start + i * slice.step;
    // Reading a tensor may run code that shortens a List.
    if (at >= cell_of(self)->size) break;
    nb::object value = nb::steal(read(self, at));
    if (!value.is_valid() || PyList_Append(result.ptr(), value.ptr()) != 0) return nullptr;
  }
  return result.release().ptr();
}

PyObject* subscript(PyObject* self, PyObject* key) {
  if (PySlice_Check(key)) return read_slice(self, key);
  Py_ssize_t index = find_index(self, "", key);
  return index < 0 ? nullptr : read(self, index);
}

// Python has already added the length to a negative index.
PyObject* item(PyObject* self, Py_ssize_t index) {
  if (index < 0 || index >= cell_of(self)->size) return bad_index(self, "", index);
  return read(self, index);
}

int contains(PyObject* self, PyObject* value) {
  ffi::Any packed;
  int possible = pack_if_possible(value, &packed);
  if (possible != 1) return possible;
  TVMFFIAny wanted = packed.CopyToTVMFFIAny();
  for (int64_t i = 0; i < cell_of(self)->size; ++i) {
    // Held: a type's equality method may modify a List.
    const ffi::Any element = static_cast<const ffi::Any*>(cell_of(self)->data)[i];
    int equal = values_are_equal(element.CopyToTVMFFIAny(), wanted);
    if (equal != 0) return equal;
  }
  return 0;
}

// The elements of any iterable as a new Array; an empty handle with a Python error set.
ffi::ObjectPtr<ffi::ArrayObj> array_from(const char* what, PyObject* values) {
  nb::object fast;
  if (PyList_Check(values) || PyTuple_Check(values)) {
    fast = nb::borrow(values);
  } else {
    if (Py_TYPE(values)->tp_iter == nullptr && !PySequence_Check(values)) {
      PyErr_Format(PyExc_TypeError, "%s: expected an iterable, got %s", what,
                   Py_TYPE(values)->tp_name);
      return nullptr;
    }
    fast = nb::steal(PySequence_List(values));
    if (!fast.is_valid()) return nullptr;
  }
  TVMFFIAny packed;
  clear(&packed);
  if (pack_unnumbered(what, fast.ptr(), &packed) != 0) return nullptr;
  return ffi::ObjectUnsafe::PtrFromOwned<ffi::ArrayObj>(packed.v_obj);
}

PyObject* new_array(PyTypeObject* type, PyObject* args, PyObject* keywords) {
  static const char* names[] = {"input_list", nullptr};
  PyObject* values = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "O:Array", const_cast<char**>(names), &values)) {
    return nullptr;
  }
  // An Array is immutable, so a copy may be the same object.
  if (PyObject_TypeCheck(values, array_type)) {
    TVMFFIObjectIncRef(handle_of(values));
    return make_instance(type, handle_of(values));
  }
  ffi::ObjectPtr<ffi::ArrayObj> array = array_from("Array", values);
  if (array == nullptr) return nullptr;
  return make_instance(type, ffi::ObjectUnsafe::MoveToOwned(std::move(array)));
}

PyObject* new_list(PyTypeObject* type, PyObject* args, PyObject* keywords) {
  static const char* names[] = {"input_list", nullptr};
  PyObject* values = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "|O:List", const_cast<char**>(names), &values)) {
    return nullptr;
  }
  return guarded<PyObject*>(nullptr, [&]() -> PyObject* {
    ffi::List<ffi::Any> list;
    flatten_deletion(ffi::ObjectUnsafe::Borrow(list));
    if (values != nullptr) {
      ffi::ObjectPtr<ffi::ArrayObj> array = array_from("List", values);
      if (array == nullptr) return nullptr;
      list.reserve(static_cast<int64_t>(array->size()));
      for (const ffi::Any& value : *array) list.push_back(value);
    }
    return make_instance(type, ffi::ObjectUnsafe::MoveToOwned(std::move(list)));
  });
}

// Packs an element for a List, as an owned value; false with a Python error set.
bool own(const char* what, PyObject* value, ffi::Any* owned) {
  TVMFFIAny packed;
  clear(&packed);
  if (pack_unnumbered(what, value, &packed) != 0) return false;
  *owned = ffi::Any::MoveFromTVMFFIAny(packed);
  return true;
}

int delete_slice(PyObject* self, Slice slice) {
  adjust(self, &slice);
  return guarded(-1, [&] {
    ffi::List<ffi::Any> list = list_of(self);
    if (slice.step == 1) {
      list.erase(list.begin() + slice.start, list.begin() + slice.stop);
      return 0;
    }
    // Collect the kept elements first, so that the List is consistent while others are destroyed.
    ffi::List<ffi::Any> kept;
    Py_ssize_t size = static_cast<Py_ssize_t>(list.size());
    Py_ssize_t low = slice.step > 0 ? slice.start : slice.start + (slice.count - 1) * slice.step;
    Py_ssize_t step = slice.step > 0 ? slice.step : -slice.step;
    for (Py_ssize_t i = 0; i < size; ++i) {
      Py_ssize_t from_low = i - low;
      bool goes = from_low >= 0 && from_low % step == 0 && from_low / step < slice.count;
      if (!goes) kept.push_back(list[i]);
    }
    list.Assign(kept.begin(), kept.end());
    return 0;
  });
}

int assign_slice(PyObject* self, Slice slice, PyObject* values) {
  return guarded(-1, [&] {
    ffi::ObjectPtr<ffi::ArrayObj> array = array_from("List: slice", values);
    if (array == nullptr) return -1;
    // Packing may have run code that modified the List.
    adjust(self, &slice);
    ffi::List<ffi::Any> list = list_of(self);
    const ffi::Array<ffi::Any> added(std::move(array));
    if (slice.step == 1) {
      list.insert(list.begin() + slice.stop, added.begin(), added.end());
      list.erase(list.begin() + slice.start, list.begin() + slice.stop);
      return 0;
    }
    if (static_cast<Py_ssize_t>(added.size()) != slice.count) {
      PyErr_Format(PyExc_ValueError, "List: slice: expected %zd elements, one per index, got %zd",
                   slice.count, static_cast<Py_ssize_t>(added.size()));
      return -1;
    }
    for (Py_ssize_t i = 0; i < slice.count; ++i) list.Set(slice.start + i * slice.step, added[i]);
    return 0;
  });
}

int assign(PyObject* self, PyObject* key, PyObject* value) {
  if (PySlice_Check(key)) {
    Slice slice;
    if (unpack_slice(key, &slice) != 0) return -1;
    return value == nullptr ? delete_slice(self, slice) : assign_slice(self, slice, value);
  }
  ffi::Any owned;
  if (value != nullptr && !own("List: element", value, &owned)) return -1;
  Py_ssize_t index = find_index(self, "", key);
  if (index < 0) return -1;
  return guarded(-1, [&] {
    ffi::List<ffi::Any> list = list_of(self);
    if (value == nullptr) {
      list.erase(list.begin() + index);
    } else {
      list.Set(index, std::move(owned));
    }
    return 0;
  });
}

PyObject* append(PyObject* self, PyObject* value) {
  ffi::Any owned;
  if (!own("List.append: value", value, &owned)) return nullptr;
  return guarded<PyObject*>(nullptr, [&]() -> PyObject* {
    list_of(self).push_back(owned);
    Py_RETURN_NONE;
  });
}

PyObject* insert(PyObject* self, PyObject* const* args, Py_ssize_t num_args) {
  if (num_args != 2) {
    PyErr_Format(PyExc_TypeError, "List.insert: expected an index and a value, got %zd arguments",
                 num_args);
    return nullptr;
  }
  Py_ssize_t index = PyNumber_AsSsize_t(args[0], nullptr);
  if (index == -1 && PyErr_Occurred()) return nullptr;
  ffi::Any owned;
  if (!own("List.insert: value", args[1], &owned)) return nullptr;
  return guarded<PyObject*>(nullptr, [&]() -> PyObject* {
    ffi::List<ffi::Any> list = list_of(self);
    auto size = static_cast<Py_ssize_t>(list.size());
    if (index < 0) index += size;
    index = index < 0 ? 0 : index > size ? size : index;
    list.insert(list.begin() + index, owned);
    Py_RETURN_NONE;
  });
}

PyObject* extend(PyObject* self, PyObject* values) {
  return guarded<PyObject*>(nullptr, [&]() -> PyObject* {
    ffi::ObjectPtr<ffi::ArrayObj> array = array_from("List.extend: values", values);
    if (array == nullptr) return nullptr;
    ffi::List<ffi::Any> list = list_of(self);
    const ffi::Array<ffi::Any> added(std::move(array));
    list.insert(list.end(), added.begin(), added.end());
    Py_RETURN_NONE;
  });
}

PyObject* pop(PyObject* self, PyObject* const* args, Py_ssize_t num_args) {
  if (num_args > 1) {
    PyErr_Format(PyExc_TypeError, "List.pop: expected at most one index, got %zd arguments",
                 num_args);
    return nullptr;
  }
  Py_ssize_t size = cell_of(self)->size;
  if (size == 0) {
    PyErr_SetString(PyExc_IndexError, "List.pop: expected an element, got an empty List");
    return nullptr;
  }
  Py_ssize_t index = num_args == 0 ? size - 1 : find_index(self, ".pop", args[0]);
  if (index < 0) return nullptr;
  nb::object value = nb::steal(read(self, index));
  // Reading a tensor may run code that modifies the List.
  if (!value.is_valid() || index >= cell_of(self)->size) return value.release().ptr();
  return guarded<PyObject*>(nullptr, [&] {
    ffi::List<ffi::Any> list = list_of(self);
    list.erase(list.begin() + index);
    return value.release().ptr();
  });
}

PyObject* clear_all(PyObject* self, PyObject*) {
  return guarded<PyObject*>(nullptr, [&]() -> PyObject* {
    list_of(self).clear();
    Py_RETURN_NONE;
  });
}

PyObject* reverse(PyObject* self, PyObject*) {
  auto* elements = static_cast<TVMFFIAny*>(cell_of(self)->data);
  for (int64_t i = 0, j = cell_of(self)->size - 1; i < j; ++i, --j) {
    std::swap(elements[i], elements[j]);
  }
  Py_RETURN_NONE;
}

// ---- The iterator ----

struct IteratorInstance {
  PyObject_HEAD PyObject* sequence;  // owned; NULL once the iterator is exhausted
  Py_ssize_t at;
  Py_ssize_t step;
};

PyObject* make_iterator(PyObject* self, Py_ssize_t at, Py_ssize_t step) {
  auto* iterator = PyObject_GC_New(IteratorInstance, iterator_type);
  if (iterator == nullptr) return nullptr;
  Py_INCREF(self);
  iterator->sequence = self;
  iterator->at = at;
  iterator->step = step;
  PyObject_GC_Track(iterator);
  return reinterpret_cast<PyObject*>(iterator);
}

PyObject* iterate(PyObject* self) { return make_iterator(self, 0, 1); }

PyObject* iterate_back(PyObject* self, PyObject*) {
  return make_iterator(self, cell_of(self)->size - 1, -1);
}

PyObject* next(PyObject* self) {
  auto* iterator = reinterpret_cast<IteratorInstance*>(self);
  if (iterator->sequence == nullptr) return nullptr;
  if (iterator->at < 0 || iterator->at >= cell_of(iterator->sequence)->size) {
    Py_CLEAR(iterator->sequence);
    return nullptr;
  }
  Py_ssize_t at = iterator->at;
  iterator->at += iterator->step;
  return read(iterator->sequence, at);
}

// The sequence may hold its iterator.
int visit_sequence(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(reinterpret_cast<IteratorInstance*>(self)->sequence);
  return 0;
}

int clear_sequence(PyObject* self) {
  Py_CLEAR(reinterpret_cast<IteratorInstance*>(self)->sequence);
  return 0;
}

void end_iterator(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  clear_sequence(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyType_Slot iterator_slots[] = {{Py_tp_iter, reinterpret_cast<void*>(PyObject_SelfIter)},
                                {Py_tp_iternext, reinterpret_cast<void*>(next)},
                                {Py_tp_traverse, reinterpret_cast<void*>(visit_sequence)},
                                {Py_tp_clear, reinterpret_cast<void*>(clear_sequence)},
                                {Py_tp_dealloc, reinterpret_cast<void*>(end_iterator)},
                                {0, nullptr}};

PyType_Spec iterator_spec = {
    "tvm_ffi._core.SequenceIterator", sizeof(IteratorInstance), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_HAVE_GC, iterator_slots};

PyCFunction fast(PyObject* (*function)(PyObject*, PyObject* const*, Py_ssize_t)) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

PyMethodDef array_methods[] = {
    {"__reversed__", iterate_back, METH_NOARGS,
     "__reversed__($self, /)\n--\n\nIterate over the elements from last to first."},
    {nullptr, nullptr, 0, nullptr}};

PyMethodDef list_methods[] = {
    {"__reversed__", iterate_back, METH_NOARGS,
     "__reversed__($self, /)\n--\n\nIterate over the elements from last to first."},
    {"append", append, METH_O, "append($self, value, /)\n--\n\nAppend an element to the end."},
    {"insert", fast(insert), METH_FASTCALL,
     "insert($self, index, value, /)\n--\n\nInsert an element before the one at ``index``."},
    {"extend", extend, METH_O,
     "extend($self, values, /)\n--\n\nAppend the elements of an iterable."},
    {"pop", fast(pop), METH_FASTCALL,
     "pop($self, index=-1, /)\n--\n\n"
     "Remove and return the element at ``index``, by default the last one.\n\n"
     "``IndexError`` is raised if there is none."},
    {"clear", clear_all, METH_NOARGS, "clear($self, /)\n--\n\nRemove all elements."},
    {"reverse", reverse, METH_NOARGS, "reverse($self, /)\n--\n\nReverse the elements in place."},
    {nullptr, nullptr, 0, nullptr}};

#define TVM_FFI_SEQUENCE_SLOTS                                                                 \
  {Py_tp_iter, reinterpret_cast<void*>(iterate)}, {Py_sq_item, reinterpret_cast<void*>(item)}, \
      {Py_sq_contains, reinterpret_cast<void*>(contains)}, {                                   \
    Py_mp_subscript, reinterpret_cast<void*>(subscript)                                        \
  }

PyType_Slot array_slots[] = {{Py_tp_doc, const_cast<char*>("The base of tvm_ffi.Array.")},
                             {Py_tp_new, reinterpret_cast<void*>(new_array)},
                             {Py_tp_methods, array_methods},
                             TVM_FFI_SEQUENCE_SLOTS,
                             {0, nullptr}};

PyType_Slot list_slots[] = {{Py_tp_doc, const_cast<char*>("The base of tvm_ffi.List.")},
                            {Py_tp_new, reinterpret_cast<void*>(new_list)},
                            {Py_tp_methods, list_methods},
                            {Py_mp_ass_subscript, reinterpret_cast<void*>(assign)},
                            TVM_FFI_SEQUENCE_SLOTS,
                            {0, nullptr}};

constexpr unsigned int kFlags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE;
constexpr int kSize = sizeof(OwnLayout<ContainerInstance>);
PyType_Spec array_spec = {"tvm_ffi._core.ArrayBase", kSize, 0, kFlags, array_slots};
PyType_Spec list_spec = {"tvm_ffi._core.ListBase", kSize, 0, kFlags, list_slots};

}  // namespace

void bind_sequence(nb::module_& module) {
  iterator_type = make_type(module, &iterator_spec, nullptr);
  array_type = make_type(module, &array_spec, container_type);
  list_type = make_type(module, &list_spec, container_type);
  register_object_class(kTVMFFIArray, array_type);
  register_object_class(kTVMFFIList, list_type);
}

}  // namespace tvm_ffi_core
