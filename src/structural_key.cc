// SPDX-License-Identifier: Apache-2.0
// Mapping keys that compare and hash their values by structure.
#include <tvm/ffi/extra/structural_key.h>
#include <tvm/ffi/reflection/registry.h>

#include "reflected.h"
#include "structural.h"

namespace ffi = tvm::ffi;
namespace refl = tvm::ffi::reflection;

using ffi::Any;

namespace {

using ffi::StructuralKeyObj;

int64_t HashOfKey(const StructuralKeyObj* key) { return key->hash_i64; }

bool AreEqual(const StructuralKeyObj* a, const StructuralKeyObj* b) {
  if (a == b) return true;
  if (a->hash_i64 != b->hash_i64) return false;
  // A key may hold a mapping with such keys.
  const ffi::CallBackDepth depth("ffi.StructuralKeyEqual");
  return ffi::EqualByStructure(a->key, b->key, false, false);
}

[[maybe_unused]] const bool registered = [] {
  refl::ObjectDef<StructuralKeyObj>(refl::init(false))
      .def_ro("key", &StructuralKeyObj::key)
      .def_ro("hash_i64", &StructuralKeyObj::hash_i64);
  refl::TypeAttrDef<StructuralKeyObj>()
      .def("__any_hash__", HashOfKey)
      .def("__any_equal__", AreEqual);
  refl::GlobalDef()
      .def("ffi.StructuralKey", ffi::MakeStructuralKey,
           "A key that compares and hashes its value by structure.")
      .def("ffi.StructuralKeyEqual", AreEqual, "Whether two keys have the same structure.");
  return true;
}();

}  // namespace

void ffi::UpdateStructuralKey(Object* object) {
  if (!object->IsInstance<StructuralKeyObj>()) return;
  auto* key = static_cast<StructuralKeyObj*>(object);
  key->hash_i64 = HashByStructure(key->key, false, false);
}

ffi::ObjectRef ffi::MakeStructuralKey(const Any& key) {
  auto made = ffi::make_object<StructuralKeyObj>();
  made->key = key;
  made->hash_i64 = HashByStructure(key, false, false);
  return ObjectRef(made);
}
