// SPDX-License-Identifier: Apache-2.0
// Rows: R5, R7
// reflection/registry.h: object types with fields, methods and constructors; global functions.
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/tvm_ffi.h>

#include <atomic>
#include <thread>

#include "expect.h"

namespace ffi = tvm::ffi;
namespace refl = tvm::ffi::reflection;

namespace {

class WorkspaceObj : public ffi::Object {
 public:
  int64_t bytes = 0;
  ffi::String name;
  bool zeroed = false;

  int64_t megabytes() const { return bytes / 1000000; }
  void grow(int64_t more) { bytes += more; }

  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO("test_registry.Workspace", WorkspaceObj, ffi::Object);
};

class Workspace : public ffi::ObjectRef {
 public:
  Workspace(int64_t bytes, const ffi::String& name) {
    ffi::ObjectPtr<WorkspaceObj> object = ffi::make_object<WorkspaceObj>();
    object->bytes = bytes;
    object->name = name;
    data_ = std::move(object);
  }
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Workspace, ffi::ObjectRef, WorkspaceObj);
};

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::ObjectDef<WorkspaceObj>("Memory that outlives a call.")
      .def_rw("bytes", &WorkspaceObj::bytes, "Its size.")
      .def_ro("name", &WorkspaceObj::name, refl::default_value("unnamed"))
      .def_rw("zeroed", &WorkspaceObj::zeroed, refl::default_value(true), refl::kw_only(true))
      .def("megabytes", &WorkspaceObj::megabytes, "Its size in megabytes.")
      .def("grow", &WorkspaceObj::grow)
      .def_static("largest", [](const Workspace& a, const Workspace& b) {
        return a->bytes < b->bytes ? b : a;
      });
}

// A type with a parent, fields with every kind of default and one not in the constructor.
class CachedObj : public WorkspaceObj {
 public:
  int64_t key = 0;
  ffi::Shape shape;
  double hits = 1.5;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test_registry.Cached", CachedObj, WorkspaceObj);
};

// A type with its own constructor.
class PairObj : public ffi::Object {
 public:
  PairObj(int64_t a, double b) : a(a), b(b) {}
  int64_t a;
  double b;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test_registry.Pair", PairObj, ffi::Object);
};

// A type that other languages cannot create.
class OpaqueObj : public ffi::Object {
 public:
  int64_t a = 3;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test_registry.Opaque", OpaqueObj, ffi::Object);
};

int add(int a, int b) { return a + b; }

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::ObjectDef<CachedObj>()
      .def_ro("key", &CachedObj::key)
      .def_ro("shape", &CachedObj::shape, refl::default_factory([] { return ffi::Shape{1, 2}; }),
              refl::repr(false), refl::compare(false), refl::hash(false))
      .def_ro("hits", &CachedObj::hits, refl::init(false));
  refl::ObjectDef<PairObj>()
      .def(refl::init<int64_t, double>(), "From both.")
      .def_ro("a", &PairObj::a, refl::AttachFieldFlag::SEqHashIgnore())
      .def_ro("b", &PairObj::b);
  refl::ObjectDef<OpaqueObj>(refl::init(false)).def_ro("a", &OpaqueObj::a);
  refl::TypeAttrDef<PairObj>()
      .def("test_registry.sum",
           [](const PairObj* pair) { return static_cast<double>(pair->a) + pair->b; })
      .attr("test_registry.answer", 42);
  refl::GlobalDef()
      .def("test_registry.add", add, "Adds \"two\".", refl::Metadata({{"pure", true}, {"n", 2}}))
      .def_packed("test_registry.count",
                  [](ffi::PackedArgs args, ffi::Any* result) { *result = args.size(); })
      .def_method("test_registry.megabytes", &WorkspaceObj::megabytes);
}

ffi::AnyView Attribute(const char* name, int32_t type_index) {
  return refl::TypeAttrColumn(name)[type_index];
}
template <typename Obj>
ffi::Function Constructor() {
  return Attribute("__ffi_init__", Obj::RuntimeTypeIndex()).template cast<ffi::Function>();
}
ffi::ObjectRef Keywords() {
  return ffi::Function::GetGlobalRequired("ffi.GetKwargsObject")().cast<ffi::ObjectRef>();
}
std::string Text(const TVMFFIByteArray& bytes) { return std::string(bytes.data, bytes.size); }

}  // namespace

