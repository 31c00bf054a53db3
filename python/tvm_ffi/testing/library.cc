// SPDX-License-Identifier: Apache-2.0
// The functions and object types of tvm_ffi.testing, registered as any library registers its own.
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/tvm_ffi.h>

namespace {

namespace ffi = tvm::ffi;
namespace refl = tvm::ffi::reflection;

// Immutable: its fields are given when it is made.
class TestIntPairObj : public ffi::Object {
 public:
  int64_t Sum() const { return a + b; }
  int64_t a = 0;
  int64_t b = 0;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("testing.TestIntPair", TestIntPairObj, ffi::Object);
};

// Mutable, with a default for each field.
class TestObjectBase : public ffi::Object {
 public:
  int64_t AddI64(int64_t other) const { return v_i64 + other; }
  int64_t v_i64 = 10;
  double v_f64 = 10.0;
  ffi::String v_str = "hello";
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO("testing.TestObjectBase", TestObjectBase, ffi::Object);
};

// Derived, with containers.
class TestObjectDerived : public TestObjectBase {
 public:
  ffi::Map<ffi::Any, ffi::Any> v_map;
  ffi::Array<ffi::Any> v_array;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("testing.TestObjectDerived", TestObjectDerived, TestObjectBase);
};

// No class of Python is registered for it, nor for its parent.
class UnregisteredBaseObj : public ffi::Object {
 public:
  int64_t v1 = 41;
  int64_t V1PlusOne() const { return v1 + 1; }
  TVM_FFI_DECLARE_OBJECT_INFO("testing.TestUnregisteredBaseObject", UnregisteredBaseObj,
                              ffi::Object);
};
class UnregisteredObj : public UnregisteredBaseObj {
 public:
  int64_t v2 = 42;
  int64_t V2PlusTwo() const { return v2 + 2; }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("testing.TestUnregisteredObject", UnregisteredObj,
                                    UnregisteredBaseObj);
};

void Echo(ffi::PackedArgs args, ffi::Any* result) {
  TVM_FFI_CHECK(args.size() >= 1, TypeError) << "testing.echo: expected an argument, got none";
  *result = args[0];
}

void Apply(ffi::PackedArgs args, ffi::Any* result) {
  TVM_FFI_CHECK(args.size() >= 1, TypeError) << "testing.apply: expected a function, got none";
  args[0].cast<ffi::Function>().CallPacked(args.Slice(1), result);
}

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::ObjectDef<TestIntPairObj>("Two integers.")
      .def_ro("a", &TestIntPairObj::a, "The first.")
      .def_ro("b", &TestIntPairObj::b, "The second.")
      .def("sum", &TestIntPairObj::Sum, "Add them.");
  refl::ObjectDef<TestObjectBase>("Three fields with defaults.")
      .def_rw("v_i64", &TestObjectBase::v_i64, refl::default_value(10))
      .def_ro("v_f64", &TestObjectBase::v_f64, refl::default_value(10.0))
      .def_rw("v_str", &TestObjectBase::v_str, refl::default_value("hello"))
      .def("add_i64", &TestObjectBase::AddI64, "Add a number to v_i64.");
  refl::ObjectDef<TestObjectDerived>("A derived type that holds containers.")
      .def_ro("v_map", &TestObjectDerived::v_map)
      .def_ro("v_array", &TestObjectDerived::v_array);
  refl::ObjectDef<UnregisteredBaseObj>()
      .def_ro("v1", &UnregisteredBaseObj::v1)
      .def("get_v1_plus_one", &UnregisteredBaseObj::V1PlusOne);
  refl::ObjectDef<UnregisteredObj>()
      .def_ro("v2", &UnregisteredObj::v2)
      .def("get_v2_plus_two", &UnregisteredObj::V2PlusTwo);
  refl::GlobalDef()
      .def(
          "testing.add_one", [](int64_t x) { return x + 1; }, "Add one.")
      .def_packed("testing.echo", Echo, "Return the first argument.")
      .def_packed(
          "testing.nop", [](ffi::PackedArgs, ffi::Any*) {}, "Do nothing.")
      .def_packed("testing.apply", Apply, "Call the first argument with the others.")
      .def(
          "testing.object_use_count", [](const ffi::Object* object) { return object->use_count(); },
          "Count the references to an object.")
      .def(
          "testing.test_raise_error",
          [](ffi::String kind, ffi::String message) {
            throw ffi::Error(kind, message, TVMFFIBacktrace(nullptr, 0, nullptr, 0));
          },
          "Raise an error of a kind.")
      .def(
          "testing.make_unregistered_object",
          [] { return ffi::ObjectRef(ffi::make_object<UnregisteredObj>()); },
          "Make an object whose type has no class in Python.");
}

}  // namespace
