// SPDX-License-Identifier: Apache-2.0
// The minimum cost of a call from Python: a type that packs integers and tensors, and calls a C
// function. No other types, checks, error messages, streams, allocators or keywords. And the
// minimum that PyTorch takes for a tensor that comes from it, or goes to it.
//
// calls.py measures the same rows through it, as the limit of what a runtime can achieve.
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>
#include <tvm/ffi/c_api.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace {

constexpr Py_ssize_t kMost = 8;

struct Limit {
  PyObject_HEAD vectorcallfunc vectorcall;
  TVMFFISafeCallType target;
};

// The type of the tensors, and how to borrow one.
PyTypeObject* tensor_type = nullptr;
const DLPackExchangeAPI* exchange = nullptr;

PyObject* call(PyObject* self, PyObject* const* args, size_t nargsf, PyObject*) {
  const Py_ssize_t count = PyVectorcall_NARGS(nargsf);
  TVMFFIAny packed[kMost] = {};
  DLTensor tensors[kMost];
  for (Py_ssize_t i = 0; i < count && i < kMost; ++i) {
    if (PyLong_CheckExact(args[i])) {
      packed[i].type_index = kTVMFFIInt;
      packed[i].v_int64 = PyLong_AsLongLong(args[i]);
    } else if (Py_TYPE(args[i]) == tensor_type &&
               exchange->dltensor_from_py_object_no_sync(args[i], &tensors[i]) == 0) {
      packed[i].type_index = kTVMFFIDLTensorPtr;
      packed[i].v_ptr = &tensors[i];
    } else {
      PyErr_SetString(PyExc_TypeError, "limit: expected integers and tensors");
      return nullptr;
    }
  }
  TVMFFIAny result{};
  PyThreadState* state = PyEval_SaveThread();
  const int code =
      reinterpret_cast<Limit*>(self)->target(nullptr, packed, static_cast<int32_t>(count), &result);
  PyEval_RestoreThread(state);
  if (code == 0) Py_RETURN_NONE;
  PyErr_SetString(PyExc_RuntimeError, "limit: the function failed");
  return nullptr;
}

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Limit, vectorcall), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};

PyType_Slot slots[] = {{Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
                       {Py_tp_members, members},
                       {0, nullptr}};

PyType_Spec spec = {"limit.Limit", sizeof(Limit), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL, slots};

// limit.function(address): an object that calls the C function at an address.
PyObject* function(PyObject* module, PyObject* address) {
  PyObject* type = PyObject_GetAttrString(module, "Limit");
  if (type == nullptr) return nullptr;
  auto* python_type = reinterpret_cast<PyTypeObject*>(type);
  PyObject* self = python_type->tp_alloc(python_type, 0);
  Py_DECREF(type);
  if (self == nullptr) return nullptr;
  auto* made = reinterpret_cast<Limit*>(self);
  made->vectorcall = call;
  made->target = reinterpret_cast<TVMFFISafeCallType>(PyLong_AsVoidPtr(address));
  return self;
}

// limit.lend(type): the type whose instances are passed as tensors.
PyObject* lend(PyObject*, PyObject* type) {
  PyObject* capsule = PyObject_GetAttrString(type, "__dlpack_c_exchange_api__");
  if (capsule == nullptr) return nullptr;
  exchange = static_cast<const DLPackExchangeAPI*>(
      PyCapsule_GetPointer(capsule, PyCapsule_GetName(capsule)));
  Py_DECREF(capsule);
  if (exchange == nullptr) return nullptr;
  Py_INCREF(type);
  tensor_type = reinterpret_cast<PyTypeObject*>(type);
  Py_RETURN_NONE;
}

void drop(PyObject* capsule) {
  auto* managed =
      static_cast<DLManagedTensorVersioned*>(PyCapsule_GetPointer(capsule, "dltensor_versioned"));
  managed->deleter(managed);
}

// limit.taken(tensor): a Python object that shares ownership of a PyTorch tensor.
PyObject* taken(PyObject*, PyObject* tensor) {
  DLManagedTensorVersioned* managed = nullptr;
  if (exchange->managed_tensor_from_py_object_no_sync(tensor, &managed) != 0) return nullptr;
  return PyCapsule_New(managed, "dltensor_versioned", drop);
}

// limit.allocated(tensor): the work of PyTorch for a new tensor of the same shape.
PyObject* allocated(PyObject*, PyObject* tensor) {
  DLTensor prototype;
  DLManagedTensorVersioned* managed = nullptr;
  void* result = nullptr;
  if (exchange->dltensor_from_py_object_no_sync(tensor, &prototype) != 0 ||
      exchange->managed_tensor_allocator(&prototype, &managed, nullptr, nullptr) != 0 ||
      exchange->managed_tensor_to_py_object_no_sync(managed, &result) != 0) {
    return nullptr;
  }
  return static_cast<PyObject*>(result);
}

// The minimum that a DLPack producer does for a consumer, here for a tensor that is never freed.
PyObject* export_one(PyObject*, PyObject* const*, Py_ssize_t, PyObject*) {
  static float data[20];
  static int64_t shape[] = {4, 5}, strides[] = {5, 1};
  auto* managed =
      static_cast<DLManagedTensorVersioned*>(std::calloc(1, sizeof(DLManagedTensorVersioned)));
  if (managed == nullptr) return PyErr_NoMemory();
  managed->version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  managed->deleter = [](DLManagedTensorVersioned* self) { std::free(self); };
  managed->dl_tensor = {data, {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, shape, strides, 0};
  return PyCapsule_New(managed, "dltensor_versioned", nullptr);
}

PyObject* device(PyObject*, PyObject*) { return Py_BuildValue("(ii)", kDLCPU, 0); }

PyMethodDef producer_methods[] = {
    {"__dlpack__", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(export_one)),
     METH_FASTCALL | METH_KEYWORDS, nullptr},
    {"__dlpack_device__", device, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

PyType_Slot producer_slots[] = {{Py_tp_methods, producer_methods}, {0, nullptr}};

PyType_Spec producer_spec = {"limit.Producer", sizeof(PyObject), 0, Py_TPFLAGS_DEFAULT,
                             producer_slots};

PyMethodDef methods[] = {{"function", function, METH_O, nullptr},
                         {"taken", taken, METH_O, nullptr},
                         {"allocated", allocated, METH_O, nullptr},
                         {"lend", lend, METH_O, nullptr},
                         {nullptr, nullptr, 0, nullptr}};

PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "limit", nullptr, -1, methods, nullptr, nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit_limit() {
  PyObject* module = PyModule_Create(&definition);
  if (module == nullptr) return nullptr;
  PyObject* type = PyType_FromSpec(&spec);
  if (type == nullptr || PyModule_AddObject(module, "Limit", type) != 0) return nullptr;
  PyObject* producer = PyType_FromSpec(&producer_spec);
  if (producer == nullptr || PyModule_AddObject(module, "Producer", producer) != 0) return nullptr;
  return module;
}