// Fields are registered with offset, size, flags and schema, in the given order, after the
// parent's.
void fields() {
  const TVMFFITypeInfo* info = TVMFFIGetTypeInfo(CachedObj::RuntimeTypeIndex());
  std::string names;
  refl::ForEachFieldInfo(info,
                         [&](const TVMFFIFieldInfo* field) { names += Text(field->name) + " "; });
  EXPECT_EQ(names, std::string("bytes name zeroed key shape hits "));
  const TVMFFIFieldInfo* bytes = refl::GetFieldInfo("test_registry.Cached", "bytes");
  EXPECT_EQ(Text(bytes->doc), std::string("Its size."));
  EXPECT_EQ(Text(bytes->metadata), std::string("{\"type_schema\":\"{\\\"type\\\":\\\"int\\\"}\"}"));
  EXPECT_EQ(bytes->flags, int64_t{kTVMFFIFieldFlagBitMaskWritable});
  EXPECT_EQ(bytes->offset, int64_t{sizeof(TVMFFIObject)});
  EXPECT_EQ(bytes->size, int64_t{8});
  EXPECT_EQ(bytes->alignment, int64_t{8});
  EXPECT_EQ(bytes->field_static_type_index, int32_t{kTVMFFIInt});
  const TVMFFIFieldInfo* shape = refl::GetFieldInfo("test_registry.Cached", "shape");
  EXPECT_EQ(shape->flags,
            int64_t{kTVMFFIFieldFlagBitMaskHasDefault | kTVMFFIFieldFlagBitMaskDefaultFromFactory |
                    kTVMFFIFieldFlagBitMaskReprOff | kTVMFFIFieldFlagBitMaskCompareOff |
                    kTVMFFIFieldFlagBitMaskHashOff});
  EXPECT_EQ(shape->field_static_type_index, int32_t{kTVMFFIShape});
  EXPECT_EQ(refl::GetFieldInfo("test_registry.Cached", "hits")->flags,
            int64_t{kTVMFFIFieldFlagBitMaskInitOff});
  EXPECT_EQ(refl::GetFieldInfo("test_registry.Cached", "zeroed")->flags,
            int64_t{kTVMFFIFieldFlagBitMaskWritable | kTVMFFIFieldFlagBitMaskHasDefault |
                    kTVMFFIFieldFlagBitMaskKwOnly});
  EXPECT_EQ(refl::GetFieldInfo("test_registry.Pair", "a")->flags,
            int64_t{kTVMFFIFieldFlagBitMaskSEqHashIgnore});
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_fields, fields);

// The type knows its documentation, its size and how to create, copy and destroy objects.
void type_metadata() {
  const int32_t index = WorkspaceObj::RuntimeTypeIndex();
  const TVMFFITypeMetadata* metadata = TVMFFIGetTypeInfo(index)->metadata;
  EXPECT_EQ(Text(metadata->doc), std::string("Memory that outlives a call."));
  EXPECT_EQ(metadata->total_size, static_cast<int32_t>(sizeof(WorkspaceObj)));
  EXPECT_EQ(metadata->structural_eq_hash_kind, kTVMFFISEqHashKindUnsupported);
  TVMFFIObjectHandle made = nullptr;
  TVM_FFI_CHECK_SAFE_CALL(metadata->creator(&made));
  Workspace created(ffi::ObjectUnsafe::PtrFromOwned<WorkspaceObj>(made));
  EXPECT_EQ(created->bytes, 0);
  EXPECT(TVMFFIGetTypeInfo(PairObj::RuntimeTypeIndex())->metadata->creator == nullptr);
  const Workspace original(5, "copied");
  ffi::Any copy = Attribute("__ffi_shallow_copy__", index).cast<ffi::Function>()(original);
  EXPECT(!copy.cast<Workspace>().same_as(original));
  EXPECT_EQ(copy.cast<Workspace>()->name, "copied");
  EXPECT_EQ(copy.cast<Workspace>().use_count(), 2);
  EXPECT_EQ(Attribute("__ffi_new__", index).cast<ffi::Function>()().cast<Workspace>()->bytes, 0);
  EXPECT(!Attribute("__ffi_type_final__", index).cast<bool>());
  EXPECT(Attribute("__ffi_type_final__", PairObj::RuntimeTypeIndex()).cast<bool>());
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_type_metadata, type_metadata);

