// SPDX-License-Identifier: Apache-2.0
// Registers types and functions in every way; test_symbols.py inspects its symbols.
#define TVM_FFI_DLL_EXPORT_INCLUDE_METADATA 1
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/rvalue_ref.h>
#include <tvm/ffi/tvm_ffi.h>

#include <vector>

namespace ffi = tvm::ffi;
namespace refl = tvm::ffi::reflection;

namespace {

class NodeObj : public ffi::Object {
 public:
  int64_t value = 0;
  ffi::String name;
  int64_t twice() const { return 2 * value; }
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO("reflection_library.Node", NodeObj, ffi::Object);
};
class Node : public ffi::ObjectRef {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Node, ffi::ObjectRef, NodeObj);
};
class PairObj : public NodeObj {
 public:
  explicit PairObj(int64_t other) : other(other) {}
  int64_t other;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("reflection_library.Pair", PairObj, NodeObj);
};

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::ObjectDef<NodeObj>("A node.")
      .def_rw("value", &NodeObj::value, refl::default_value(1))
      .def_ro("name", &NodeObj::name, refl::kw_only(true), refl::default_value("node"))
      .def("twice", &NodeObj::twice)
      .def_static("make", [](int64_t value) {
        ffi::ObjectPtr<NodeObj> node = ffi::make_object<NodeObj>();
        node->value = value;
        return Node(node);
      });
  refl::ObjectDef<PairObj>().def(refl::init<int64_t>()).def_ro("other", &PairObj::other);
  refl::TypeAttrDef<NodeObj>().attr("reflection_library.attribute", 1);
  refl::GlobalDef().def("reflection_library.add", [](int a, int b) { return a + b; });
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(take, [](ffi::RValueRef<Node> node) { return *std::move(node); });
TVM_FFI_DLL_EXPORT_TYPED_FUNC(compose, [](const ffi::TypedFunction<int(int)>& f) {
  return ffi::TypedFunction<int(int)>([f](int x) { return f(f(x)); });
});
TVM_FFI_DLL_EXPORT_TYPED_FUNC_DOC(compose, "f twice.");
TVM_FFI_DLL_EXPORT_TYPED_FUNC(names, [] {
  std::vector<ffi::String> names = ffi::Function::ListGlobalNames();
  return names.size();
});
TVM_FFI_DLL_EXPORT_TYPED_FUNC(field, [](const ffi::ObjectRef& object, const std::string& name) {
  return refl::FieldGetter(object.GetTypeKey(), name)(object);
});
