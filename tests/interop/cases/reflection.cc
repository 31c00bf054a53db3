// SPDX-License-Identifier: Apache-2.0
// Cases: types, their fields, methods and constructors, and functions, registered by reflection.
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/accessor.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/rvalue_ref.h>

#include <string>
#include <utility>

#include "case.h"

namespace ffi = tvm::ffi;
namespace refl = tvm::ffi::reflection;

namespace {

using ffi::Any;
using ffi::Array;
using ffi::Function;
using ffi::ObjectRef;
using ffi::String;

class ShapeObj : public ffi::Object {
 public:
  String name;
  int64_t corners = 0;

  static constexpr bool _type_mutable = true;
  static constexpr uint32_t _type_child_slots = 2;
  TVM_FFI_DECLARE_OBJECT_INFO("interop.Shape", ShapeObj, ffi::Object);
};

class BoxObj : public ShapeObj {
 public:
  double width = 1;
  Array<int64_t> tags;
  bool open = false;

  BoxObj() = default;
  BoxObj(String text, double w) : width(w) {
    name = std::move(text);
    corners = 4;
  }
  double Area(double height) const { return width * height; }
  static int64_t Double(int64_t x) { return 2 * x; }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("interop.Box", BoxObj, ShapeObj);
};

class Box : public ObjectRef {
 public:
  Box(String name, double width) : ObjectRef(ffi::make_object<BoxObj>(std::move(name), width)) {}
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Box, ObjectRef, BoxObj);
};

// The first library that says so registers the types: their description is the process's.
void RegisterTypes() {
  const TVMFFITypeInfo* info = TVMFFIGetTypeInfo(BoxObj::RuntimeTypeIndex());
  if (info->num_fields > 0) return;
  refl::ObjectDef<ShapeObj>()
      .def_ro("name", &ShapeObj::name, "What it is called.")
      .def_rw("corners", &ShapeObj::corners);
  refl::ObjectDef<BoxObj>()
      .def(refl::init<String, double>())
      .def_rw("width", &BoxObj::width, refl::default_value(1.0))
      .def_ro("tags", &BoxObj::tags)
      .def_ro("open", &BoxObj::open)
      .def("area", &BoxObj::Area, "Width times height.")
      .def_static("double", &BoxObj::Double);
}

Box MakeFields(int64_t) {
  RegisterTypes();
  Box box("a box with a long name", 2.5);
  box->tags = Array<int64_t>{7, 8};
  box->open = true;
  return box;
}
void CheckFields(int64_t, const Any& value) {
  const auto box = value.cast<ObjectRef>();
  const auto get = [&](const char* name) {
    return refl::FieldGetter("interop.Box", name)(box.get());
  };
  EXPECT(get("width").cast<double>() == 2.5);
  EXPECT(get("tags").cast<Array<int64_t>>()[1] == 8);
  EXPECT(get("open").cast<bool>());
  EXPECT(refl::FieldGetter("interop.Shape", "name")(box.get()).cast<String>() ==
         "a box with a long name");
  EXPECT(refl::FieldGetter("interop.Shape", "corners")(box.get()).cast<int64_t>() == 4);
  refl::FieldSetter("interop.Box", "width")(box.get(), 3.5);
  EXPECT(get("width").cast<double>() == 3.5);
}

Box MakeMethods(int64_t) { return MakeFields(0); }
void CheckMethods(int64_t, const Any& value) {
  const Function area = refl::GetMethod("interop.Box", "area");
  EXPECT(area(value, 2).cast<double>() == 5.0);
  EXPECT(refl::GetMethod("interop.Box", "double")(21).cast<int64_t>() == 42);
}

