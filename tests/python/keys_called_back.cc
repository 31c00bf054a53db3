// SPDX-License-Identifier: Apache-2.0
// Objects whose equality first calls a function, for test_keys_called_back.py.
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/tvm_ffi.h>

#include <utility>

namespace {

namespace ffi = tvm::ffi;
namespace refl = tvm::ffi::reflection;

class CallingObj : public ffi::Object {
 public:
  CallingObj(ffi::Function call, int64_t value) : call(std::move(call)), value(value) {}
  ffi::Function call;
  int64_t value;
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("keys_called_back.Calling", CallingObj, ffi::Object);
};

bool AnyEqual(const CallingObj* a, const CallingObj* b) {
  a->call();
  return a->value == b->value;
}
bool StructuralEqual(const CallingObj* a, const CallingObj* b, const ffi::Function&) {
  return AnyEqual(a, b);
}
int64_t AnyHash(const CallingObj* object) { return object->value; }
int64_t StructuralHash(const CallingObj* object, int64_t, const ffi::Function&) {
  return object->value;
}

ffi::ObjectRef Make(ffi::Function call, int64_t value) {
  return ffi::ObjectRef(ffi::make_object<CallingObj>(std::move(call), value));
}

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::ObjectDef<CallingObj>(refl::init(false)).def_ro("value", &CallingObj::value);
  refl::TypeAttrDef<CallingObj>()
      .def("__any_equal__", AnyEqual)
      .def("__any_hash__", AnyHash)
      .def("__s_equal__", StructuralEqual)
      .def("__s_hash__", StructuralHash);
  refl::GlobalDef().def("keys_called_back.Calling", Make);
}

}  // namespace
