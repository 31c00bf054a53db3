// SPDX-License-Identifier: Apache-2.0
// The registered information about object types, for tvm_ffi.type_info.
#include "reflection/type_info.h"

#include "base/error.h"
#include "conversion/result.h"
#include "objects/container_instance.h"
#include "objects/function_instance.h"
#include "objects/object.h"
#include "objects/object_class.h"
#include "reflection/field.h"
#include "reflection/method.h"
#include "tensors/tensor.h"

namespace tvm_ffi_core {

namespace {

nb::str text(const TVMFFIByteArray& bytes) { return nb::str(bytes.data, bytes.size); }

// The type's index, or None.
nb::object find_type(nb::str type_key) {
  Py_ssize_t size = 0;
  const char* data = PyUnicode_AsUTF8AndSize(type_key.ptr(), &size);
  if (data == nullptr) throw nb::python_error();
  TVMFFIByteArray key{data, static_cast<size_t>(size)};
  int32_t type_index = 0;
  if (TVMFFITypeKeyToIndex(&key, &type_index) != 0) {
    ObjectRef unknown_type_error;
    TVMFFIErrorMoveFromRaised(unknown_type_error.out());
    return nb::none();
  }
  return nb::int_(type_index);
}

// The type's own value of an attribute, or None.
nb::object type_attribute(int32_t type_index, nb::str name) {
  TVMFFIByteArray bytes = byte_array(name.c_str());
  const TVMFFITypeAttrColumn* column = TVMFFIGetTypeAttrColumn(&bytes);
  if (column == nullptr) return nb::none();
  int64_t place = int64_t{type_index} - column->begin_index;
  if (place < 0 || place >= column->size) return nb::none();
  nb::object value = nb::steal(view_to_python(&column->data[place]));
  if (!value.is_valid()) throw nb::python_error();
  return value;
}

// The function that creates objects of a type without a creator, or None.
nb::object new_function(int32_t type_index) {
  return type_attribute(type_index, nb::str("__ffi_new__"));
}

// Key, documentation or None, ancestor indices from the root, size or None.
nb::object describe_type(int32_t type_index) {
  const TVMFFITypeInfo* info = require_info(type_index);
  nb::list ancestors;
  for (int32_t i = 0; i < info->type_depth; ++i) {
    ancestors.append(info->type_ancestors[i]->type_index);
  }
  const TVMFFITypeMetadata* more = info->metadata;
  nb::object doc = nb::none(), size = nb::none();
  bool has_creator = false;
  if (more != nullptr) {
    if (more->doc.size != 0) doc = text(more->doc);
    size = nb::int_(more->total_size);
    has_creator = more->creator != nullptr || !new_function(type_index).is_none();
  }
  return nb::make_tuple(text(info->type_key), doc, nb::tuple(ancestors), size, has_creator);
}

// The descriptors of the type's own fields.
nb::object own_fields(int32_t type_index) {
  const TVMFFITypeInfo* info = require_info(type_index);
  nb::list fields;
  for (int32_t i = 0; i < info->num_fields; ++i) fields.append(make_field(info, info->fields[i]));
  return nb::tuple(fields);
}

// The type's own methods: the descriptor, whether it is static, metadata.
nb::object own_methods(int32_t type_index) {
  const TVMFFITypeInfo* info = require_info(type_index);
  nb::list methods;
  for (int32_t i = 0; i < info->num_methods; ++i) {
    const TVMFFIMethodInfo& method = info->methods[i];
    bool is_static = (method.flags & kTVMFFIFieldFlagBitMaskIsStaticMethod) != 0;
    nb::object function = nb::steal(view_to_python(&method.method));
    if (!function.is_valid()) throw nb::python_error();
    methods.append(nb::make_tuple(
        make_method(text(info->type_key), text(method.name), text(method.doc), function), is_static,
        text(method.metadata)));
  }
  return nb::tuple(methods);
}

nb::object new_object(int32_t type_index) {
  const TVMFFITypeInfo* info = require_info(type_index);
  if (info->metadata == nullptr || info->metadata->creator == nullptr) {
    nb::object function = new_function(type_index);
    if (!function.is_none()) return function();
    PyErr_Format(PyExc_TypeError, "%U: expected a type whose objects can be made without arguments",
                 text(info->type_key).ptr());
    throw nb::python_error();
  }
  TVMFFIObjectHandle made = nullptr;
  check(info->metadata->creator(&made));
  nb::object instance = nb::steal(wrap_object(static_cast<TVMFFIObject*>(made)));
  if (!instance.is_valid()) throw nb::python_error();
  return instance;
}

int32_t type_index_of(nb::handle instance) {
  if (!PyObject_TypeCheck(instance.ptr(), object_type) || handle_of(instance.ptr()) == nullptr) {
    PyErr_Format(PyExc_ValueError,
                 "%s: expected an object, got an instance that holds none: its __init__ did not "
                 "create one",
                 Py_TYPE(instance.ptr())->tp_name);
    throw nb::python_error();
  }
  return handle_of(instance.ptr())->type_index;
}

// Another instance for the object, of a class chosen by the caller.
nb::object adopt(nb::type_object type, nb::object instance) {
  auto* python_type = reinterpret_cast<PyTypeObject*>(type.ptr());
  if (!PyType_IsSubtype(python_type, class_of(type_index_of(instance)))) {
    PyErr_Format(PyExc_TypeError, "adopt: type: expected a class for such an object, got %s",
                 python_type->tp_name);
    throw nb::python_error();
  }
  TVMFFIObjectIncRef(handle_of(instance.ptr()));
  nb::object made = nb::steal(make_instance(python_type, handle_of(instance.ptr())));
  if (!made.is_valid()) throw nb::python_error();
  return made;
}

// Whether instances of the class may hold objects of the type: the code of Tensor, Function and the
// containers accesses them unchecked.
bool may_stand_for(PyTypeObject* type, int32_t type_index) {
  const TVMFFITypeInfo* info = require_info(type_index);
  if (PyType_IsSubtype(type, tensor_type)) return is_or_derives_from(info, kTVMFFITensor);
  if (PyType_IsSubtype(type, function_type)) return is_or_derives_from(info, kTVMFFIFunction);
  return reads_objects_of(type, type_index);
}

}  // namespace

void bind_type_info(nb::module_& module) {
  module.def(
      "register_object_class",
      [](nb::str type_key, nb::type_object type) {
        nb::object type_index = find_type(type_key);
        auto* python_type = reinterpret_cast<PyTypeObject*>(type.ptr());
        if (!PyType_IsSubtype(python_type, object_type)) {
          PyErr_Format(PyExc_TypeError,
                       "register_object_class: type: expected a class derived from tvm_ffi.Object, "
                       "got %s",
                       python_type->tp_name);
          throw nb::python_error();
        }
        if (type_index.is_none()) {
          PyErr_Format(PyExc_ValueError,
                       "register_object_class: type_key: expected a registered type, got %R",
                       type_key.ptr());
          throw nb::python_error();
        }
        if (!may_stand_for(python_type, nb::cast<int32_t>(type_index))) {
          PyErr_Format(PyExc_TypeError,
                       "register_object_class: type: expected a class that reads objects of type "
                       "%U, got %s, which reads those of another type",
                       type_key.ptr(), python_type->tp_name);
          throw nb::python_error();
        }
        register_object_class(nb::cast<int32_t>(type_index), python_type);
      },
      nb::arg("type_key"), nb::arg("type"));
  module.def("find_type", find_type, nb::arg("type_key"),
             nb::sig("def find_type(type_key: str) -> int | None"));
  module.def("describe_type", describe_type, nb::arg("type_index"));
  module.def("own_fields", own_fields, nb::arg("type_index"));
  module.def("own_methods", own_methods, nb::arg("type_index"));
  module.def("type_attribute", type_attribute, nb::arg("type_index"), nb::arg("name"));
  module.def("new_object", new_object, nb::arg("type_index"));
  module.def("adopt", adopt, nb::arg("type"), nb::arg("instance"));
  module.def("type_index_of", type_index_of, nb::arg("instance"));
}

}  // namespace tvm_ffi_core
