// SPDX-License-Identifier: Apache-2.0
// The base of the Python types tvm_ffi.Array, List, Map and Dict.
#include "containers/container.h"

#include <tvm/ffi/container/map_base.h>

#include "containers/container_compare.h"
#include "containers/container_cycles.h"
#include "containers/container_pack.h"
#include "objects/container_instance.h"

namespace tvm_ffi_core {

namespace ffi = tvm::ffi;

namespace {

Py_ssize_t length(PyObject* self) {
  TVMFFIObject* handle = handle_of(self);
  if (is_sequence(handle->type_index)) return contents<TVMFFISeqCell>(handle)->size;
  return static_cast<Py_ssize_t>(reinterpret_cast<ffi::MapBaseObj*>(handle)->size());
}

// The object that represents `other` in a comparison: its own handle, or a list, tuple or dict
// packed into `packed`. NULL if it is none of these; with a Python error set if packing failed.
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
                       {Py_tp_traverse, reinterpret_cast<void*>(visit_elements)},
                       {Py_tp_clear, reinterpret_cast<void*>(clear_elements)},
                       {Py_sq_length, reinterpret_cast<void*>(length)},
                       {Py_mp_length, reinterpret_cast<void*>(length)},
                       {0, nullptr}};

PyType_Spec spec = {"tvm_ffi._core.ContainerBase", sizeof(ContainerInstance), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots};

}  // namespace

void bind_container(nb::module_& module) { container_type = make_type(module, &spec, object_type); }

}  // namespace tvm_ffi_core