// What the registered description says, whoever reads it.
String MakeDescription(int64_t) {
  RegisterTypes();
  return "interop.Box";
}
void CheckDescription(int64_t, const Any& value) {
  const auto key = value.cast<std::string>();
  const TVMFFIByteArray bytes{key.data(), key.size()};
  int32_t index = 0;
  TVM_FFI_CHECK_SAFE_CALL(TVMFFITypeKeyToIndex(&bytes, &index));
  const TVMFFITypeInfo* info = TVMFFIGetTypeInfo(index);
  const char* const names[] = {"width", "tags", "open"};
  EXPECT(info->num_fields == 3);
  for (int i = 0; i < 3; ++i) {
    const TVMFFIFieldInfo& field = info->fields[i];
    EXPECT(std::string(field.name.data, field.name.size) == names[i]);
    EXPECT(((field.flags & kTVMFFIFieldFlagBitMaskWritable) != 0) == (i == 0));
  }
  EXPECT(info->fields[0].offset == 48 && info->fields[0].size == 8);
  EXPECT((info->fields[0].flags & kTVMFFIFieldFlagBitMaskHasDefault) != 0);
  EXPECT(std::string(info->fields[0].metadata.data, info->fields[0].metadata.size).find("float") !=
         std::string::npos);
  bool found = false;
  for (int i = 0; i < info->num_methods; ++i) {
    const TVMFFIMethodInfo& method = info->methods[i];
    if (std::string(method.name.data, method.name.size) != "area") continue;
    found = true;
    EXPECT(std::string(method.doc.data, method.doc.size) == "Width times height.");
    EXPECT((method.flags & kTVMFFIFieldFlagBitMaskIsStaticMethod) == 0);
  }
  EXPECT(found);
}

// The constructor that the maker registered makes objects for the checker.
Function MakeConstructor(int64_t) {
  RegisterTypes();
  return refl::GetMethod("interop.Box", "__ffi_init__");
}
void CheckConstructor(int64_t, const Any& value) {
  const Any made = value.cast<Function>()(String("made by its constructor"), 4.0);
  const auto box = made.cast<Box>();
  EXPECT(box->name == "made by its constructor");
  EXPECT(box->width == 4.0);
  EXPECT(box->corners == 4);
  EXPECT(box.use_count() == 2);
}

// A function of a global name, with its documentation.
String MakeGlobalDef(int64_t) {
  static bool once = [] {
    refl::GlobalDef().def(
        "interop.reflected",
        [](int64_t x, String text) -> String { return text + String(Text(x)); }, "Joins.");
    return true;
  }();
  (void)once;
  return "interop.reflected";
}
void CheckGlobalDef(int64_t, const Any& value) {
  const auto name = value.cast<std::string>();
  EXPECT(Function::GetGlobalRequired(name)(5, "five ").cast<String>() == "five 5");
}

// Moved in: the callee is the only owner, and changes the array in place.
Function MakeMoved(int64_t) {
  return Function::FromTyped([](ffi::RValueRef<Array<int64_t>> numbers) -> int64_t {
    Array<int64_t> mine = *std::move(numbers);
    return static_cast<int64_t>(mine.use_count() * 100 + static_cast<int64_t>(mine.size()));
  });
}
void CheckMoved(int64_t, const Any& value) {
  const auto function = value.cast<Function>();
  Array<int64_t> numbers{1, 2, 3};
  EXPECT(function(numbers).cast<int64_t>() == 203);
  EXPECT(function(ffi::RValueRef<Array<int64_t>>(std::move(numbers))).cast<int64_t>() == 103);
  EXPECT(!numbers.defined());
}

// TypedFunction on both sides.
ffi::TypedFunction<String(int64_t, String)> MakeTypedFunction(int64_t) {
  return ffi::TypedFunction<String(int64_t, String)>(
      [](int64_t n, String text) -> String { return text + String(Text(n)); });
}
void CheckTypedFunction(int64_t, const Any& value) {
  const auto function = value.cast<ffi::TypedFunction<String(int64_t, String)>>();
  const String joined = function(5, "five ");
  EXPECT(joined == "five 5");
}

int64_t initialized = 0;
int64_t Initialized() { return initialized; }

}  // namespace

TVM_FFI_STATIC_INIT_BLOCK() { initialized += 1; }

INTEROP_CASE(Fields, 1, "fields by reflection, read and written");
INTEROP_CASE(Methods, 1, "methods and static methods by reflection");
INTEROP_CASE(Description, 1, "description of a registered type");
INTEROP_CASE(Constructor, 1, "constructor by reflection");
INTEROP_CASE(GlobalDef, 1, "global function registered by reflection");
INTEROP_CASE(Moved, 1, "RValueRef: an argument that is moved in");
INTEROP_CASE(TypedFunction, 1, "TypedFunction");

TVM_FFI_DLL_EXPORT_TYPED_FUNC(initialized, Initialized);