// A method takes the object first; its changes are visible; its errors carry the type's name.
void methods() {
  Workspace workspace(3000000, "scratch");
  ffi::Function megabytes = refl::GetMethod("test_registry.Workspace", "megabytes");
  EXPECT_EQ(megabytes(workspace).cast<int64_t>(), 3);
  refl::GetMethod("test_registry.Workspace", "grow")(workspace, 1000000);
  EXPECT_EQ(workspace->bytes, 4000000);
  const TVMFFIMethodInfo* info = refl::GetMethodInfo("test_registry.Workspace", "megabytes");
  EXPECT_EQ(Text(info->doc), std::string("Its size in megabytes."));
  EXPECT_EQ(info->flags, int64_t{0});
  EXPECT_EQ(Text(info->metadata),
            std::string("{\"type_schema\":\"{\\\"type\\\":\\\"ffi.Function\\\",\\\"named_args\\\":{"
                        "\\\"return\\\":[{\\\"type\\\":\\\"int\\\"}],\\\"params\\\":[{\\\"type\\\":"
                        "\\\"test_registry.Workspace\\\"}]}}\"}"));
  EXPECT_THROWS(
      "TypeError: test_registry.Workspace.megabytes(test_registry.Workspace) -> int: "
      "argument 0: expected test_registry.Workspace, got int 3",
      megabytes(3));
  ffi::Function largest = refl::GetMethod("test_registry.Workspace", "largest");
  EXPECT_EQ(refl::GetMethodInfo("test_registry.Workspace", "largest")->flags,
            int64_t{kTVMFFIFieldFlagBitMaskIsStaticMethod});
  EXPECT(largest(workspace, Workspace(1, "small")).cast<Workspace>().same_as(workspace));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_methods, methods);

// The constructor from the fields: positions, defaults, keywords, the parent's fields.
void constructor_of_the_fields() {
  ffi::Function make = Constructor<WorkspaceObj>();
  Workspace one = make(7).cast<Workspace>();
  EXPECT_EQ(one->bytes, 7);
  EXPECT_EQ(one->name, "unnamed");
  EXPECT(one->zeroed);
  Workspace two = make(8, "two", Keywords(), "zeroed", false).cast<Workspace>();
  EXPECT_EQ(two->name, "two");
  EXPECT(!two->zeroed);
  EXPECT_EQ(make(Keywords(), "name", "three", "bytes", 9).cast<Workspace>()->bytes, 9);
  // Fields without a default come first, the parent's before the type's own.
  ffi::ObjectRef cached = Constructor<CachedObj>()(1, 2, "cached").cast<ffi::ObjectRef>();
  const auto* object = cached.as<CachedObj>();
  EXPECT_EQ(object->bytes, 1);
  EXPECT_EQ(object->key, 2);
  EXPECT_EQ(object->name, "cached");
  EXPECT_EQ(object->shape.size(), size_t{2});
  EXPECT_EQ(object->hits, 1.5);
  // A factory creates a value for each object.
  ffi::ObjectRef other = Constructor<CachedObj>()(1, 2).cast<ffi::ObjectRef>();
  EXPECT(!other.as<CachedObj>()->shape.same_as(object->shape));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_constructor_of_the_fields, constructor_of_the_fields);

// A bad constructor argument is a TypeError that names the constructor, the field and the value.
void constructor_errors() {
  ffi::Function make = Constructor<WorkspaceObj>();
  const std::string start = "TypeError: test_registry.Workspace.__ffi_init__: ";
  EXPECT_THROWS(start + "bytes: expected a value, got none", make());
  EXPECT_THROWS(start + "bytes: expected int, got str", make("seven"));
  EXPECT_THROWS(start + "bytes: expected int, got None", make(nullptr));
  EXPECT_THROWS(start + "expected at most 2 arguments by position, got 3", make(1, "n", true));
  EXPECT_THROWS(start + "bytes: expected one value, got two", make(1, Keywords(), "bytes", 2));
  EXPECT_THROWS(start + "expected the name of a field, got \"nope\"",
                make(1, Keywords(), "nope", 2));
  EXPECT_THROWS(start + "expected alternating names and values, got a name without a value",
                make(1, Keywords(), "name"));
  EXPECT_THROWS(
      "TypeError: test_registry.Cached.__ffi_init__: expected the name of a field, got \"hits\"",
      Constructor<CachedObj>()(1, 2, Keywords(), "hits", 2.0));
  ffi::Function register_init = ffi::Function::GetGlobalRequired("ffi._RegisterFFIInit");
  EXPECT_THROWS(
      "ValueError: ffi._RegisterFFIInit: type_index: expected a type whose objects can be made "
      "without arguments, got test_registry.Pair",
      register_init(PairObj::RuntimeTypeIndex()));
  EXPECT_THROWS("TypeError: TVMFFIGetTypeInfo: type_index: expected a registered type, got 99999",
                register_init(99999));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_constructor_errors, constructor_errors);

