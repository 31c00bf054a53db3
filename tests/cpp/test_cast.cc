// SPDX-License-Identifier: Apache-2.0
// Rows: R5, R7
// cast.h: GetRef and GetObjectPtr, using only that header.
#include <tvm/ffi/cast.h>
#include <tvm/ffi/function.h>

#include "expect.h"

namespace ffi = tvm::ffi;

namespace {

class LeafObj : public ffi::Object {
 public:
  TVM_FFI_DECLARE_OBJECT_INFO("test_cast.Leaf", LeafObj, ffi::Object);
};
class Leaf : public ffi::ObjectRef {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Leaf, ffi::ObjectRef, LeafObj);
};
class MaybeLeaf : public ffi::ObjectRef {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(MaybeLeaf, ffi::ObjectRef, LeafObj);
};

}  // namespace

// A handle shares the object; NULL becomes a null handle if the class has one.
void get_ref() {
  ffi::ObjectPtr<LeafObj> owner = ffi::make_object<LeafObj>();
  Leaf leaf = ffi::GetRef<Leaf>(owner.get());
  EXPECT(leaf.get() == owner.get());
  EXPECT_EQ(owner.use_count(), 2);
  const LeafObj* none = nullptr;
  EXPECT(!ffi::GetRef<MaybeLeaf>(none).defined());
  EXPECT_THROWS("TypeError: ObjectRef: expected test_cast.Leaf, got None", ffi::GetRef<Leaf>(none));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_get_ref, get_ref);

// An owner of a base type shares the object; NULL becomes a null owner.
void get_object_ptr() {
  ffi::ObjectPtr<LeafObj> owner = ffi::make_object<LeafObj>();
  ffi::ObjectPtr<ffi::Object> base = ffi::GetObjectPtr<ffi::Object>(owner.get());
  EXPECT(base.get() == owner.get());
  EXPECT_EQ(owner.use_count(), 2);
  EXPECT(ffi::GetObjectPtr<LeafObj>(static_cast<LeafObj*>(nullptr)) == nullptr);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_get_object_ptr, get_object_ptr);

// The header provides what casts need: values and optional ones.
void casts() {
  EXPECT_EQ(ffi::Any(3).cast<int>(), 3);
  EXPECT(!ffi::Any(3).try_cast<Leaf>().has_value());
  EXPECT_EQ(ffi::Optional<int>(ffi::Any(3).as<int>()).value(), 3);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_casts, casts);
