// SPDX-License-Identifier: Apache-2.0
// Rows: R5, R7
// reflection/creator.h: creating objects from the values of their fields.
#include <tvm/ffi/reflection/creator.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/tvm_ffi.h>

#include "expect.h"

namespace ffi = tvm::ffi;
namespace refl = tvm::ffi::reflection;

namespace {

class PointObj : public ffi::Object {
 public:
  int64_t x = 0, y = 0;
  ffi::Array<int64_t> tags;
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO("test_creator.Point", PointObj, ffi::Object);
};
class DeepPointObj : public PointObj {
 public:
  int64_t z = 7;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test_creator.DeepPoint", DeepPointObj, PointObj);
};
class FixedObj : public ffi::Object {
 public:
  explicit FixedObj(int64_t x) : x(x) {}
  int64_t x;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test_creator.Fixed", FixedObj, ffi::Object);
};

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::ObjectDef<PointObj>()
      .def_rw("x", &PointObj::x)
      .def_ro("y", &PointObj::y, refl::DefaultValue(5))
      .def_ro("tags", &PointObj::tags,
              refl::DefaultFactory([] { return ffi::Array<int64_t>{1, 2}; }));
  refl::ObjectDef<DeepPointObj>().def_ro("z", &DeepPointObj::z);
  refl::ObjectDef<FixedObj>().def_ro("x", &FixedObj::x);
}

using Fields = ffi::Map<ffi::String, ffi::Any>;

template <typename T>
const TVMFFITypeInfo* InfoOf() {
  return TVMFFIGetTypeInfo(T::RuntimeTypeIndex());
}

}  // namespace

// Fields get the given values or their defaults, even if read-only.
void created() {
  ffi::Any made = refl::ObjectCreator("test_creator.Point")(Fields{{"x", 1}, {"y", 2}});
  const auto* point = made.as<PointObj>();
  EXPECT(point != nullptr);
  EXPECT_EQ(point->x, 1);
  EXPECT_EQ(point->y, 2);
  EXPECT_EQ(point->tags.size(), 2u);
  EXPECT_EQ(point->use_count(), 1);
  made = refl::ObjectCreator(InfoOf<DeepPointObj>())(Fields{{"x", 1}, {"z", 3}});
  const auto* deep = made.as<DeepPointObj>();
  EXPECT(deep != nullptr);
  EXPECT_EQ(deep->y, 5);
  EXPECT_EQ(deep->z, 3);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_created, created);

// A missing or unknown field, or a value of another type, is a TypeError that names the field.
void refused() {
  const refl::ObjectCreator make("test_creator.Point");
  EXPECT_THROWS(
      "TypeError: ObjectCreator: test_creator.Point: expected a value for the field \"x\", which "
      "has no default",
      make(Fields{{"y", 1}}));
  EXPECT_THROWS(
      "TypeError: ObjectCreator: test_creator.Point: expected names of fields, got \"w\", \"v\"",
      make(Fields{{"x", 1}, {"w", 1}, {"v", 1}}));
  EXPECT_THROWS("TypeError: test_creator.Point.x: expected int, got str", make(Fields{{"x", "s"}}));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_refused, refused);

// A type whose objects need arguments has no creator.
void types_without() {
  EXPECT(ffi::HasCreator(InfoOf<PointObj>()));
  EXPECT(!ffi::HasCreator(InfoOf<FixedObj>()));
  EXPECT(!ffi::HasCreator(InfoOf<ffi::FunctionObj>()));
  EXPECT_THROWS(
      "RuntimeError: ObjectCreator: expected a type whose objects can be made without arguments, "
      "got test_creator.Fixed",
      refl::ObjectCreator("test_creator.Fixed"));
  EXPECT_THROWS(
      "RuntimeError: CreateEmptyObject: expected a type whose objects can be made without "
      "arguments, got test_creator.Fixed",
      ffi::CreateEmptyObject(InfoOf<FixedObj>()));
  ffi::ObjectPtr<ffi::Object> empty = ffi::CreateEmptyObject(InfoOf<DeepPointObj>());
  EXPECT_EQ(empty.use_count(), 1);
  EXPECT_EQ(static_cast<DeepPointObj*>(empty.get())->z, 7);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_types_without, types_without);

// The constructor traits create objects themselves.
void made_by_constructors() {
  EXPECT_EQ(refl::init<>::execute<DeepPointObj>().as<DeepPointObj>()->z, 7);
  EXPECT_EQ(refl::init<int64_t>::execute<FixedObj>(4).as<FixedObj>()->x, 4);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_made_by_constructors, made_by_constructors);
