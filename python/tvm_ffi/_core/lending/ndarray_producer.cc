// SPDX-License-Identifier: Apache-2.0
// Fills a lent tensor directly from a numpy.ndarray, without calling NumPy.
//
// The fields below are part of NumPy's C ABI, unchanged from 1.7 to 2.x. They are still verified:
// the adapter compares them with Python's view of sample arrays, and arrays fall back to
// `__dlpack__` if they differ.
#include "lending/ndarray_producer.h"

namespace tvm_ffi_core {

namespace {

struct NdArray {
  PyObject_HEAD char* data;
  int nd;
  intptr_t* dimensions;
  intptr_t* strides;  // in bytes
  PyObject* base;
  PyObject* descr;
  int flags;
};

constexpr int kAligned = 0x0100;
constexpr int kWriteable = 0x0400;

// Set by the adapter.
PyObject* describe = nullptr;

struct KnownDtype {
  PyObject* descr;  // owned
  DLDataType dtype;
};
constexpr size_t kKnownDtypes = 64;
KnownDtype known_dtypes[kKnownDtypes];

int dtype_of(PyObject* descr, DLDataType* dtype) {
  KnownDtype& known = known_dtypes[(reinterpret_cast<uintptr_t>(descr) >> 5) % kKnownDtypes];
  if (known.descr == descr) {
    *dtype = known.dtype;
    return 0;
  }
  nb::object triple = nb::steal(PyObject_CallOneArg(describe, descr));
  if (!triple.is_valid()) return -1;
  int code, bits, lanes;
  if (!PyArg_ParseTuple(triple.ptr(), "iii", &code, &bits, &lanes)) return -1;
  *dtype = {static_cast<uint8_t>(code), static_cast<uint8_t>(bits), static_cast<uint16_t>(lanes)};
  PyObject* forgotten = known.descr;
  Py_INCREF(descr);
  known = {descr, *dtype};
  Py_XDECREF(forgotten);
  return 0;
}

// Whether the fields of the sample, as read by this extension, match what Python reports.
bool ndarray_layout_is_known(nb::object sample, uint64_t data, nb::tuple shape, nb::tuple strides,
                             bool writeable) {
  if (static_cast<size_t>(Py_TYPE(sample.ptr())->tp_basicsize) < sizeof(NdArray)) return false;
  auto* array = reinterpret_cast<NdArray*>(sample.ptr());
  if (reinterpret_cast<uint64_t>(array->data) != data) return false;
  if (array->nd < 0 || static_cast<size_t>(array->nd) != shape.size()) return false;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (array->dimensions[i] != nb::cast<intptr_t>(shape[i])) return false;
    if (array->strides[i] != nb::cast<intptr_t>(strides[i])) return false;
  }
  if (((array->flags & kWriteable) != 0) != writeable) return false;
  return nb::object(sample.attr("dtype")).is(nb::handle(array->descr));
}

}  // namespace

int fill_from_ndarray(LentTensor* lent, PyObject* object, Lending) {
  auto* array = reinterpret_cast<NdArray*>(object);
  DLTensor& tensor = lent->tensor;
  if (dtype_of(array->descr, &tensor.dtype) != 0) return -1;
  if (!(array->flags & kAligned)) {
    PyErr_SetString(PyExc_ValueError, "its elements are not aligned to their size");
    return -1;
  }
  lent->read_only = !(array->flags & kWriteable);
  int ndim = array->nd;
  int64_t* shape = lent_tensor_dims(lent, ndim);
  if (shape == nullptr) {
    PyErr_NoMemory();
    return -1;
  }
  int64_t* strides = shape + ndim;
  // The size of every NumPy and ml_dtypes element type is a power of two.
  int64_t itemsize = tensor.dtype.bits / 8 * tensor.dtype.lanes;
  int shift = __builtin_ctzll(static_cast<unsigned long long>(itemsize));
  for (int i = 0; i < ndim; ++i) {
    int64_t stride = array->strides[i];
    shape[i] = array->dimensions[i];
    strides[i] = stride >> shift;
    if ((stride & (itemsize - 1)) != 0) {
      PyErr_Format(PyExc_ValueError,
                   "stride %zd of dimension %d is not a multiple of the element size, %zd bytes",
                   static_cast<Py_ssize_t>(stride), i, static_cast<Py_ssize_t>(itemsize));
      return -1;
    }
  }
  tensor.data = array->data;
  tensor.device = {kDLCPU, 0};
  tensor.ndim = ndim;
  tensor.shape = shape;
  tensor.strides = strides;
  tensor.byte_offset = 0;
  lent->owner = object;
  lent->owner_kind = Owner::kNobody;
  return 0;
}

void bind_ndarray_producer(nb::module_& module) {
  module.def("ndarray_layout_is_known", &ndarray_layout_is_known, nb::arg("sample"),
             nb::arg("data"), nb::arg("shape"), nb::arg("strides"), nb::arg("writeable"));
  // The function returns (code, bits, lanes) for a numpy.dtype, or raises TypeError.
  module.def(
      "set_ndarray_dtype_reader", [](nb::object function) { describe = function.release().ptr(); },
      nb::arg("function"));
}

}  // namespace tvm_ffi_core
