// SPDX-License-Identifier: Apache-2.0
// cast.h: handles and owners of an object that is owned elsewhere too.
#include <tvm/ffi/cast.h>
#include <tvm/ffi/memory.h>

#include "print.h"

namespace ffi = tvm::ffi;

class LeafObj : public ffi::Object {
 public:
  TVM_FFI_DECLARE_OBJECT_INFO("shared_headers.Leaf", LeafObj, ffi::Object);
};
class Leaf : public ffi::ObjectRef {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Leaf, ffi::ObjectRef, LeafObj);
};
class MaybeLeaf : public ffi::ObjectRef {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(MaybeLeaf, ffi::ObjectRef, LeafObj);
};

int main() {
  ffi::ObjectPtr<LeafObj> owner = ffi::make_object<LeafObj>();
  Leaf leaf = ffi::GetRef<Leaf>(owner.get());
  std::cout << owner.use_count() << (leaf.get() == owner.get()) << "\n";
  ffi::ObjectPtr<ffi::Object> base = ffi::GetObjectPtr<ffi::Object>(owner.get());
  std::cout << owner.use_count() << base->GetTypeKey() << "\n";
  LeafObj* none = nullptr;
  std::cout << ffi::GetRef<MaybeLeaf>(none).defined() << "\n";
  std::cout << (ffi::GetObjectPtr<ffi::Object>(none) == nullptr) << "\n";
  bool refused = false;
  try {
    ffi::GetRef<Leaf>(none);
  } catch (const ffi::Error&) {
    refused = true;
  }
  std::cout << refused << "\n";
}
