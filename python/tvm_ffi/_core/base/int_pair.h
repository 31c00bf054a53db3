// SPDX-License-Identifier: Apache-2.0
// Pairs of integers, which represent devices and versions in DLPack's Python protocol.
#ifndef TVM_FFI_PYTHON_CORE_INT_PAIR_H_
#define TVM_FFI_PYTHON_CORE_INT_PAIR_H_

#include "base/common.h"

namespace tvm_ffi_core {

struct IntPair {
  int first;
  int second;
};

// Reads any sequence of two integers; -1 with the Python error `problem`.
inline int read_int_pair(PyObject* value, const char* problem, IntPair* pair) {
  nb::object items = nb::steal(PySequence_Tuple(value));
  if (!items.is_valid()) return -1;
  if (PyTuple_GET_SIZE(items.ptr()) != 2) {
    PyErr_SetString(PyExc_TypeError, problem);
    return -1;
  }
  int* targets[] = {&pair->first, &pair->second};
  for (int i = 0; i < 2; ++i) {
    // Device types are often enum members, which are ints too.
    long number = PyLong_AsLong(PyTuple_GET_ITEM(items.ptr(), i));
    if (number == -1 && PyErr_Occurred()) return -1;
    *targets[i] = static_cast<int>(number);
    if (*targets[i] != number) {
      PyErr_SetString(PyExc_OverflowError, problem);
      return -1;
    }
  }
  return 0;
}

inline PyObject* make_int_pair(int first, int second) {
  nb::object pair = nb::steal(PyTuple_New(2));
  nb::object items[] = {nb::steal(PyLong_FromLong(first)), nb::steal(PyLong_FromLong(second))};
  if (!pair.is_valid() || !items[0].is_valid() || !items[1].is_valid()) return nullptr;
  for (int i = 0; i < 2; ++i) PyTuple_SET_ITEM(pair.ptr(), i, items[i].release().ptr());
  return pair.release().ptr();
}

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_INT_PAIR_H_
