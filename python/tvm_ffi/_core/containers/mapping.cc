// SPDX-License-Identifier: Apache-2.0
// The Python mapping types, the bases of tvm_ffi.Map and tvm_ffi.Dict.
#include "containers/mapping.h"

#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/container/map.h>

#include <vector>

#include "base/guarded.h"
#include "containers/container_deletion.h"
#include "containers/container_pack.h"
#include "conversion/result.h"
#include "objects/container_instance.h"
#include "objects/own_layout.h"

namespace tvm_ffi_core {

namespace {

using Pair = std::pair<ffi::Any, ffi::Any>;

ffi::MapBaseObj* table_of(PyObject* self) {
  return reinterpret_cast<ffi::MapBaseObj*>(handle_of(self));
}

PyObject* to_python(PyObject* self, const ffi::Any& value) {
  return element_to_python(value.CopyToTVMFFIAny(), framework_of_container(self));
}

// Packs a key or value for a mapping, as an owned value; false with a Python error set.
bool own(const char* what, PyObject* value, ffi::Any* owned) {
  TVMFFIAny packed;
  clear(&packed);
  if (pack_unnumbered(what, value, &packed) != 0) return false;
  *owned = ffi::Any::MoveFromTVMFFIAny(packed);
  return true;
}

const char* key_name(PyObject* self) {
  return handle_of(self)->type_index == kTVMFFIDict ? "Dict: key" : "Map: key";
}

PyObject* missing(PyObject* self, const char* method, PyObject* key) {
  PyErr_Format(PyExc_KeyError, "%s%s: expected an existing key, got %R", Py_TYPE(self)->tp_name,
               method, key);
  return nullptr;
}

// The value of a key; NULL without a Python error if the key is absent.
PyObject* find(PyObject* self, PyObject* key) {
  ffi::Any owned;
  if (!own(key_name(self), key, &owned)) return nullptr;
  return guarded<PyObject*>(nullptr, [&]() -> PyObject* {
    const ffi::MapBaseObj* table = table_of(self);
    auto found = table->find(owned);
    if (found == table->end()) return nullptr;
    return to_python(self, found->second);
  });
}

PyObject* subscript(PyObject* self, PyObject* key) {
  PyObject* value = find(self, key);
  if (value != nullptr || PyErr_Occurred()) return value;
  return missing(self, "", key);
}

int contains(PyObject* self, PyObject* key) {
  ffi::Any owned;
  int possible = pack_if_possible(key, &owned);
  if (possible != 1) return possible;
  return guarded(-1, [&] { return static_cast<int>(table_of(self)->count(owned)); });
}

PyObject* get(PyObject* self, PyObject* args, PyObject* keywords) {
  static const char* names[] = {"key", "default", nullptr};
  PyObject *key, *otherwise = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|O:get", const_cast<char**>(names), &key,
                                   &otherwise)) {
    return nullptr;
  }
  PyObject* value = find(self, key);
  if (value != nullptr || PyErr_Occurred()) return value;
  Py_INCREF(otherwise);
  return otherwise;
}

// A copy of the pairs, since creating Python objects from them may run code that modifies a Dict.
std::vector<Pair> snapshot(PyObject* self) {
  return std::vector<Pair>(table_of(self)->begin(), table_of(self)->end());
}

template <typename Make>
PyObject* list_of_pairs(PyObject* self, Make make) {
  return guarded<PyObject*>(nullptr, [&]() -> PyObject* {
    const std::vector<Pair> pairs = snapshot(self);
    nb::object list = nb::steal(PyList_New(static_cast<Py_ssize_t>(pairs.size())));
    if (!list.is_valid()) return nullptr;
    Py_ssize_t i = 0;
    for (const Pair& pair : pairs) {
      PyObject* made = make(pair);
      if (made == nullptr) return nullptr;
      PyList_SET_ITEM(list.ptr(), i++, made);
    }
    return list.release().ptr();
  });
}

PyObject* keys(PyObject* self, PyObject*) {
  return list_of_pairs(self, [&](const Pair& pair) { return to_python(self, pair.first); });
}

PyObject* values(PyObject* self, PyObject*) {
  return list_of_pairs(self, [&](const Pair& pair) { return to_python(self, pair.second); });
}

PyObject* pair_to_python(PyObject* self, const Pair& pair) {
  nb::object key = nb::steal(to_python(self, pair.first));
  nb::object value = nb::steal(key.is_valid() ? to_python(self, pair.second) : nullptr);
  return value.is_valid() ? PyTuple_Pack(2, key.ptr(), value.ptr()) : nullptr;
}

PyObject* items(PyObject* self, PyObject*) {
  return list_of_pairs(self, [&](const Pair& pair) { return pair_to_python(self, pair); });
}

PyObject* iterate(PyObject* self) {
  nb::object list = nb::steal(keys(self, nullptr));
  return list.is_valid() ? PyObject_GetIter(list.ptr()) : nullptr;
}

