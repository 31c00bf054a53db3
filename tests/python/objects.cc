// SPDX-License-Identifier: Apache-2.0
// The object types of test_object.py, registered in every way that Python distinguishes.
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/tvm_ffi.h>

#include <atomic>
#include <memory>

namespace ffi = tvm::ffi;
namespace refl = tvm::ffi::reflection;

namespace {

std::atomic<int64_t> pairs_alive{0};

// Has its own constructor.
class PairObj : public ffi::Object {
 public:
  PairObj(int64_t a, int64_t b) : a(a), b(b) { ++pairs_alive; }
  PairObj(const PairObj& other) : Object(other), a(other.a), b(other.b) { ++pairs_alive; }
  ~PairObj() { --pairs_alive; }
  int64_t a, b;
  int64_t sum() const { return a + b; }
  TVM_FFI_DECLARE_OBJECT_INFO("objects.Pair", PairObj, ffi::Object);
};
class Pair : public ffi::ObjectRef {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Pair, ffi::ObjectRef, PairObj);
};

// The constructor is generated from its fields, which are of every kind.
class NodeObj : public ffi::Object {
 public:
  int64_t number = 0;
  double real = 0;
  bool flag = false;
  int32_t narrow = 0;
  ffi::String name;
  ffi::Optional<ffi::Tensor> tensor;
  ffi::Any any;
  ffi::ObjectRef next;
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO("objects.Node", NodeObj, ffi::Object);
};
class Node : public ffi::ObjectRef {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Node, ffi::ObjectRef, NodeObj);
};

class LeafObj : public NodeObj {
 public:
  int64_t extra = 0;
  int64_t twice() const { return 2 * extra; }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("objects.Leaf", LeafObj, NodeObj);
};

// No constructor, state not exposed by any field, and not copyable.
class LockedObj : public ffi::Object {
 public:
  explicit LockedObj(int64_t secret) : secret(std::make_unique<int64_t>(secret)) {}
  std::unique_ptr<int64_t> secret;
  int64_t open() const { return *secret; }
  TVM_FFI_DECLARE_OBJECT_INFO("objects.Locked", LockedObj, ffi::Object);
};

// Has no constructor, although its parent has one.
class StuckObj : public NodeObj {
 public:
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("objects.Stuck", StuckObj, NodeObj);
};

// Has unregistered state after a field.
class HiddenObj : public ffi::Object {
 public:
  int64_t shown = 0;
  int64_t hidden = 7;
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("objects.Hidden", HiddenObj, ffi::Object);
};

// Has unregistered state between two fields.
class BetweenObj : public ffi::Object {
 public:
  int64_t first = 0;
  int64_t hidden = 7;
  int64_t last = 0;
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("objects.Between", BetweenObj, ffi::Object);
};

// Has unregistered state in the padding after a field.
class PaddedObj : public ffi::Object {
 public:
  int32_t shown = 0;
  bool hidden = false;
  void hide() { hidden = true; }
  bool is_hidden() const { return hidden; }
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("objects.Padded", PaddedObj, ffi::Object);
};

// Known only to C++, as is its parent.
class BaseOnlyObj : public ffi::Object {
 public:
  int64_t v1 = 41;
  int64_t next() const { return v1 + 1; }
  TVM_FFI_DECLARE_OBJECT_INFO("objects.BaseOnly", BaseOnlyObj, ffi::Object);
};
class CppOnlyObj : public BaseOnlyObj {
 public:
  int64_t v2 = 42;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("objects.inner.CppOnly", CppOnlyObj, BaseOnlyObj);
};

// Only its name is registered.
class PlainObj : public ffi::Object {
 public:
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("objects.Plain", PlainObj, ffi::Object);
};

template <typename T, typename... Args>
ffi::ObjectRef Make(Args... args) {
  return ffi::ObjectRef(ffi::make_object<T>(args...));
}

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::ObjectDef<PairObj>("Two numbers.")
      .def(refl::init<int64_t, int64_t>(), "Of both numbers.")
      .def_ro("a", &PairObj::a, "The first.")
      .def_ro("b", &PairObj::b)
      .def("sum", &PairObj::sum, "Adds them.")
      .def("refuse", [](const PairObj* self) { TVM_FFI_THROW(ValueError) << "not " << self->a; })
      .def_static("of", [](int64_t both) { return Pair(ffi::make_object<PairObj>(both, both)); });
  refl::ObjectDef<NodeObj>()
      .def_rw("number", &NodeObj::number, refl::default_value(1), "A whole number.")
      .def_rw("real", &NodeObj::real, refl::default_value(0.5))
      .def_rw("flag", &NodeObj::flag, refl::default_value(false))
      .def_rw("narrow", &NodeObj::narrow, refl::default_value(0))
      .def_rw("name", &NodeObj::name, refl::default_value("node"), refl::kw_only(true))
      .def_rw("tensor", &NodeObj::tensor, refl::default_value(nullptr), refl::repr(false))
      .def_rw("any", &NodeObj::any, refl::default_value(nullptr))
      .def_rw("next", &NodeObj::next, refl::default_value(nullptr));
  refl::ObjectDef<LeafObj>().def_ro("extra", &LeafObj::extra).def("twice", &LeafObj::twice);
  refl::ObjectDef<StuckObj>(refl::init(false));
  refl::ObjectDef<LockedObj>().def("open", &LockedObj::open);
  refl::ObjectDef<HiddenObj>().def_rw("shown", &HiddenObj::shown, refl::default_value(1));
  refl::ObjectDef<PaddedObj>()
      .def_rw("shown", &PaddedObj::shown, refl::default_value(1))
      .def("hide", &PaddedObj::hide)
      .def("is_hidden", &PaddedObj::is_hidden);
  refl::ObjectDef<BetweenObj>()
      .def_rw("first", &BetweenObj::first)
      .def_rw("last", &BetweenObj::last);
  refl::ObjectDef<BaseOnlyObj>().def_ro("v1", &BaseOnlyObj::v1).def("next", &BaseOnlyObj::next);
  refl::ObjectDef<CppOnlyObj>().def_ro("v2", &CppOnlyObj::v2);
  refl::GlobalDef()
      .def("objects.echo", [](ffi::Any value) { return value; })
      .def("objects.key", [](ffi::ObjectRef object) { return object.GetTypeKey(); })
      .def("objects.locked", &Make<LockedObj, int64_t>)
      .def("objects.stuck", &Make<StuckObj>)
      .def("objects.cpp_only", &Make<CppOnlyObj>)
      .def("objects.between", &Make<BetweenObj>)
      .def("objects.plain", &Make<PlainObj>)
      .def("objects.inner.deep", [] { return 1; })
      .def("objects.pairs_alive", [] { return pairs_alive.load(); });
}

// Not a lambda, so that the published headers compile it too.
int64_t sum_of(Pair pair) { return pair->sum(); }

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(sum_of, sum_of);
