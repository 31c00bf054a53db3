// SPDX-License-Identifier: Apache-2.0
// Object types for content_cases.py; compiled with both packages' headers.
#include <tvm/ffi/reflection/access_path.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/tvm_ffi.h>

#include <string>

namespace {

namespace ffi = tvm::ffi;
namespace refl = tvm::ffi::reflection;

using ffi::Any;

// A type with fields excluded from comparison, hashing or printing.
class MarkedObj : public ffi::Object {
 public:
  int64_t key = 0;
  Any uncompared;
  Any unhashed;
  Any hidden;
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("contents.Marked", MarkedObj, ffi::Object);
};

// Prints, compares and hashes its value by its own functions.
class OwnObj : public ffi::Object {
 public:
  Any held;
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("contents.Own", OwnObj, ffi::Object);
};

class EqualOnlyObj : public ffi::Object {
 public:
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("contents.EqualOnly", EqualOnlyObj, ffi::Object);
};

// The kinds of structural comparison.
template <int kKind>
class KindObj : public ffi::Object {
 public:
  Any a;
  Any b;
  static constexpr bool _type_mutable = true;
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = static_cast<TVMFFISEqHashKind>(kKind);
};
class TreeObj : public KindObj<kTVMFFISEqHashKindTreeNode> {
 public:
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("contents.Tree", TreeObj, ffi::Object);
};
class VarObj : public KindObj<kTVMFFISEqHashKindFreeVar> {
 public:
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("contents.Var", VarObj, ffi::Object);
};
class DagObj : public KindObj<kTVMFFISEqHashKindDAGNode> {
 public:
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("contents.Dag", DagObj, ffi::Object);
};
class ConstObj : public KindObj<kTVMFFISEqHashKindConstTreeNode> {
 public:
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("contents.Const", ConstObj, ffi::Object);
};
class UniqueObj : public KindObj<kTVMFFISEqHashKindUniqueInstance> {
 public:
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("contents.Unique", UniqueObj, ffi::Object);
};
class PatternObj : public KindObj<kTVMFFISEqHashKindTreeNode> {
 public:
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("contents.Pattern", PatternObj, ffi::Object);
};
class SimpleObj : public KindObj<kTVMFFISEqHashKindTreeNode> {
 public:
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("contents.Simple", SimpleObj, ffi::Object);
};
// Compares only `a`, by its own functions, and defines variables there.
class CustomObj : public KindObj<kTVMFFISEqHashKindTreeNode> {
 public:
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("contents.Custom", CustomObj, ffi::Object);
};
// Its own functions look at `a` but ignore it.
class ForgivingObj : public KindObj<kTVMFFISEqHashKindTreeNode> {
 public:
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("contents.Forgiving", ForgivingObj, ffi::Object);
};

// Converted to text by its own functions.
class TextObj : public ffi::Object {
 public:
  int64_t value = 0;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("contents.Text", TextObj, ffi::Object);
};

// Fields of every kind, each with a default.
class FieldsObj : public ffi::Object {
 public:
  int64_t number = 1;
  double real = 0.5;
  bool flag = true;
  DLDataType dtype{kDLInt, 8, 1};
  ffi::String name = "name";
  ffi::Optional<int64_t> maybe;
  Any any;
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("contents.Fields", FieldsObj, ffi::Object);
};

class NoCopyObj : public ffi::Object {
 public:
  NoCopyObj() = default;
  NoCopyObj(const NoCopyObj&) = delete;
  NoCopyObj& operator=(const NoCopyObj&) = delete;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("contents.NoCopy", NoCopyObj, ffi::Object);
};

template <typename T>
ffi::ObjectRef Make(Any a, Any b) {
  auto made = ffi::make_object<T>();
  made->a = a;
  made->b = b;
  return ffi::ObjectRef(made);
}

ffi::ObjectRef MakeMarked(int64_t key, Any uncompared, Any unhashed, Any hidden) {
  auto made = ffi::make_object<MarkedObj>();
  made->key = key;
  made->uncompared = uncompared;
  made->unhashed = unhashed;
  made->hidden = hidden;
  return ffi::ObjectRef(made);
}

ffi::ObjectRef MakeOwn(Any held) {
  auto made = ffi::make_object<OwnObj>();
  made->held = held;
  return ffi::ObjectRef(made);
}

ffi::ObjectRef MakeText(int64_t value) {
  auto made = ffi::make_object<TextObj>();
  made->value = value;
  return ffi::ObjectRef(made);
}

template <typename T>
ffi::ObjectRef MakeEmpty() {
  return ffi::ObjectRef(ffi::make_object<T>());
}

ffi::String OwnRepr(const ffi::Object* self, ffi::Function print) {
  return "own<" + std::string(print(static_cast<const OwnObj*>(self)->held).cast<ffi::String>()) +
         ">";
}
int64_t OwnHash(const ffi::Object* self, ffi::Function hash) {
  return hash(static_cast<const OwnObj*>(self)->held).cast<int64_t>();
}
bool OwnEq(const ffi::Object* a, const ffi::Object* b, ffi::Function equal) {
  return equal(static_cast<const OwnObj*>(a)->held, static_cast<const OwnObj*>(b)->held)
      .cast<bool>();
}
int32_t OwnCompare(const ffi::Object* a, const ffi::Object* b, ffi::Function compare) {
  // The greater value sorts first.
  return compare(static_cast<const OwnObj*>(b)->held, static_cast<const OwnObj*>(a)->held)
      .cast<int32_t>();
}
bool EqualOnly(const ffi::Object*, const ffi::Object*, ffi::Function) { return true; }

ffi::Function kept;  // the callback last given to a type's own function

bool CustomEqual(const ffi::Object* a, const ffi::Object* b, ffi::Function equal) {
  kept = equal;
  return equal(static_cast<const CustomObj*>(a)->a, static_cast<const CustomObj*>(b)->a, 1, "a")
      .cast<bool>();
}
int64_t CustomHash(const ffi::Object* self, int64_t start, ffi::Function hash) {
  kept = hash;
  return hash(static_cast<const CustomObj*>(self)->a, start, 1).cast<int64_t>();
}

bool ForgivingEqual(const ffi::Object* a, const ffi::Object* b, ffi::Function equal) {
  const auto* x = static_cast<const ForgivingObj*>(a);
  const auto* y = static_cast<const ForgivingObj*>(b);
  try {
    equal(x->a, y->a, 0, "a");
  } catch (const ffi::Error&) {
  }
  return equal(x->b, y->b, 0, "b").cast<bool>();
}
int64_t ForgivingHash(const ffi::Object* self, int64_t start, ffi::Function hash) {
  const auto* object = static_cast<const ForgivingObj*>(self);
  try {
    hash(object->a, start, 0);
  } catch (const ffi::Error&) {
  }
  return hash(object->b, start, 0).cast<int64_t>();
}

Any TextToJson(Any value) {
  return ffi::String(std::string(static_cast<size_t>(value.cast<const TextObj*>()->value), 'x'));
}
Any TextFromJson(Any data) {
  return MakeText(static_cast<int64_t>(data.cast<ffi::String>().size()));
}

template <typename T>
void Register() {
  refl::ObjectDef<T>().def_rw("a", &T::a).def_rw("b", &T::b);
}

// The first field contains variables that the object defines.
template <typename T>
void RegisterDefining(int32_t flag) {
  refl::ObjectDef<T>().def_rw("a", &T::a, refl::AttachFieldFlag(flag)).def_rw("b", &T::b);
}

template <typename T, typename F>
void Attach(const char* name, F function) {
  refl::TypeAttrDef<T>().def(name, function);
}

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::ObjectDef<MarkedObj>()
      .def_rw("key", &MarkedObj::key)
      .def_rw("uncompared", &MarkedObj::uncompared, refl::compare(false))
      .def_rw("unhashed", &MarkedObj::unhashed, refl::hash(false))
      .def_rw("hidden", &MarkedObj::hidden, refl::repr(false));
  refl::ObjectDef<OwnObj>().def_rw("held", &OwnObj::held);
  refl::ObjectDef<EqualOnlyObj>();
  Register<TreeObj>();
  refl::ObjectDef<VarObj>()
      .def_rw("a", &VarObj::a, refl::AttachFieldFlag::SEqHashIgnore())
      .def_rw("b", &VarObj::b);
  Register<DagObj>();
  Register<ConstObj>();
  Register<UniqueObj>();
  Register<CustomObj>();
  Register<ForgivingObj>();
  RegisterDefining<PatternObj>(kTVMFFIFieldFlagBitMaskSEqHashDefPattern);
  RegisterDefining<SimpleObj>(kTVMFFIFieldFlagBitMaskSEqHashDefSimple);
  refl::ObjectDef<TextObj>().def_ro("value", &TextObj::value);
  refl::ObjectDef<NoCopyObj>();
  refl::ObjectDef<FieldsObj>()
      .def_rw("number", &FieldsObj::number, refl::default_value(1))
      .def_rw("real", &FieldsObj::real, refl::default_value(0.5))
      .def_rw("flag", &FieldsObj::flag, refl::default_value(true))
      .def_rw("dtype", &FieldsObj::dtype, refl::default_value(DLDataType{kDLInt, 8, 1}))
      .def_rw("name", &FieldsObj::name, refl::default_value("name"))
      .def_rw("maybe", &FieldsObj::maybe, refl::default_value(nullptr))
      .def_rw("any", &FieldsObj::any, refl::default_value(nullptr));
  Attach<OwnObj>("__ffi_repr__", OwnRepr);
  Attach<OwnObj>("__ffi_hash__", OwnHash);
  Attach<OwnObj>("__ffi_eq__", OwnEq);
  Attach<OwnObj>("__ffi_compare__", OwnCompare);
  Attach<EqualOnlyObj>("__ffi_eq__", EqualOnly);
  Attach<CustomObj>("__s_equal__", CustomEqual);
  Attach<CustomObj>("__s_hash__", CustomHash);
  Attach<ForgivingObj>("__s_equal__", ForgivingEqual);
  Attach<ForgivingObj>("__s_hash__", ForgivingHash);
  Attach<TextObj>("__data_to_json__", TextToJson);
  Attach<TextObj>("__data_from_json__", TextFromJson);
  refl::GlobalDef()
      .def("contents.Marked", MakeMarked)
      .def("contents.Own", MakeOwn)
      .def("contents.EqualOnly", MakeEmpty<EqualOnlyObj>)
      .def("contents.NoCopy", MakeEmpty<NoCopyObj>)
      .def("contents.Fields", MakeEmpty<FieldsObj>)
      .def("contents.Text", MakeText)
      .def("contents.Tree", Make<TreeObj>)
      .def("contents.Var", Make<VarObj>)
      .def("contents.Dag", Make<DagObj>)
      .def("contents.Const", Make<ConstObj>)
      .def("contents.Unique", Make<UniqueObj>)
      .def("contents.Custom", Make<CustomObj>)
      .def("contents.Forgiving", Make<ForgivingObj>)
      .def("contents.Pattern", Make<PatternObj>)
      .def("contents.Simple", Make<SimpleObj>)
      .def("contents.below", [](const refl::AccessPath& path) { return path->Attr("below"); })
      .def("contents.kept", [] { return kept; });
}

}  // namespace