// A new Map from an iterable of pairs; empty with a Python error set.
ffi::ObjectPtr<ffi::MapObj> map_from_pairs(const char* what, PyObject* source) {
  nb::object list = nb::steal(PySequence_List(source));
  if (!list.is_valid()) return nullptr;
  ffi::ObjectPtr<ffi::MapObj> map = ffi::make_object<ffi::MapObj>();
  flatten_deletion(reinterpret_cast<TVMFFIObject*>(map.get()));
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list.ptr()); ++i) {
    nb::object item = nb::borrow(PyList_GET_ITEM(list.ptr(), i));
    nb::object pair = nb::steal(PySequence_Tuple(item.ptr()));
    if (!pair.is_valid() && !PyErr_ExceptionMatches(PyExc_TypeError)) return nullptr;
    if (!pair.is_valid() || PyTuple_GET_SIZE(pair.ptr()) != 2) {
      PyErr_Format(PyExc_TypeError, "%s: element %zd (%s): expected a pair of a key and a value",
                   what, i, Py_TYPE(item.ptr())->tp_name);
      return nullptr;
    }
    ffi::Any key, value;
    if (!own(what, PyTuple_GET_ITEM(pair.ptr(), 0), &key) ||
        !own(what, PyTuple_GET_ITEM(pair.ptr(), 1), &value)) {
      return nullptr;
    }
    map->Set(std::move(key), std::move(value));
  }
  return map;
}

// A new Map from a mapping or an iterable of pairs; empty with a Python error set.
ffi::ObjectPtr<ffi::MapObj> map_from(const char* what, PyObject* source) {
  // Not through a dict, in which 1 and True are the same key.
  if (!PyDict_Check(source) && !PyObject_HasAttrString(source, "keys")) {
    return map_from_pairs(what, source);
  }
  nb::object dict =
      PyDict_Check(source)
          ? nb::borrow(source)
          : nb::steal(PyObject_CallOneArg(reinterpret_cast<PyObject*>(&PyDict_Type), source));
  if (!dict.is_valid()) return nullptr;
  TVMFFIAny packed;
  clear(&packed);
  if (pack_unnumbered(what, dict.ptr(), &packed) != 0) return nullptr;
  return ffi::ObjectUnsafe::PtrFromOwned<ffi::MapObj>(packed.v_obj);
}

// The pairs of `source`, which may be a container, as an object of type Obj.
template <typename Obj>
PyObject* make(PyTypeObject* type, const char* what, PyObject* source) {
  return guarded<PyObject*>(nullptr, [&]() -> PyObject* {
    ffi::ObjectPtr<Obj> made = ffi::make_object<Obj>();
    flatten_deletion(reinterpret_cast<TVMFFIObject*>(made.get()));
    if (source != nullptr && PyObject_TypeCheck(source, container_type) &&
        is_mapping(handle_of(source)->type_index)) {
      made->CopyFrom(*table_of(source));
    } else if (source != nullptr) {
      ffi::ObjectPtr<ffi::MapObj> map = map_from(what, source);
      if (map == nullptr) return nullptr;
      made->CopyFrom(*map);
    }
    return make_instance(type, ffi::ObjectUnsafe::MoveToOwned(std::move(made)));
  });
}

PyObject* new_map(PyTypeObject* type, PyObject* args, PyObject* keywords) {
  static const char* names[] = {"input_dict", nullptr};
  PyObject* source = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "O:Map", const_cast<char**>(names), &source)) {
    return nullptr;
  }
  return make<ffi::MapObj>(type, "Map", source);
}

PyObject* new_dict(PyTypeObject* type, PyObject* args, PyObject* keywords) {
  static const char* names[] = {"input_dict", nullptr};
  PyObject* source = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "|O:Dict", const_cast<char**>(names), &source)) {
    return nullptr;
  }
  return make<ffi::DictObj>(type, "Dict", source == Py_None ? nullptr : source);
}

// Removes a key: 1, 0 if it is absent, or -1 with a Python error set.
int erase(PyObject* self, PyObject* key) {
  ffi::Any owned;
  if (!own(key_name(self), key, &owned)) return -1;
  return guarded(-1, [&] { return static_cast<int>(table_of(self)->erase(owned)); });
}

int assign(PyObject* self, PyObject* key, PyObject* value) {
  if (value == nullptr) {
    int erased = erase(self, key);
    if (erased == 0) missing(self, "", key);
    return erased == 1 ? 0 : -1;
  }
  ffi::Any owned_key, owned_value;
  if (!own("Dict: key", key, &owned_key) || !own("Dict: value", value, &owned_value)) return -1;
  return guarded(-1, [&] {
    table_of(self)->Set(std::move(owned_key), std::move(owned_value));
    return 0;
  });
}

PyObject* pop(PyObject* self, PyObject* const* args, Py_ssize_t num_args) {
  if (num_args != 1 && num_args != 2) {
    PyErr_Format(PyExc_TypeError,
                 "Dict.pop: expected a key and an optional default, got %zd arguments", num_args);
    return nullptr;
  }
  nb::object value = nb::steal(find(self, args[0]));
  if (value.is_valid()) return erase(self, args[0]) < 0 ? nullptr : value.release().ptr();
  if (PyErr_Occurred()) return nullptr;
  if (num_args == 1) return missing(self, ".pop", args[0]);
  Py_INCREF(args[1]);
  return args[1];
}