// The type's own constructor is a static method; then, or if disabled, none is generated.
void own_constructors() {
  ffi::ObjectRef pair = Constructor<PairObj>()(1, 2).cast<ffi::ObjectRef>();
  EXPECT_EQ(pair.as<PairObj>()->b, 2.0);
  EXPECT_EQ(pair.use_count(), 1);
  EXPECT_THROWS(
      "TypeError: test_registry.Pair.__ffi_init__(int, float) -> Object: expected 2 arguments, "
      "got 1",
      Constructor<PairObj>()(1));
  EXPECT_EQ(Text(refl::GetMethodInfo("test_registry.Pair", "__ffi_init__")->doc),
            std::string("From both."));
  EXPECT(Attribute("__ffi_init__", OpaqueObj::RuntimeTypeIndex()) == nullptr);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_own_constructors, own_constructors);

// Attributes are values and functions found by name and type.
void attributes() {
  const ffi::ObjectRef pair(ffi::make_object<PairObj>(1, 2.5));
  EXPECT_EQ(Attribute("test_registry.answer", pair.type_index()).cast<int>(), 42);
  EXPECT_EQ(
      Attribute("test_registry.sum", pair.type_index()).cast<ffi::Function>()(pair).cast<double>(),
      3.5);
  EXPECT(Attribute("test_registry.answer", kTVMFFIShape) == nullptr);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_attributes, attributes);

// Global functions have documentation and metadata; a method takes the object first.
void global_functions() {
  EXPECT_EQ(ffi::Function::GetGlobalRequired("test_registry.add")(1, 2).cast<int>(), 3);
  EXPECT_EQ(ffi::Function::GetGlobalRequired("test_registry.count")(1, "b").cast<int>(), 2);
  EXPECT_EQ(ffi::Function::GetGlobalRequired("test_registry.megabytes")(Workspace(2000000, "w"))
                .cast<int>(),
            2);
  EXPECT_THROWS(
      "TypeError: test_registry.add(int of 32 bits, int of 32 bits) -> int of 32 bits: "
      "expected 2 arguments, got 0",
      ffi::Function::GetGlobalRequired("test_registry.add")());
  ffi::Function metadata = ffi::Function::GetGlobalRequired("ffi.GetGlobalFuncMetadata");
  EXPECT_EQ(metadata("test_registry.add").cast<std::string>(),
            std::string("{\"type_schema\":\"{\\\"type\\\":\\\"ffi.Function\\\",\\\"named_args\\\":{"
                        "\\\"return\\\":[{\\\"type\\\":\\\"int\\\"}],\\\"params\\\":[{\\\"type\\\":"
                        "\\\"int\\\"},{\\\"type\\\":\\\"int\\\"}]}}\",\"pure\":true,\"n\":2}"));
  EXPECT_EQ(metadata("test_registry.count").cast<std::string>(),
            std::string("{\"type_schema\":\"{\\\"type\\\":\\\"ffi.Function\\\"}\"}"));
  EXPECT_THROWS_WITH("ValueError: ", refl::GlobalDef().def("test_registry.add", add));
  EXPECT_THROWS("TypeError: Metadata: x: expected an int, bool or str, got float",
                refl::Metadata({{"x", 1.5}}));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_global_functions, global_functions);

// A type is registered once.
void registered_twice() {
  EXPECT_THROWS(
      "ValueError: TVMFFITypeRegisterMetadata: expected a type that is not registered yet, got "
      "test_registry.Pair, which another library, or an earlier build of this one, has registered "
      "in this process",
      refl::ObjectDef<PairObj>(refl::init(false)));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_registered_twice, registered_twice);
