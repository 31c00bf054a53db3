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
      .def_rw("small", &PointObj::small);
  refl::ObjectDef<DeepPointObj>().def_ro("z", &DeepPointObj::z).def("twice", [](PointObj* p) {
    return 2 * p->x;
  });
}

}  // namespace

// A getter reads, and a setter writes, a field of any object of the type or a derived one.
void getters_and_setters() {
  // [field_access.begin]
  ffi::ObjectRef point(ffi::make_object<DeepPointObj>());
  refl::FieldSetter set_x("test_accessor.DeepPoint", "x");
  refl::FieldGetter get_x("test_accessor.DeepPoint", "x");
  set_x(point, 5);
  EXPECT_EQ(get_x(point).cast<int64_t>(), 5);
  // [field_access.end]
  EXPECT_EQ(get_x(point.get()).cast<int64_t>(), 5);
  EXPECT_EQ(get_x(ffi::make_object<PointObj>()).cast<int64_t>(), 0);
  refl::FieldSetter set_label("test_accessor.Point", "label");
  refl::FieldGetter get_label("test_accessor.Point", "label");
  EXPECT(get_label(point) == nullptr);
  set_label(point, "a label of more than seven bytes");
  EXPECT_EQ(get_label(point).cast<std::string>(), std::string("a label of more than seven bytes"));
  set_label(point, nullptr);
  EXPECT(get_label(point) == nullptr);
  // Who reads a read-only field only is told so by its flags.
  refl::FieldSetter(refl::GetFieldInfo("test_accessor.DeepPoint", "z"))(point, 3);
  EXPECT_EQ(point.as<DeepPointObj>()->z, 3);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_getters_and_setters, getters_and_setters);

// A value that does not convert to the field's type is refused, and the field keeps its value.
void bad_values() {
  ffi::ObjectRef point(ffi::make_object<PointObj>());
  refl::FieldSetter set("test_accessor.Point", "small");
  set(point, 127);
  EXPECT_THROWS("TypeError: expected int of 8 bits, got str", set(point, "x"));
  EXPECT_THROWS("TypeError: expected int of 8 bits, got int 128", set(point, 128));
  EXPECT_THROWS("ValueError: FieldSetter: small: expected an object, got a null handle",
                set(ffi::ObjectRef(), 1));
  EXPECT_THROWS("ValueError: FieldGetter: small: expected an object, got a null handle",
                refl::FieldGetter("test_accessor.Point", "small")(ffi::ObjectRef()));
  EXPECT_EQ(refl::FieldGetter("test_accessor.Point", "small")(point).cast<int>(), 127);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_bad_values, bad_values);

// A name that nobody registered is an error that says what was looked for, and where.
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

// Fields are visited the ancestors' first, and no further than the visitor wants.
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