PyObject* pop_first(PyObject* self, PyObject*) {
  return guarded<PyObject*>(nullptr, [&]() -> PyObject* {
    auto first = table_of(self)->begin();
    if (first == table_of(self)->end()) {
      PyErr_SetString(PyExc_KeyError, "Dict.popitem: expected a pair, got an empty Dict");
      return nullptr;
    }
    const Pair pair(first->first, first->second);
    nb::object made = nb::steal(pair_to_python(self, pair));
    if (!made.is_valid()) return nullptr;
    // Reading a tensor may run code that modifies the Dict.
    table_of(self)->erase(pair.first);
    return made.release().ptr();
  });
}

PyObject* clear_all(PyObject* self, PyObject*) {
  return guarded<PyObject*>(nullptr, [&]() -> PyObject* {
    table_of(self)->clear();
    Py_RETURN_NONE;
  });
}

PyObject* update(PyObject* self, PyObject* source) {
  return guarded<PyObject*>(nullptr, [&]() -> PyObject* {
    std::vector<Pair> pairs;
    if (PyObject_TypeCheck(source, container_type) && is_mapping(handle_of(source)->type_index)) {
      pairs = snapshot(source);
    } else {
      ffi::ObjectPtr<ffi::MapObj> map = map_from("Dict.update: other", source);
      if (map == nullptr) return nullptr;
      pairs.assign(map->begin(), map->end());
    }
    for (Pair& pair : pairs) table_of(self)->Set(std::move(pair.first), std::move(pair.second));
    Py_RETURN_NONE;
  });
}

template <typename Function>
PyCFunction method(Function function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

#define TVM_FFI_MAPPING_METHODS                                                                  \
  {"get", method(get), METH_VARARGS | METH_KEYWORDS,                                             \
   "get($self, key, default=None)\n--\n\nReturn the value of a key, or ``default``."},           \
      {"_keys", keys, METH_NOARGS, "_keys($self, /)\n--\n\nReturn a list of the keys."},         \
      {"_values", values, METH_NOARGS, "_values($self, /)\n--\n\nReturn a list of the values."}, \
      {"_items", items, METH_NOARGS, "_items($self, /)\n--\n\nReturn a list of the pairs."}

PyMethodDef map_methods[] = {TVM_FFI_MAPPING_METHODS, {nullptr, nullptr, 0, nullptr}};

PyMethodDef dict_methods[] = {
    TVM_FFI_MAPPING_METHODS,
    {"pop", method(pop), METH_FASTCALL,
     "pop($self, key, default=..., /)\n--\n\n"
     "Remove a key and return its value, or ``default`` if the key is missing.\n\n"
     "Without a default, a missing key raises ``KeyError``."},
    {"popitem", pop_first, METH_NOARGS,
     "popitem($self, /)\n--\n\n"
     "Remove and return the first pair, as the published package does.\n\n"
     "``KeyError`` is raised if there is none."},
    {"clear", clear_all, METH_NOARGS, "clear($self, /)\n--\n\nRemove all pairs."},
    {"_update", update, METH_O, "_update($self, other, /)\n--\n\nSet the pairs of a mapping."},
    {nullptr, nullptr, 0, nullptr}};

#define TVM_FFI_MAPPING_SLOTS                                \
  {Py_tp_iter, reinterpret_cast<void*>(iterate)},            \
      {Py_sq_contains, reinterpret_cast<void*>(contains)}, { \
    Py_mp_subscript, reinterpret_cast<void*>(subscript)      \
  }

PyType_Slot map_slots[] = {{Py_tp_doc, const_cast<char*>("The base of tvm_ffi.Map.")},
                           {Py_tp_new, reinterpret_cast<void*>(new_map)},
                           {Py_tp_methods, map_methods},
                           TVM_FFI_MAPPING_SLOTS,
                           {0, nullptr}};

PyType_Slot dict_slots[] = {{Py_tp_doc, const_cast<char*>("The base of tvm_ffi.Dict.")},
                            {Py_tp_new, reinterpret_cast<void*>(new_dict)},
                            {Py_tp_methods, dict_methods},
                            {Py_mp_ass_subscript, reinterpret_cast<void*>(assign)},
                            TVM_FFI_MAPPING_SLOTS,
                            {0, nullptr}};

constexpr unsigned int kFlags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE;
constexpr int kSize = sizeof(OwnLayout<ContainerInstance>);
PyType_Spec map_spec = {"tvm_ffi._core.MapBase", kSize, 0, kFlags, map_slots};
PyType_Spec dict_spec = {"tvm_ffi._core.DictBase", kSize, 0, kFlags, dict_slots};

}  // namespace

void bind_mapping(nb::module_& module) {
  map_type = make_type(module, &map_spec, container_type);
  dict_type = make_type(module, &dict_spec, container_type);
  register_object_class(kTVMFFIMap, map_type);
  register_object_class(kTVMFFIDict, dict_type);
}

}  // namespace tvm_ffi_core
