// SPDX-License-Identifier: Apache-2.0
// Rows: R7
// reflection/accessor.h: fields, methods and attributes found by name.
#include <tvm/ffi/reflection/accessor.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/tvm_ffi.h>

#include "expect.h"

namespace ffi = tvm::ffi;
namespace refl = tvm::ffi::reflection;

namespace {

class PointObj : public ffi::Object {
 public:
  int64_t x = 0;
  ffi::Optional<ffi::String> label;
  int8_t small = 0;
  int64_t plain = 0;
  ffi::Array<int64_t> made;
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO("test_accessor.Point", PointObj, ffi::Object);
};
class DeepPointObj : public PointObj {
 public:
  int64_t z = 0;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test_accessor.DeepPoint", DeepPointObj, PointObj);
};

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::ObjectDef<PointObj>()
      .def_rw("x", &PointObj::x)
      .def_rw("label", &PointObj::label)
      .def_rw("small", &PointObj::small)
      .def_ro("plain", &PointObj::plain, refl::default_value(3))
      .def_ro(
          "made", &PointObj::made, refl::default_factory([] { return ffi::Array<int64_t>{1, 2}; }),
          refl::AttachFieldFlag::SEqHashDefPattern(), refl::AttachFieldFlag::SEqHashDefSimple());
  refl::ObjectDef<DeepPointObj>().def_ro("z", &DeepPointObj::z).def("twice", [](PointObj* p) {
    return 2 * p->x;
  });
}

}  // namespace

// A getter reads, and a setter writes, a field of any object of the type or a derived one.
void getters_and_setters() {
  ffi::ObjectRef point(ffi::make_object<DeepPointObj>());
  refl::FieldSetter set_x("test_accessor.DeepPoint", "x");
  refl::FieldGetter get_x("test_accessor.DeepPoint", "x");
  set_x(point, 5);
  EXPECT_EQ(get_x(point).cast<int64_t>(), 5);
  EXPECT_EQ(get_x(point.get()).cast<int64_t>(), 5);
  EXPECT_EQ(get_x(ffi::make_object<PointObj>()).cast<int64_t>(), 0);
  refl::FieldSetter set_label("test_accessor.Point", "label");
  refl::FieldGetter get_label("test_accessor.Point", "label");
  EXPECT(get_label(point) == nullptr);
  set_label(point, "a label of more than seven bytes");
  EXPECT_EQ(get_label(point).cast<std::string>(), std::string("a label of more than seven bytes"));
  set_label(point, nullptr);
  EXPECT(get_label(point) == nullptr);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_getters_and_setters, getters_and_setters);

// A value that does not convert to the field's type is rejected, and the field keeps its value.
void bad_values() {
  ffi::ObjectRef point(ffi::make_object<PointObj>());
  refl::FieldSetter set("test_accessor.Point", "small");
  set(point, 127);
  const std::string field = "TypeError: test_accessor.Point.small: ";
  EXPECT_THROWS(field + "expected int of 8 bits, got str", set(point, "x"));
  EXPECT_THROWS(field + "expected int of 8 bits, got int 128", set(point, 128));
  EXPECT_EQ(refl::FieldGetter("test_accessor.Point", "small")(point).cast<int>(), 127);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_bad_values, bad_values);

// None, or an object without the field, is rejected before its memory is accessed.
void bad_objects() {
  refl::FieldGetter get("test_accessor.DeepPoint", "z");
  refl::FieldSetter set("test_accessor.DeepPoint", "x");
  const ffi::Shape shape{1, 2};
  const std::string z = "TypeError: test_accessor.DeepPoint.z: expected test_accessor.DeepPoint, ";
  EXPECT_THROWS(z + "got None", get(ffi::ObjectRef()));
  EXPECT_THROWS(z + "got None", get(static_cast<const ffi::Object*>(nullptr)));
  EXPECT_THROWS(z + "got Shape", get(shape));
  EXPECT_THROWS(z + "got test_accessor.Point", get(ffi::make_object<PointObj>()));
  // The field belongs to the parent, so any object of the parent has it.
  const std::string x = "TypeError: test_accessor.Point.x: expected test_accessor.Point, got ";
  EXPECT_THROWS(x + "None", set(ffi::ObjectRef(), 1));
  EXPECT_THROWS(x + "Shape", set(shape, 1));
  EXPECT_THROWS(x + "Object", set(ffi::make_object<ffi::Object>(), 1));
  set(ffi::make_object<PointObj>(), 1);
  // A description alone does not determine its type; the object does.
  const TVMFFIFieldInfo copy = *refl::GetFieldInfo("test_accessor.DeepPoint", "x");
  EXPECT_THROWS("TypeError: x: expected an object with that field, got Shape",
                refl::FieldGetter{&copy}(shape));
  EXPECT_EQ(refl::FieldGetter(&copy)(ffi::make_object<DeepPointObj>()).cast<int>(), 0);
  EXPECT_THROWS("TypeError: test_accessor.Point.x: expected int, got str",
                refl::FieldSetter{&copy}(ffi::make_object<DeepPointObj>(), "text"));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_bad_objects, bad_objects);

