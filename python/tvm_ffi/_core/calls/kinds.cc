// SPDX-License-Identifier: Apache-2.0
// The kinds of Python values that can be passed, one per row.
#include "calls/kinds.h"

#include <cstring>

#include "base/python_error.h"
#include "calls/pack_object.h"
#include "containers/container_pack.h"
#include "conversion/pack_address.h"
#include "conversion/pack_layout.h"
#include "conversion/pack_number.h"
#include "conversion/pack_tensor.h"
#include "conversion/pack_text.h"
#include "lending/dlpack_producer.h"
#include "lending/exchange_producer.h"
#include "lending/ndarray_producer.h"
#include "objects/container_instance.h"
#include "tensors/ndarray_consumer.h"
#include "tensors/tensor.h"
#include "values/values.h"

namespace tvm_ffi_core {

namespace {

// Whether the type derives from one created in C++, or one that Python created and registered.
template <PyTypeObject*& base>
bool derives_from(PyTypeObject* type) {
  return PyType_IsSubtype(type, base);
}

// Whether the type derives from a Python built-in type.
template <PyTypeObject& base>
bool is_a(PyTypeObject* type) {
  return PyType_IsSubtype(type, &base);
}

bool is_void_pointer(PyTypeObject* type) {
  nb::object module =
      nb::steal(PyObject_GetAttrString(reinterpret_cast<PyObject*>(type), "__module__"));
  if (clear_but_interrupts()) throw nb::python_error();
  const char* name = std::strrchr(type->tp_name, '.');
  return module.is_valid() && PyUnicode_Check(module.ptr()) &&
         PyUnicode_CompareWithASCIIString(module.ptr(), "ctypes") == 0 &&
         std::strcmp(name != nullptr ? name + 1 : type->tp_name, "c_void_p") == 0;
}

bool is_exception(PyTypeObject* type) {
  return PyExceptionClass_Check(reinterpret_cast<PyObject*>(type));
}

bool has_index(PyTypeObject* type) {
  return type->tp_as_number != nullptr && type->tp_as_number->nb_index != nullptr;
}

bool has_float(PyTypeObject* type) {
  return type->tp_as_number != nullptr && type->tp_as_number->nb_float != nullptr;
}

bool has_call(PyTypeObject* type) { return type->tp_call != nullptr; }

bool is_any(PyTypeObject*) { return true; }

bool is_framework(PyTypeObject*, const nb::object& given) {
  return nb::isinstance<Framework>(given);
}

bool has_table(PyTypeObject* type, const nb::object& given) {
  return is_framework(type, given) && nb::cast<Framework*>(given)->exchange != nullptr;
}

bool reads_arrays(PyTypeObject* type, const nb::object& given) {
  return is_framework(type, given) && is_ndarray(type);
}

bool is_function(PyTypeObject*, const nb::object& given) { return PyCallable_Check(given.ptr()); }

bool is_text(PyTypeObject*, const nb::object& given) { return PyUnicode_Check(given.ptr()); }

bool is_nothing(PyTypeObject*, const nb::object& given) { return given.is_none(); }

constexpr Need framework{"a Framework", is_framework};
constexpr Need framework_with_table{"a Framework of a type with __dlpack_c_exchange_api__",
                                    has_table};
constexpr Need framework_of_arrays{"a Framework, for numpy.ndarray", reads_arrays};
constexpr Need function{"a callable", is_function};
constexpr Need text{"a str", is_text};
constexpr Need nothing{"None", is_nothing};

// A type has the first kind that recognises it. None and bools have no row: pack_plain
// handles them, and their types have no subclasses.
constexpr Kind kinds[] = {
    {by_type(derives_from<tensor_type>), pack_own_tensor},
    {by_type(derives_from<container_type>), pack_container},
    {by_type(derives_from<object_type>), pack_object},
    {by_type(derives_from<dtype_class>), pack_dtype},
    {by_type(derives_from<device_class>), pack_device},
    {by_type(derives_from<shape_class>), pack_shape},
    {by_type(is_a<PyLong_Type>), pack_int},
    {by_type(is_a<PyFloat_Type>), pack_float},
    {by_type(is_a<PyUnicode_Type>), pack_str},
    {by_type(is_a<PyBytes_Type>), pack_bytes},
    {by_type(is_a<PyByteArray_Type>), pack_bytearray},
    // Before the DLPack methods, as it is more specific.
    {by_method("__tvm_ffi_object__"), pack_stand_in},
    {by_adapter("exchange", framework_with_table), pack_exchange_tensor, fill_from_exchange},
    {by_adapter("ndarray", framework_of_arrays), pack_tensor, fill_from_ndarray},
    {by_adapter("dlpack", framework), pack_tensor, fill_from_dlpack},
    {by_adapter("dtype", function), pack_foreign_dtype},
    {by_adapter("device", function), pack_foreign_device},
    {by_adapter("bool", nothing), pack_foreign_bool},
    {by_adapter("refused", text), pack_refused},
    {by_type(is_void_pointer), pack_void_pointer},
    {by_type(is_exception), pack_exception},
    {by_type(is_a<PyList_Type>), pack_sequence},
    {by_type(is_a<PyTuple_Type>), pack_sequence},
    {by_type(is_a<PyDict_Type>), pack_dict},
    {by_type(is_a<PySet_Type>), pack_set},
    {by_method("__cuda_stream__"), pack_stream},
    {by_method("__tvm_ffi_opaque_ptr__"), pack_address},
    {by_type(has_call), pack_callable},
    {by_method("__dlpack_data_type__"), pack_foreign_dtype},
    {by_method("__dlpack_device__"), pack_foreign_device},
    {by_method("__tvm_ffi_int__"), pack_stand_in},
    {by_method("__tvm_ffi_float__"), pack_stand_in},
    {by_method("__tvm_ffi_value__"), pack_stand_in},
    // After the methods above, which are more specific: a CuTe DSL float has an __index__ that does
    // not return an integer.
    {by_type(has_index), pack_index},
    {by_type(has_float), pack_real},
    {by_type(is_any), pack_opaque},
};

}  // namespace

void bind_kinds() { set_kinds(std::begin(kinds), std::end(kinds)); }

}  // namespace tvm_ffi_core
