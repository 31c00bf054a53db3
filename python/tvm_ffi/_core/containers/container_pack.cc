// SPDX-License-Identifier: Apache-2.0
// Python lists, tuples and dicts as Arrays and Maps.
#include "containers/container_pack.h"

#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/map.h>

#include "base/guarded.h"
#include "base/python_error.h"
#include "containers/container_deletion.h"

namespace tvm_ffi_core {

namespace {

// While a container is being packed: rejects one that holds itself, and excessive nesting.
class Nesting {
 public:
  Nesting(const Place& place, PyObject* container) : here_{container, place.inside} {
    for (const Ancestor* each = place.inside; each != nullptr; each = each->outer) {
      if (each->container == container) {
        PyErr_Format(PyExc_ValueError,
                     "expected a %s that does not contain itself, got one that does",
                     Py_TYPE(container)->tp_name);
        return;
      }
    }
    entered_ = Py_EnterRecursiveCall(" while packing containers that hold containers") == 0;
  }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;
  ~Nesting() {
    if (entered_) Py_LeaveRecursiveCall();
  }
  bool ok() const { return entered_; }
  const Ancestor* here() const { return &here_; }

 private:
  Ancestor here_;
  bool entered_ = false;
};

// Prepends a step to the path to the value whose packing failed; preserves the current error.
void note_step(CallFrame* frame, const char* format, PyObject* detail, Py_ssize_t index,
               PyTypeObject* type) {
  nb::object raised = take_exception();
  PyObject* step = detail != nullptr ? PyUnicode_FromFormat(format, detail, type->tp_name)
                                     : PyUnicode_FromFormat(format, index, type->tp_name);
  if (step != nullptr) {
    frame->prepend_to_path(nb::steal(step));
  } else if (clear_but_interrupts()) {
    return;
  }
  if (raised.is_valid()) set_exception(std::move(raised));
}

int pack_element(const Place& outer, const Ancestor* here, PyObject* value, TVMFFIAny* out) {
  return pack_value({outer.frame, out, here, true}, value);
}

int pack_pair(const Place& place, const Ancestor* here, PyObject* key, PyObject* value,
              Py_ssize_t number, ffi::MapObj* map) {
  nb::object keep_key = nb::borrow(key), keep_value = nb::borrow(value);
  TVMFFIAny packed;
  if (pack_element(place, here, key, &packed) != 0) {
    note_step(place.frame, "key number %zd (%s): ", nullptr, number, Py_TYPE(key));
    return -1;
  }
  ffi::Any owned_key = ffi::Any::MoveFromTVMFFIAny(packed);
  if (pack_element(place, here, value, &packed) != 0) {
    bool is_short = PyUnicode_CheckExact(key) || PyLong_CheckExact(key);
    note_step(place.frame,
              is_short ? "key %R (%s): " : "value number %zd (%s): ", is_short ? key : nullptr,
              number, Py_TYPE(value));
    return -1;
  }
  map->Set(std::move(owned_key), ffi::Any::MoveFromTVMFFIAny(packed));
  return 0;
}

int pack_pairs(const Place& place, const Ancestor* here, PyObject* dict, ffi::MapObj* map) {
  PyObject *key, *value;
  Py_ssize_t at = 0, number = 0;
  const Py_ssize_t size = PyDict_GET_SIZE(dict);
  // Packing a pair may run code that modifies the dict.
  while (number < size && PyDict_GET_SIZE(dict) == size && PyDict_Next(dict, &at, &key, &value)) {
    if (pack_pair(place, here, key, value, number++, map) != 0) return -1;
  }
  if (number == size && PyDict_GET_SIZE(dict) == size && !PyDict_Next(dict, &at, &key, &value)) {
    return 0;
  }
  PyErr_SetString(PyExc_RuntimeError,
                  "expected a dict that does not change while it is packed, got one that changed");
  return -1;
}

// A subclass may have its own order.
int pack_items(const Place& place, const Ancestor* here, PyObject* dict, ffi::MapObj* map) {
  nb::object items = nb::steal(PyMapping_Items(dict));
  if (!items.is_valid()) return -1;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(items.ptr()); ++i) {
    PyObject* pair = PyList_GET_ITEM(items.ptr(), i);
    if (!PyTuple_Check(pair) || PyTuple_GET_SIZE(pair) != 2) {
      PyErr_Format(PyExc_TypeError, "expected items() to return pairs, got a %s",
                   Py_TYPE(pair)->tp_name);
      return -1;
    }
    if (pack_pair(place, here, PyTuple_GET_ITEM(pair, 0), PyTuple_GET_ITEM(pair, 1), i, map) != 0) {
      return -1;
    }
  }
  return 0;
}

}  // namespace

int pack_sequence(const Place& place, PyObject* value, const Packer&) {
  Nesting nesting(place, value);
  if (!nesting.ok()) return -1;
  return guarded(-1, [&] {
    Py_ssize_t size = PySequence_Fast_GET_SIZE(value);
    ffi::ObjectPtr<ffi::ArrayObj> array = ffi::ArrayObj::Empty(size);
    auto* cell = contents<TVMFFISeqCell>(reinterpret_cast<TVMFFIObject*>(array.get()));
    auto* elements = static_cast<TVMFFIAny*>(cell->data);
    // Packing an element may run code that modifies the list.
    for (Py_ssize_t i = 0; i < size && i < PySequence_Fast_GET_SIZE(value); ++i) {
      PyObject* item = PySequence_Fast_GET_ITEM(value, i);
      if (!pack_plain(item, elements + i)) {
        nb::object keep = nb::borrow(item);
        if (pack_element(place, nesting.here(), item, elements + i) != 0) {
          note_step(place.frame, "element %zd (%s): ", nullptr, i, Py_TYPE(item));
          return -1;
        }
      }
      ++cell->size;
    }
    flatten_deletion(reinterpret_cast<TVMFFIObject*>(array.get()));
    place.take(ffi::ObjectUnsafe::MoveToOwned(std::move(array)));
    return 0;
  });
}

int pack_dict(const Place& place, PyObject* value, const Packer&) {
  Nesting nesting(place, value);
  if (!nesting.ok()) return -1;
  return guarded(-1, [&] {
    ffi::ObjectPtr<ffi::MapObj> map = ffi::make_object<ffi::MapObj>();
    map->reserve(static_cast<size_t>(PyDict_GET_SIZE(value)));
    int code = PyDict_CheckExact(value) ? pack_pairs(place, nesting.here(), value, map.get())
                                        : pack_items(place, nesting.here(), value, map.get());
    if (code != 0) return -1;
    flatten_deletion(reinterpret_cast<TVMFFIObject*>(map.get()));
    place.take(ffi::ObjectUnsafe::MoveToOwned(std::move(map)));
    return 0;
  });
}

int pack_if_possible(PyObject* value, ffi::Any* result) {
  TVMFFIAny packed;
  clear(&packed);
  if (pack_unnumbered("element", value, &packed) == 0) {
    *result = ffi::Any::MoveFromTVMFFIAny(packed);
    return 1;
  }
  if (!PyErr_ExceptionMatches(PyExc_TypeError) && !PyErr_ExceptionMatches(PyExc_ValueError)) {
    return -1;
  }
  PyErr_Clear();
  return 0;
}

}  // namespace tvm_ffi_core
