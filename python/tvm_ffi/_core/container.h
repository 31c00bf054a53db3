// SPDX-License-Identifier: Apache-2.0
// What the Python types tvm_ffi.Array, List, Map and Dict share.
#ifndef TVM_FFI_PYTHON_CORE_CONTAINER_H_
#define TVM_FFI_PYTHON_CORE_CONTAINER_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/error.h>

#include <new>

#include "args.h"
#include "error.h"
#include "object.h"

namespace tvm_ffi_core {

namespace ffi = tvm::ffi;

struct ContainerInstance {
  ObjectInstance base;
  // Whose tensors its elements become when they are read; NULL: tvm_ffi.Tensor.
  const Framework* framework;
};

// The base of the four types.
extern PyTypeObject* container_type;
extern PyTypeObject* array_type;
extern PyTypeObject* list_type;
extern PyTypeObject* map_type;
extern PyTypeObject* dict_type;

// Whether instances of the class may hold objects of the type: a container's class holds its own.
bool reads_objects_of(PyTypeObject* type, int32_t type_index);

inline const Framework* framework_of_container(PyObject* container) {
  return reinterpret_cast<ContainerInstance*>(container)->framework;
}

// Makes an instance whose tensors are read as those of `framework`; takes the reference.
PyObject* wrap_container(TVMFFIObject* owned, const Framework* framework);

inline bool is_sequence(int32_t type_index) {
  return type_index == kTVMFFIArray || type_index == kTVMFFIList;
}
inline bool is_mapping(int32_t type_index) {
  return type_index == kTVMFFIMap || type_index == kTVMFFIDict;
}

// Reads an element, which stays in its container; a new reference, or NULL with a Python error.
PyObject* element_to_python(const TVMFFIAny& element, const Framework* framework);

// Packs a list or a tuple as an Array, a dict as a Map.
int pack_sequence(const Place& place, PyObject* value);
int pack_dict(const Place& place, PyObject* value);

// The first tensor in the container, and in those that it holds, that is on a device with streams
// and that a framework lent; NULL if there is none.
const LentTensor* first_device_tensor(TVMFFIObject* container);

// Makes the end of a container that holds many others, one in the other, need little of the stack.
void flatten_deletion(TVMFFIObject* container);

// Whether two values have equal contents: 1 or 0, or -1 with a Python error. The types of numbers
// count; those of containers do not.
int values_are_equal(const TVMFFIAny& a, const TVMFFIAny& b);

// The hash of a container's contents; equal contents have equal hashes. -1 with a Python error.
Py_hash_t hash_of_container(PyObject* container);

// "[1, [...]]": like a Python literal.
PyObject* repr_of_container(PyObject* container);

// The value packed as an owned one. 1, or 0 without an error if no container can hold it, or -1
// with a Python error.
int pack_if_possible(PyObject* value, ffi::Any* result);

// Runs code that throws errors of libtvm_ffi; `failed` is returned, with a Python error, if it did.
template <typename Result, typename Code>
Result guarded(Result failed, Code code) {
  try {
    return code();
  } catch (const ffi::Error& error) {
    set_python_error_from(ffi::ObjectUnsafe::Borrow(error));
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  }
  return failed;
}

void bind_container(nb::module_& module);
void bind_sequence(nb::module_& module);
void bind_mapping(nb::module_& module);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_CONTAINER_H_
