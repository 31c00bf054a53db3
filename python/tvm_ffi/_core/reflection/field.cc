// SPDX-License-Identifier: Apache-2.0
// The descriptor of a registered field.
#include "reflection/field.h"

#include <structmember.h>

#include "base/error.h"
#include "base/python_error.h"
#include "conversion/args.h"
#include "conversion/result.h"
#include "objects/object.h"
#include "objects/object_class.h"

namespace tvm_ffi_core {

namespace {

PyTypeObject* field_type = nullptr;

struct FieldInstance {
  PyObject_HEAD TVMFFIFieldInfo info;  // its strings live as long as the process
  int32_t owner;                       // index of the type that declares it
  PyObject* name;                      // owned; so are the next two
  PyObject* full_name;                 // includes the type key
  PyObject* doc;
};

FieldInstance* field_of(PyObject* self) { return reinterpret_cast<FieldInstance*>(self); }

// The address of the field in the instance's object; NULL with a Python error set.
void* locate(const FieldInstance* field, PyObject* instance) {
  TVMFFIObject* handle = PyObject_TypeCheck(instance, object_type) ? handle_of(instance) : nullptr;
  if (handle != nullptr && (handle->type_index == field->owner ||
                            is_or_derives_from(type_info_of(handle), field->owner))) {
    return reinterpret_cast<char*>(handle) + field->info.offset;
  }
  PyErr_Format(PyExc_TypeError, "%U: expected an object with this field, got %s%s",
               field->full_name, Py_TYPE(instance)->tp_name,
               handle == nullptr && PyObject_TypeCheck(instance, object_type)
                   ? " that holds no object: its __init__ did not create one"
                   : "");
  return nullptr;
}

// Sets the Python error of a getter or setter, prefixed with the field's name.
void fail(const FieldInstance* field, int code) {
  set_python_error(code);
  nb::object error = take_exception();
  PyObject* type = error.type().ptr();
  if (type == PyExc_TypeError || type == PyExc_ValueError) {
    nb::object text = nb::steal(PyObject_Str(error.ptr()));
    if (clear_but_interrupts()) return;
    nb::object arguments =
        text.is_valid() ? nb::steal(Py_BuildValue(
                              "(N)", PyUnicode_FromFormat("%U: %U", field->full_name, text.ptr())))
                        : nb::object();
    if (!arguments.is_valid() ||
        PyObject_SetAttrString(error.ptr(), "args", arguments.ptr()) != 0) {
      PyErr_Clear();
    }
  }
  set_exception(std::move(error));
}

PyObject* get(PyObject* self, PyObject* instance, PyObject*) {
  if (instance == nullptr || instance == Py_None) {
    Py_INCREF(self);
    return self;
  }
  const FieldInstance* field = field_of(self);
  void* address = locate(field, instance);
  if (address == nullptr) return nullptr;
  TVMFFIAny value;
  clear(&value);
  int code = field->info.getter(address, &value);
  if (code != 0) {
    fail(field, code);
    return nullptr;
  }
  return value_to_python(&value, nullptr);
}

int call_setter(const FieldInstance* field, void* address, const TVMFFIAny* value) {
  if ((field->info.flags & kTVMFFIFieldFlagBitSetterIsFunctionObj) == 0) {
    return reinterpret_cast<TVMFFIFieldSetter>(field->info.setter)(address, value);
  }
  TVMFFIAny arguments[2] = {};
  arguments[0].type_index = kTVMFFIOpaquePtr;
  arguments[0].v_ptr = address;
  arguments[1] = *value;
  TVMFFIAny result;
  clear(&result);
  int code = TVMFFIFunctionCall(field->info.setter, arguments, 2, &result);
  if (code == 0 && result.type_index >= kTVMFFIStaticObjectBegin) TVMFFIObjectDecRef(result.v_obj);
  return code;
}

int write(const FieldInstance* field, PyObject* instance, PyObject* value) {
  void* address = locate(field, instance);
  if (address == nullptr) return -1;
  CallFrame frame(field->full_name, false, 1);
  if (!frame.ok()) return -1;
  int code = pack_field(&frame, value);
  if (code == 0 && (code = call_setter(field, address, frame.arguments())) != 0) {
    fail(field, code);
  }
  if (code == 0) return frame.finish();
  frame.abandon();
  return -1;
}

int set(PyObject* self, PyObject* instance, PyObject* value) {
  const FieldInstance* field = field_of(self);
  if (value == nullptr) {
    PyErr_Format(PyExc_AttributeError, "%U: a field cannot be deleted", field->full_name);
    return -1;
  }
  if ((field->info.flags & kTVMFFIFieldFlagBitMaskWritable) == 0 || field->info.setter == nullptr) {
    PyErr_Format(PyExc_AttributeError, "%U: the field can only be read", field->full_name);
    return -1;
  }
  return write(field, instance, value);
}

// store(instance, value): also sets read-only fields of an object under construction.
PyObject* store(PyObject* self, PyObject* const* args, Py_ssize_t num_args) {
  const FieldInstance* field = field_of(self);
  if (num_args != 2 || field->info.setter == nullptr) {
    PyErr_Format(PyExc_TypeError, "%U: expected a field with a setter, an instance and a value",
                 field->full_name);
    return nullptr;
  }
  if (write(field, args[0], args[1]) != 0) return nullptr;
  Py_RETURN_NONE;
}

void dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  FieldInstance* field = field_of(self);
  Py_XDECREF(field->name);
  Py_XDECREF(field->full_name);
  Py_XDECREF(field->doc);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* repr(PyObject* self) {
  return PyUnicode_FromFormat("<field %U>", field_of(self)->full_name);
}

PyObject* metadata(PyObject* self, void*) {
  const TVMFFIByteArray& text = field_of(self)->info.metadata;
  return PyUnicode_DecodeUTF8(text.data, static_cast<Py_ssize_t>(text.size), "replace");
}

PyObject* default_value(PyObject* self, void*) {
  const TVMFFIFieldInfo& info = field_of(self)->info;
  if ((info.flags & kTVMFFIFieldFlagBitMaskHasDefault) == 0) Py_RETURN_NONE;
  return view_to_python(&info.default_value_or_factory);
}

PyObject* has_setter(PyObject* self, void*) {
  return PyBool_FromLong(field_of(self)->info.setter != nullptr);
}

PyMethodDef methods[] = {
    {"store", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(store)), METH_FASTCALL,
     nullptr},
    {nullptr, nullptr, 0, nullptr}};

PyMemberDef members[] = {
    {"__name__", T_OBJECT_EX, offsetof(FieldInstance, name), READONLY, nullptr},
    {"__qualname__", T_OBJECT_EX, offsetof(FieldInstance, full_name), READONLY, nullptr},
    {"__doc__", T_OBJECT, offsetof(FieldInstance, doc), READONLY, nullptr},
    {"owner", T_INT, offsetof(FieldInstance, owner), READONLY, nullptr},
    {"size", T_LONGLONG, offsetof(FieldInstance, info.size), READONLY, nullptr},
    {"alignment", T_LONGLONG, offsetof(FieldInstance, info.alignment), READONLY, nullptr},
    {"offset", T_LONGLONG, offsetof(FieldInstance, info.offset), READONLY, nullptr},
    {"flags", T_LONGLONG, offsetof(FieldInstance, info.flags), READONLY, nullptr},
    {"static_type_index", T_INT, offsetof(FieldInstance, info.field_static_type_index), READONLY,
     nullptr},
    {nullptr, 0, 0, 0, nullptr}};

PyGetSetDef properties[] = {{"metadata", metadata, nullptr, nullptr, nullptr},
                            {"default", default_value, nullptr, nullptr, nullptr},
                            {"has_setter", has_setter, nullptr, nullptr, nullptr},
                            {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
                       {Py_tp_repr, reinterpret_cast<void*>(repr)},
                       {Py_tp_descr_get, reinterpret_cast<void*>(get)},
                       {Py_tp_descr_set, reinterpret_cast<void*>(set)},
                       {Py_tp_methods, methods},
                       {Py_tp_members, members},
                       {Py_tp_getset, properties},
                       {0, nullptr}};

PyType_Spec spec = {"tvm_ffi.Field", sizeof(FieldInstance), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

}  // namespace

nb::object make_field(const TVMFFITypeInfo* owner, const TVMFFIFieldInfo& info) {
  nb::object made = nb::steal(field_type->tp_alloc(field_type, 0));
  if (!made.is_valid()) throw nb::python_error();
  FieldInstance* field = field_of(made.ptr());
  field->info = info;
  field->owner = owner->type_index;
  nb::str name(info.name.data, info.name.size);
  nb::str key(owner->type_key.data, owner->type_key.size);
  field->full_name = PyUnicode_FromFormat("%U.%U", key.ptr(), name.ptr());
  field->name = name.release().ptr();
  if (info.doc.size != 0) field->doc = nb::str(info.doc.data, info.doc.size).release().ptr();
  if (field->full_name == nullptr) throw nb::python_error();
  return made;
}

void bind_field(nb::module_& module) {
  PyObject* type = PyType_FromSpec(&spec);
  if (type == nullptr) throw nb::python_error();
  field_type = reinterpret_cast<PyTypeObject*>(type);
  module.attr("Field") = nb::handle(type);
}

}  // namespace tvm_ffi_core