// Setting a read-only field is rejected, and it keeps its value.
void read_only_fields() {
  ffi::ObjectRef point(ffi::make_object<DeepPointObj>());
  EXPECT_THROWS(
      "TypeError: test_accessor.DeepPoint.z: expected a writable field, got a read-only "
      "one",
      refl::FieldSetter("test_accessor.DeepPoint", "z")(point, 3));
  EXPECT_EQ(point.as<DeepPointObj>()->z, 0);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_read_only_fields, read_only_fields);

// An unregistered name is an error that says what was looked up, and where.
void unknown_names() {
  EXPECT_THROWS(
      "RuntimeError: GetFieldInfo: test_accessor.Point: expected the name of a field, got \"z\"",
      refl::FieldGetter("test_accessor.Point", "z"));
  EXPECT_THROWS(
      "RuntimeError: GetMethodInfo: test_accessor.Point: expected the name of a method, got "
      "\"twice\"",
      refl::GetMethod("test_accessor.Point", "twice"));
  EXPECT_THROWS(
      "TypeError: TVMFFITypeKeyToIndex: expected a registered type, got \"test_accessor.None\"",
      refl::FieldGetter("test_accessor.None", "x"));
  EXPECT_THROWS(
      "RuntimeError: TypeAttrColumn: expected the name of an attribute, got \"test_accessor.none\"",
      refl::TypeAttrColumn("test_accessor.none"));
  refl::EnsureTypeAttrColumn("test_accessor.none");
  EXPECT(refl::TypeAttrColumn("test_accessor.none")[kTVMFFIShape] == nullptr);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_unknown_names, unknown_names);

// Fields are visited ancestors first, until the visitor stops.
void visits() {
  const TVMFFITypeInfo* info = TVMFFIGetTypeInfo(DeepPointObj::RuntimeTypeIndex());
  int seen = 0;
  EXPECT(refl::ForEachFieldInfoWithEarlyStop(info,
                                             [&](const TVMFFIFieldInfo*) { return ++seen == 2; }));
  EXPECT_EQ(seen, 2);
  EXPECT(!refl::ForEachFieldInfoWithEarlyStop(info, [](const TVMFFIFieldInfo*) { return false; }));
  refl::ForEachFieldInfo(TVMFFIGetTypeInfo(kTVMFFIObject), [](const TVMFFIFieldInfo*) {
    TVM_FFI_THROW(AssertionError) << "the root has no fields";
  });
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_visits, visits);

// A field is set in the object's storage, to a value or to its default, even if read-only.
void set_in_place() {
  PointObj point;
  const auto* plain = refl::GetFieldInfo("test_accessor.Point", "plain");
  const auto* made = refl::GetFieldInfo("test_accessor.Point", "made");
  const TVMFFIAny five = ffi::AnyView(5).CopyToTVMFFIAny();
  EXPECT_EQ(refl::CallFieldSetter(plain, &point.plain, &five), 0);
  EXPECT_EQ(point.plain, 5);
  refl::SetFieldToDefault(plain, &point.plain);
  EXPECT_EQ(point.plain, 3);
  EXPECT_EQ(refl::CallFieldSetterToDefault(made, &point.made), 0);
  const ffi::Array<int64_t> before = point.made;
  EXPECT_EQ(before.size(), 2u);
  refl::SetFieldToDefault(made, &point.made);
  EXPECT(!point.made.same_as(before));
  EXPECT_EQ(made->flags & kTVMFFIFieldFlagBitMaskSEqHashDefPattern, 16);
  EXPECT_EQ(made->flags & kTVMFFIFieldFlagBitMaskSEqHashDefSimple, 4096);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_set_in_place, set_in_place);

// The C ABI functions raise their error; the other one throws it.
void not_set_in_place() {
  PointObj point;
  const auto* x = refl::GetFieldInfo("test_accessor.Point", "x");
  const TVMFFIAny text = ffi::AnyView("text").CopyToTVMFFIAny();
  EXPECT_THROWS("TypeError: expected int, got str",
                TVM_FFI_CHECK_SAFE_CALL(refl::CallFieldSetter(x, &point.x, &text)));
  EXPECT_THROWS("TypeError: SetFieldToDefault: expected a field with a default, got \"x\"",
                refl::SetFieldToDefault(x, &point.x));
  EXPECT_THROWS("TypeError: SetFieldToDefault: expected a field with a default, got \"x\"",
                TVM_FFI_CHECK_SAFE_CALL(refl::CallFieldSetterToDefault(x, &point.x)));
  TVMFFIFieldInfo fixed = *x;
  fixed.setter = nullptr;
  EXPECT_THROWS("TypeError: expected a field that can be set, got one without a setter",
                TVM_FFI_CHECK_SAFE_CALL(refl::CallFieldSetter(&fixed, &point.x, &text)));
  EXPECT_EQ(refl::AsByteArray("abc").size, 3u);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_not_set_in_place, not_set_in_place);
